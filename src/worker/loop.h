// SPDX-License-Identifier: Apache-2.0
// The timed loop. It exists once in the whole system.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "ngraphbench/compiler.h"

namespace ngb::worker {

struct Target {
  const ngb_compiler* compiler = nullptr;
  ngb_session* session = nullptr;
  ngb_error* error = nullptr;
  std::atomic<std::uint64_t>* repetitions_done = nullptr;  // grows by one per repetition; never null
};

// Runs walls_ns.size() repetitions of `inferences` inferences each and stores the wall time of each. Between the two
// readings of CLOCK_MONOTONIC, only the compiler runs. Returns the number of complete repetitions, which is smaller
// than requested if an inference failed; then *status and the target's error are set.
std::size_t run_repetitions(const Target& target, std::uint32_t inferences, std::span<std::int64_t> walls_ns,
                            ngb_status* status);

}  // namespace ngb::worker

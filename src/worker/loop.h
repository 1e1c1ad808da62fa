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
  std::atomic<std::uint64_t>* repetitions_done = nullptr;  // counts up by one a repetition; never null
};

// Runs walls_ns.size() repetitions of `inferences` inferences each and stores what CLOCK_MONOTONIC says around each.
// Between the two clock reads stands nothing but the compiler's run. Returns the number of whole repetitions: fewer
// than asked for when an inference failed, with *status and the target's error set.
std::size_t run_repetitions(const Target& target, std::uint32_t inferences, std::span<std::int64_t> walls_ns,
                            ngb_status* status);

}  // namespace ngb::worker

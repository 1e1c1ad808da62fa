// SPDX-License-Identifier: Apache-2.0
// The timed loop. It exists once in the whole system.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "ngraphbench/compiler.h"
#include "samples/progress_page.h"

namespace ngb::worker {

// Reads CLOCK_MONOTONIC.
inline std::int64_t now_ns() {
  struct timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct Target {
  const ngb_compiler* compiler = nullptr;
  ngb_session* session = nullptr;
  ngb_error* error = nullptr;
  samples::RunCount* done = nullptr;  // grows with each repetition; never null
};

// The times of repetitions, by index, in memory of the caller. Both lists have the same size.
struct Times {
  std::span<std::int64_t> walls_ns{};
  std::span<std::int64_t> begins_ns{};  // on CLOCK_MONOTONIC
  [[nodiscard]] Times part(std::size_t first, std::size_t count) const {
    return {walls_ns.subspan(first, count), begins_ns.subspan(first, count)};
  }
};

// Runs as many repetitions of `inferences` inferences each as `times` holds, and stores when each began and how long it
// took. Between the two readings of CLOCK_MONOTONIC, only the compiler runs. Returns the number of complete
// repetitions, which is smaller than requested if an inference failed; then *status and the target's error are set.
std::size_t run_repetitions(const Target& target, std::uint32_t inferences, const Times& times, ngb_status* status);

}  // namespace ngb::worker

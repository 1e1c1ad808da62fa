// SPDX-License-Identifier: Apache-2.0
// One page of memory that a worker shares with its agent, so that the agent can look without disturbing: the worker
// stores, the agent loads, neither waits.
#pragma once

#include <atomic>
#include <cstdint>

namespace ngb::samples {

struct ProgressPage {
  std::atomic<std::int32_t> phase{0};  // samples::Phase
  std::atomic<std::uint32_t> reserved{0};
  std::atomic<std::uint64_t> repetitions{0};  // done so far, warm-up included
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

inline constexpr std::size_t kProgressPageBytes = 4096;

// File descriptors that a worker finds open: the request (one frame), its result (one frame), the progress page.
inline constexpr int kRequestFd = 3;
inline constexpr int kResultFd = 4;
inline constexpr int kProgressFd = 5;

}  // namespace ngb::samples

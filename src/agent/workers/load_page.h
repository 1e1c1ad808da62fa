// SPDX-License-Identifier: Apache-2.0
// Defines the memory that a load shares with its agent. The load stores, the agent reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ngb::agent {

struct LoadPage {
  std::atomic<std::uint64_t> is_running{0};  // 1: it does what it is meant to do
  std::atomic<std::uint64_t> bytes{0};       // read and written so far
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

inline constexpr std::size_t kLoadPageBytes = 4096;
// A load is started with its page at this descriptor. Its standard input ends with its agent.
inline constexpr int kLoadPageFd = 3;

}  // namespace ngb::agent

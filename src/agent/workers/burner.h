// SPDX-License-Identifier: Apache-2.0
// The program of a load: the agent starts its own file with the task `load`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "work/load.h"

namespace ngb::agent {

// Carries out the load on these processors until standard input ends, because the agent closed it or ended. A command
// runs below this process, which then kills all that the command has started. Returns the program's exit code; if a
// signal ended the command, the same signal ends this program.
int carry_out(const work::Load& load, const std::vector<int>& cpus);

// Does the same for the arguments that the agent gives: the load as JSON, and its processors as "0,2,3".
int carry_out(const char* load_json, const char* cpus);

// Defines the memory that a load shares with its agent. The load stores, the agent reads.
struct LoadPage {
  std::atomic<std::uint64_t> is_running{0};  // 1: it does what it is meant to do
  std::atomic<std::uint64_t> bytes{0};       // read and written so far
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

inline constexpr std::size_t kLoadPageBytes = 4096;
// A load is started with its page at this descriptor. Its standard input ends with its agent.
inline constexpr int kLoadPageFd = 3;

}  // namespace ngb::agent

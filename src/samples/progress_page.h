// SPDX-License-Identifier: Apache-2.0
// One page of memory that a worker shares with its agent, so that the agent can look without disturbing: the worker
// stores, the agent loads, neither waits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace ngb::samples {

struct ProgressPage {
  std::atomic<std::int32_t> phase{0};  // samples::Phase
  std::atomic<std::uint32_t> reserved{0};
  std::atomic<std::uint64_t> repetitions{0};            // done so far, warm-up included
  std::array<std::atomic<std::uint64_t>, 24> remark{};  // what the compiler says is under way: text, 0 bytes at its end
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// A text that does not fit is cut off. Whoever reads while it is written may see parts of both texts: it is for people.
void write_remark(ProgressPage& page, std::string_view text);
std::string read_remark(const ProgressPage& page);

inline constexpr std::size_t kProgressPageBytes = 4096;

// File descriptors that a worker finds open: the request (one frame), its result (one frame), the progress page.
inline constexpr int kRequestFd = 3;
inline constexpr int kResultFd = 4;
inline constexpr int kProgressFd = 5;

}  // namespace ngb::samples

// SPDX-License-Identifier: Apache-2.0
// Defines a page of memory that a worker shares with its agent. The agent reads the worker's progress without
// disturbing it: the worker stores, the agent loads, and neither waits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace ngb::samples {

// What the timed loop has completed so far, warm-up and looks after the timed phase included.
struct RunCount {
  std::atomic<std::uint64_t> repetitions{0};
  std::atomic<std::uint64_t> inferences{0};  // of these repetitions
};

struct ProgressPage {
  std::atomic<std::int32_t> phase{0};  // samples::Phase
  std::atomic<std::uint32_t> reserved{0};
  RunCount done{};
  std::array<std::atomic<std::uint64_t>, 24> remark{};  // the compiler's progress: text, padded with 0 bytes
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Writes and reads the remark, which is for people only. A text that does not fit is truncated. A reader may see parts
// of two texts while one is written.
void write_remark(ProgressPage& page, std::string_view text);
std::string read_remark(const ProgressPage& page);

inline constexpr std::size_t kProgressPageBytes = 4096;

// A worker is started with these file descriptors open: the request (one frame), its result (one frame), the progress
// page.
inline constexpr int kRequestFd = 3;
inline constexpr int kResultFd = 4;
inline constexpr int kProgressFd = 5;

}  // namespace ngb::samples

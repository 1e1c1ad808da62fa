// SPDX-License-Identifier: Apache-2.0
// A compiler that is played: tests say how long its inferences take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "worker/repetitions.h"

namespace ngb::worker {

inline constexpr std::int64_t kMillisecondNs = 1'000'000;

// Plays a compiler whose inference number i (from 0) takes time_of(i).
class Player final : public Repeater {
 public:
  explicit Player(std::function<std::int64_t(std::size_t)> time_of, std::size_t fails_at = SIZE_MAX)
      : time_of_(std::move(time_of)), fails_at_(fails_at) {}
  std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> /*latencies_ns*/) override {
    for (std::size_t i = 0; i < times.walls_ns.size(); ++i) {
      times.begins_ns[i] = now_ns_;
      times.walls_ns[i] = 0;
      for (std::uint32_t j = 0; j < inferences; ++j) {
        if (inference_ == fails_at_) return i;
        times.walls_ns[i] += time_of_(inference_++);
      }
      now_ns_ += times.walls_ns[i];
    }
    return times.walls_ns.size();
  }

 private:
  std::function<std::int64_t(std::size_t)> time_of_;
  std::size_t fails_at_;
  std::size_t inference_ = 0;
  std::int64_t now_ns_ = 1000;
};

}  // namespace ngb::worker

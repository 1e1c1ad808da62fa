// SPDX-License-Identifier: Apache-2.0
// The hierarchical bootstrap: processes are drawn with replacement, then repetitions within each drawn process. What
// differs between fresh processes (memory layout, thread placement) is thereby part of the interval.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ngb::metrics {

inline constexpr int kResamples = 10'000;

// wyrand (Wang Yi, public domain): 64 bits a step, passes BigCrush and PractRand; a multiplication each.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0xa0761d6478bd642fULL;
    const auto product = static_cast<Wide>(state_) * (state_ ^ 0xe7037ed1a0b428dbULL);
    return static_cast<std::uint64_t>(product >> 64U) ^ static_cast<std::uint64_t>(product);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t state_;
};

// The seed of a cell's resamples, from its id: the same in every run, whatever other cells there are.
std::uint64_t seed_of(std::string_view cell_id);

// kResamples means over resampled processes and repetitions. by_process: a list of values for each process, none
// empty. Empty when there are fewer than two processes: one process says nothing about the next.
std::vector<double> resampled_means(std::span<const std::vector<double>> by_process, std::uint64_t seed);

}  // namespace ngb::metrics

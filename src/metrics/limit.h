// SPDX-License-Identifier: Apache-2.0
// The limit of a device: what it can do at the most, and the share of it that an inference reaches.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/metric.h"

namespace ngb::metrics {

void check_rate(const Value& rate);  // that it is above 0

// How fast an array is read again and again.
struct ReadRate {
  std::int64_t array_bytes = 0;
  Value bytes_per_s{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"array_bytes", &ReadRate::array_bytes},
                 Field{"bytes_per_s", &ReadRate::bytes_per_s, check_rate});
  }
};

// The rates that `ngb calibrate --peak` measured with a number of threads. Each has its 95 % interval over rounds.
struct Peak {
  int threads = 1;
  std::string compute_device = "cpu";
  std::int64_t measured_unix_ns = 0;
  std::string compiler{};  // whose library multiplied and copied: "identity 2.9.1"
  int rounds = 0;
  std::string product{};      // the product that was fastest: "mm 2048"
  Value macs_per_s{};         // of it, in f32
  Value copy_bytes_per_s{};   // read and written, of arrays that exceed the caches
  Value triad_bytes_per_s{};  // likewise; a = b + 3 · c
  std::vector<ReadRate>
      reads{};  // the sum of an array, from small ones, which stay in caches, to one that no cache holds

  // Returns the larger one of both rates of moving bytes.
  [[nodiscard]] double bytes_per_s() const;
  // Returns the rate of the smallest array that is not smaller than so many bytes, else of the largest one; null if no
  // array was read.
  [[nodiscard]] const ReadRate* read_rate(double bytes) const;

  static constexpr auto fields(auto visit) {
    return visit(Field{"threads", &Peak::threads}, Field{"compute_device", &Peak::compute_device},
                 Field{"measured_unix_ns", &Peak::measured_unix_ns}, Field{"compiler", &Peak::compiler},
                 Field{"rounds", &Peak::rounds}, Field{"product", &Peak::product},
                 Field{"macs_per_s", &Peak::macs_per_s, check_rate},
                 Field{"copy_bytes_per_s", &Peak::copy_bytes_per_s, check_rate},
                 Field{"triad_bytes_per_s", &Peak::triad_bytes_per_s, check_rate}, Field{"reads", &Peak::reads});
  }
};

// What nodes have to do at the least.
struct LeastWork {
  std::uint64_t macs = 0;   // multiply-adds
  std::uint64_t bytes = 0;  // weights, inputs and outputs, each moved once
};

struct LimitShare {
  double ratio = 0;        // `limit_share`
  bool is_memory = false;  // moving the bytes takes longer than multiplying
};
// Returns the share of the limit. Preconditions: seconds > 0, and the peak has its rates.
LimitShare limit_share(const LeastWork& work, const Peak& peak, double seconds);

// Returns `bandwidth_share` of a cell with these metrics, or why it is not known.
Value bandwidth_share(const Value& bytes_per_token, const Value& time_per_token_s, const Known<Peak>& peak);

// Returns the peak that was measured with so many threads on this kind of processor, or why there is none.
Known<Peak> find_peak(std::span<const Peak> peaks, int threads, const std::string& compute_device);

// Returns the peak for a cell, or why it is not known.
using PeakOf = std::function<Known<Peak>(const store::CellData& cell)>;

// A number of this room that is not in the table of metrics, because the peak is not part of results.
struct LimitMetric {
  const char* name;
  const char* unit;
  const char* formula;
  const char* source;
};
std::span<const LimitMetric> limit_metrics();

}  // namespace ngb::metrics

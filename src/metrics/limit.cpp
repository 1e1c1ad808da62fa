// SPDX-License-Identifier: Apache-2.0
#include "metrics/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "work/json_fields.h"

namespace ngb::metrics {
namespace {

constexpr const char* kRoofline =
    "the roofline model: Williams, Waterman, Patterson, Communications of the ACM 52(4), 2009";
constexpr const char* kStream = "STREAM: McCalpin, 1995; bytes are counted as there";

constexpr std::array kLimitMetrics{
    LimitMetric{"macs_per_s", "1/s",
                "n³ / t of the product of two n × n matrices in f32: geometric mean over processes, of the n and the "
                "library's function for which it is largest",
                kRoofline},
    LimitMetric{"copy_bytes_per_s", "bytes/s",
                "2 · the bytes of an array / t of a = b over arrays of 256 MiB, on a GPU of 1 GiB: geometric mean over "
                "processes",
                kStream},
    LimitMetric{"triad_bytes_per_s", "bytes/s",
                "3 · the bytes of an array / t of a = b + 3 · c over such arrays: geometric mean over processes",
                kStream},
    LimitMetric{"read_bytes_per_s", "bytes/s",
                "the bytes of an array / t of its sum, for arrays of 16, 64 and 256 MiB and 1 GiB: geometric mean over "
                "processes",
                kRoofline},
    LimitMetric{"bandwidth_share", "1",
                "bytes_per_token / time_per_token_s / read_bytes_per_s of the smallest array that is not smaller than "
                "bytes_per_token, else of the largest one",
                kRoofline},
    LimitMetric{"macs", "1",
                "multiply-adds of the nodes: of a convolution its output's elements · elements of one filter, of a "
                "product m · k · n; nothing else counts",
                "src/zoo/counting.h"},
    LimitMetric{"least_bytes", "bytes",
                "weights of the nodes, tensors that come from outside of them and those that leave them, each once",
                kRoofline},
    LimitMetric{"limit_share", "1",
                "max(macs / macs_per_s, least_bytes / max(copy_bytes_per_s, triad_bytes_per_s)) / t, with t the time "
                "of a region in a profiled inference, or of a plain inference of the whole model",
                kRoofline}};

}  // namespace

void check_rate(const Value& rate) {
  if (!rate.value || *rate.value <= 0) throw work::fields::FieldError("a rate that is not above 0");
}

double Peak::bytes_per_s() const {
  return std::max(copy_bytes_per_s.value.value_or(0), triad_bytes_per_s.value.value_or(0));
}

const ReadRate* Peak::read_rate(double bytes) const {
  const auto found =
      std::ranges::find_if(reads, [&](const ReadRate& each) { return static_cast<double>(each.array_bytes) >= bytes; });
  return reads.empty() ? nullptr : found == reads.end() ? &reads.back() : &*found;
}

Value bandwidth_share(const Value& bytes_per_token, const Value& time_per_token_s, const Known<Peak>& peak) {
  for (const Value* const needed : {&bytes_per_token, &time_per_token_s}) {
    if (!needed->value) return unknown(needed->reason);
  }
  if (!peak.value) return unknown(peak.reason);
  const ReadRate* const rate = peak.value->read_rate(*bytes_per_token.value);
  if (rate == nullptr) return unknown("this peak has no rates of reading; run `ngb calibrate --peak` again");
  return {*bytes_per_token.value / *time_per_token_s.value / *rate->bytes_per_s.value};
}

LimitShare limit_share(const LeastWork& work, const Peak& peak, double seconds) {
  const double multiplying_s = static_cast<double>(work.macs) / peak.macs_per_s.value.value_or(0);
  const double moving_s = static_cast<double>(work.bytes) / peak.bytes_per_s();
  return {std::max(multiplying_s, moving_s) / seconds, moving_s > multiplying_s};
}

Known<Peak> find_peak(std::span<const Peak> peaks, int threads, const std::string& compute_device) {
  const auto found = std::find_if(peaks.begin(), peaks.end(), [&](const Peak& each) {
    return each.threads == threads && each.compute_device == compute_device;
  });
  if (found != peaks.end()) return Known<Peak>::of(*found);
  return Known<Peak>::unknown(fmt::format(
      "no peak was measured with {} thread{} on the {} in this state of the machine; run: ngb calibrate --peak "
      "--threads {}{}",
      threads, threads == 1 ? "" : "s", compute_device, threads, compute_device == "gpu" ? " --gpu" : ""));
}

std::span<const LimitMetric> limit_metrics() { return kLimitMetrics; }

}  // namespace ngb::metrics

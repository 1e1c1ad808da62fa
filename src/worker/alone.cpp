// SPDX-License-Identifier: Apache-2.0
#include "worker/alone.h"

#include <algorithm>
#include <utility>

namespace ngb::worker {

bool Alone::repeat(const std::vector<samples::Repetition>& timed, Repeater& repeater) {
  const auto count = static_cast<std::size_t>(
      std::count_if(timed.begin(), timed.end(), [](const samples::Repetition& each) { return !each.is_warm_up; }));
  if (count == 0) return true;
  const std::uint32_t inferences = timed.back().inferences;
  std::vector<std::int64_t> walls_ns(count, 0);
  std::vector<std::int64_t> begins_ns(count, 0);
  if (repeater.repeat(inferences, {walls_ns, begins_ns}, {}) < count) return false;
  const auto middle = walls_ns.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(walls_ns.begin(), middle, walls_ns.end());
  inference_s_ = static_cast<double>(*middle) / 1e9 / inferences;
  return true;
}

void forget_machine(std::vector<samples::Reading>& readings) {
  for (samples::Reading& reading : readings) {
    if (reading.moment == "timed") reading.value = Known<double>::unknown("other processes had turns meanwhile");
  }
}

void Alone::add_to(std::vector<samples::Reading>& readings) const {
  for (samples::Reading& reading : probe::readings_between(before_, probe::snapshot())) {
    if (reading.moment != "timed") continue;
    reading.moment = "alone";
    readings.push_back(std::move(reading));
  }
  if (inference_s_) readings.push_back({"alone_inference", "second", "alone", Known<double>::of(*inference_s_)});
}

}  // namespace ngb::worker

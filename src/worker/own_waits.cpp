// SPDX-License-Identifier: Apache-2.0
#include "worker/own_waits.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "samples/disturbance.h"

namespace ngb::worker {
namespace {

std::optional<double> percent_of(std::string_view quantity, const std::vector<samples::Reading>& shares) {
  const auto found = std::ranges::find(shares, quantity, &samples::Reading::quantity);
  return found == shares.end() ? std::nullopt : found->value.value;
}

}  // namespace

std::optional<double> OwnWaits::of_turn(const probe::Counters& woke, const probe::Counters& begin,
                                        const probe::Counters& end) {
  together_ = together_ ? probe::without(*together_, last_end_, woke) : woke;
  last_end_ = end;
  const std::vector<samples::Reading> shares = probe::waits_between(*together_, end);
  if (percent_of("other_cpu", shares)) {
    answer_ = samples::own_wait_percent(shares, end.cpus, max_wait_ratio_);
    together_.reset();
  }
  const std::optional<double> wait = percent_of("run_queue_wait", probe::waits_between(begin, end));
  const std::optional<double> left_ns = probe::left_ns(woke, end);
  if (!wait || !left_ns) return answer_;
  const double wait_ns = *wait / 100 * static_cast<double>(end.taken_ns - begin.taken_ns);
  return *left_ns < wait_ns / 2 ? wait : answer_;
}

}  // namespace ngb::worker

// SPDX-License-Identifier: Apache-2.0
// Says whether a configuration has kept a limit of latency under requests that arrived at random, beside what
// report/choice/choice.h predicted for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/choice/choice.h"
#include "statistics/binomial_intervals.h"

namespace ngb::report {

// Returns how many requests confirm a percentile (50, 90, 95 or 99), unless the user says otherwise. It is twice the
// number that MLPerf's rules demand if no request is late.
std::size_t usual_requests(int percentile);

enum class Held { yes, no, open };
std::string_view name(Held held);  // "held", "not held", "open"

struct Confirmation {
  std::size_t requests = 0;
  double seconds = 0;     // of the timed phase
  double late_ratio = 0;  // share of the requests that were answered after the limit
  statistics::PercentileInterval answered_s{};
  Held held = Held::open;
};

// Judges a cell that was measured under `arrivals` (work/protocol.h). It has held the limit if the upper end of the
// percentile's interval keeps it, and has not if the lower end does not. Precondition: a process of it completed, with
// latencies.
Confirmation confirmation_of(const store::CellData& served, const Demand& demand);

// Returns a few lines for people; and the row of choice_json with "confirmation": {"held", "requests", "seconds",
// "late_ratio", "answered_s", "low_s", "high_s", "results"}. `predicted` is what was confirmed.
std::string confirmation_text(const Confirmation& confirmation, const Candidate& predicted, const Demand& demand);
std::string confirmation_json(const Confirmation& confirmation, const Candidate& predicted, const std::string& results);

}  // namespace ngb::report

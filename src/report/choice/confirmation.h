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

// Returns how many requests confirm a percentile (50, 90, 95 or 99) of a server that is busy for this share of the
// time, unless the user says otherwise. It is twice the number that MLPerf's rules demand if no request is late,
// divided by (1
// - utilisation)², because requests in a queue are late together (least_design_effect); at most 1,000,000, and the
// number without a queue if requests pile up.
std::size_t usual_requests(int percentile, double utilisation_ratio);

enum class Held { yes, no, open };
std::string_view name(Held held);  // "held", "not held", "open"

struct Confirmation {
  std::size_t requests = 0;
  double seconds = 0;            // of the timed phase
  double late_ratio = 0;         // share of the requests that were answered after the limit
  double utilisation_ratio = 0;  // share of the time in which its servers were busy; at 1 and above, requests pile up
  std::size_t periods = 0;       // busy periods: runs of requests of which each but the first waited
  double independent_requests = 0;  // how many the requests are worth for the percentile
  bool do_processes_differ = false;
  statistics::PercentileInterval answered_s{};
  Held held = Held::open;
};

// Judges a cell that was measured under `arrivals` (work/protocol.h). It has held the limit if the upper end of the
// percentile's interval keeps it, and has not if the lower end does not, or if the times of its inferences show that
// requests pile up. Requests of a busy period depend on each other: the interval is that of as many independent
// requests as they are worth (statistics/dependent_values.h), at most their number times (1 - utilisation)². That is
// the time in which a queue forgets (Whitt, Planning Queueing Simulations, 1989), and guards few periods against
// looking alike by chance. Preconditions: a process of it completed, with latencies; demand.requests_per_s arrived.
Confirmation confirmation_of(const store::CellData& served, const Demand& demand);

// Returns a few lines for people; and the row of choice_json with "confirmation": {"held", "requests", "seconds",
// "late_ratio", "utilisation_ratio", "busy_periods", "independent_requests", "do_processes_differ", "answered_s",
// "low_s", "high_s", "results"}. `predicted` is what was confirmed.
std::string confirmation_text(const Confirmation& confirmation, const Candidate& predicted, const Demand& demand);
std::string confirmation_json(const Confirmation& confirmation, const Candidate& predicted, const std::string& results);

}  // namespace ngb::report

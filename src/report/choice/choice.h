// SPDX-License-Identifier: Apache-2.0
// Which measured configurations would keep a limit of latency under a load (metrics/queueing.h), cheapest first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/judging.h"
#include "metrics/service_times.h"
#include "report/results.h"

namespace ngb::report {

struct Demand {
  int percentile = 99;                            // 50, 90, 95 or 99
  double latency_s = 0;                           // within which so many percent of the requests are answered
  double requests_per_s = 0;                      // that arrive at random
  std::optional<double> bytes{};                  // of memory that an inference may have; nothing: any
  std::optional<double> disk_bytes{};             // that the model and what runs it may take; nothing: any
  std::optional<double> min_agreement{};          // of a variant with its exact model; nothing: any
  metrics::Judged by{};                           // what orders the candidates before their cost; no metric: nothing
  std::map<std::string, double> cost_per_hour{};  // of devices, in any currency; empty: processor time decides
};

enum class Fit { holds, open, fails, unknown };
std::string_view name(Fit fit);  // "holds", …

// A configuration and what is to be expected of it. Numbers that are not known are empty, and `why` says why.
struct Candidate {
  const store::CellData* cell = nullptr;
  Fit fit = Fit::unknown;
  std::optional<double> utilisation_ratio{};
  std::optional<double> answered_s{};  // the percentile
  std::optional<double> low_s{};       // with the better ends of the intervals; nothing: requests pile up at those too
  std::optional<double> high_s{};      // with the worse ends; nothing: requests pile up, or the percentile has no end
  std::optional<double> memory_bytes{};
  std::optional<double> disk_bytes{};
  std::optional<double> agreement_ratio{};  // nothing of an exact model
  std::optional<double> wanted{};           // the metric Demand::by
  std::optional<double> cpu_s_per_request{};
  std::optional<double> cost_per_hour{};
  std::string why{};  // of open, fails and unknown
};

using ServiceTimesByCell = std::map<std::string, metrics::ServiceTimes>;  // by the id of the cell

// Returns the candidates without a load beside them first, then those of each load. Within a load, candidates that hold
// come before open ones, and open ones with an expected answer before those without. Among these, the best
// by the metric that is asked for comes first, then the cheapest; at equal cost, the one that takes less processor
// time. A candidate holds if it keeps the limit at the lower end of its speed's interval and the upper end of its
// percentile's, and fails if it does not keep the limit at the other two ends. The ends have the error rate 5 % / n,
// where n candidates are expected to keep the limit: so hardly one in twenty of such tables has one that holds and does
// not keep the limit (docs/results.md). `times` has the times of the results' cells.
std::vector<Candidate> candidates(const Results& results, const Demand& demand, const ServiceTimesByCell& times);

struct ChoiceOptions {
  bool all = false;  // also those that fail, and the unknown ones
  int width = 100;
  int wrap = 0;  // lines below the table are broken at blanks to so many columns; 0: they are not
  bool color = false;
};
std::string choice_text(const std::vector<Candidate>& candidates, const Demand& demand, const ChoiceOptions& options);
// [{…attributes of the cell, "fit", "utilisation_ratio", "answered_s", "low_s", "high_s", "memory_bytes", "disk_bytes",
// "agreement_ratio", "wanted" if a metric is, "cpu_s_per_request", "cost_per_hour", "why"}]; unknown numbers are null.
std::string choice_json(const std::vector<Candidate>& candidates);

}  // namespace ngb::report

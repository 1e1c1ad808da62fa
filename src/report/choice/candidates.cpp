// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "metrics/outcome.h"
#include "metrics/queueing.h"
#include "metrics/ratios.h"
#include "report/choice/choice.h"
#include "work/load.h"

namespace ngb::report {

namespace {

constexpr double kWholePercent = 100;

// What a candidate's answer is computed from.
struct Measured {
  Candidate* candidate = nullptr;
  metrics::Number speed{};  // samples/s, of all instances together
  const metrics::ServiceTimes* times = nullptr;

  // Returns when requests are answered at this speed and with inferences of this duration; nothing if they pile up.
  [[nodiscard]] std::optional<double> answered_s(const Demand& demand, double speed_per_s, double inference_s) const {
    const work::Configuration& of = candidate->cell->of;
    const double mean_s = of.compiler.instances * of.model.key.batch / speed_per_s;
    const metrics::Service service{.batch = of.model.key.batch,
                                   .servers = of.compiler.instances,
                                   .mean_s = mean_s,
                                   .deviation_s = times->variation * mean_s};
    return metrics::answered_within_s(service, inference_s, demand.requests_per_s, demand.percentile / kWholePercent);
  }
};

// Adds what is to be expected at the measured speed. Returns nothing of a candidate that this decides or leaves open.
std::optional<Measured> add_expected(Candidate& candidate, const Results& results, const Demand& demand,
                                     const ServiceTimesByCell& times) {
  const store::CellData& cell = *candidate.cell;
  const metrics::Number speed = results.numbers.of(cell, "throughput_per_s");
  if (!speed.value) {
    candidate.why = speed.reason;
    return std::nullopt;
  }
  const auto found = times.find(cell.cell_id);
  if (found == times.end()) {
    candidate.why = "the spread of its times is unknown: it needs two repetitions";
    return std::nullopt;
  }
  candidate.utilisation_ratio = demand.requests_per_s / *speed.value;
  const metrics::Number inference = results.numbers.of(cell, fmt::format("latency_p{}_s", demand.percentile));
  const Measured measured{&candidate, speed, &found->second};
  if (!inference.value && *candidate.utilisation_ratio < 1) {
    const std::optional<double> without_inference_s = measured.answered_s(demand, *speed.value, 0);
    const bool waits_too_long = !without_inference_s || *without_inference_s > demand.latency_s;
    candidate.fit = waits_too_long ? Fit::fails : Fit::open;
    candidate.why = waits_too_long ? "too slow to answer in time" : inference.reason;
    return std::nullopt;
  }
  if (inference.value) candidate.answered_s = measured.answered_s(demand, *speed.value, *inference.value);
  if (inference.value) return measured;
  candidate.fit = Fit::fails;
  candidate.why = "too slow for so many requests";
  return std::nullopt;
}

// Returns the interval of a speed for another error rate.
statistics::Interval speed_interval(const Measured& measured, double error_rate) {
  const store::CellData& cell = *measured.candidate->cell;
  return metrics::widened(*measured.speed.value, {*measured.speed.low, *measured.speed.high}, cell.processes.size(),
                          metrics::interval_error_rate(cell), error_rate);
}

// Says why the percentile has no upper end.
std::string too_few(const Measured& measured, double q, double error_rate) {
  const statistics::Worth worth = measured.times->latencies.worth(q, error_rate);
  return fmt::format(
      "its {} latencies in {} processes{} are worth {:.0f} independent ones of the {} that p{:.0f} needs: "
      "more repetitions or processes decide it",
      measured.times->latencies.seconds.size(), measured.times->latencies.by_process.size(),
      worth.do_processes_differ ? ", which differ," : "", worth.independent,
      statistics::fewest_for_upper_end(q, error_rate), q * kWholePercent);
}

// Decides whether the candidate holds, with an interval of this error rate.
void add_interval(const Measured& measured, const Demand& demand, double error_rate) {
  Candidate& candidate = *measured.candidate;
  const double q = demand.percentile / kWholePercent;
  const statistics::PercentileInterval inference_s = measured.times->latencies.percentile_s(q, error_rate);
  const bool has_interval = measured.speed.low && measured.speed.high && *measured.speed.low > 0;
  const statistics::Interval speeds = has_interval ? speed_interval(measured, error_rate)
                                                   : statistics::Interval{*measured.speed.value, *measured.speed.value};
  candidate.low_s = measured.answered_s(demand, speeds.high, inference_s.low.value_or(0));
  if (inference_s.high) candidate.high_s = measured.answered_s(demand, speeds.low, *inference_s.high);
  candidate.fit = Fit::open;
  if (!candidate.low_s || *candidate.low_s > demand.latency_s) {
    candidate.fit = Fit::fails;
    candidate.why = candidate.low_s ? "too slow to answer in time" : "too slow for so many requests";
  } else if (!has_interval) {
    candidate.why = "its speed has no interval: it needs two processes";
  } else if (!inference_s.high) {
    candidate.why = too_few(measured, q, error_rate);
  } else if (!candidate.high_s || *candidate.high_s > demand.latency_s) {
    candidate.why =
        fmt::format("the intervals of its speed and its p{} are too wide: more rounds decide it", demand.percentile);
  } else {
    candidate.fit = Fit::holds;
  }
}

// Decides which candidates hold. Those whose expected answer keeps the limit share the error rate: the more of them
// there are, the likelier the interval of one that does not keep it misses the truth.
void add_speeds(std::vector<Candidate>& candidates, const Results& results, const Demand& demand,
                const ServiceTimesByCell& times) {
  std::vector<Measured> measured;
  for (Candidate& candidate : candidates) {
    if (const auto found = add_expected(candidate, results, demand, times)) measured.push_back(*found);
  }
  const auto keeping = std::count_if(measured.begin(), measured.end(), [&](const Measured& each) {
    return each.candidate->answered_s && *each.candidate->answered_s <= demand.latency_s;
  });
  const double error_rate = statistics::kErrorRate / static_cast<double>(std::max<std::ptrdiff_t>(keeping, 1));
  for (const Measured& each : measured) add_interval(each, demand, error_rate);
}

// A limit that a metric of the candidate is compared with, and how its words begin: "its memory".
struct Bound {
  std::optional<double> limit{};
  const char* metric = nullptr;
  const char* noun = nullptr;
  const char* why_beyond = nullptr;
  bool is_least = false;  // else the most
};

// Returns the metric's value. A candidate beyond the limit fails.
std::optional<double> value_within(Candidate& candidate, const Results& results, const Bound& bound) {
  const metrics::Number found = results.numbers.of(*candidate.cell, bound.metric);
  if (!bound.limit || candidate.fit == Fit::unknown) return found.value;
  if (!found.value) {
    candidate.fit = Fit::unknown;
    candidate.why = fmt::format("{} is unknown: {}", bound.noun, found.reason);
  } else if (bound.is_least ? *found.value < *bound.limit : *found.value > *bound.limit) {
    candidate.fit = Fit::fails;
    candidate.why = bound.why_beyond;
  }
  return found.value;
}

void add_bounds(Candidate& candidate, const Results& results, const Demand& demand) {
  candidate.memory_bytes =
      value_within(candidate, results, {demand.bytes, "timed_peak_bytes", "its memory", "it takes more memory"});
  candidate.disk_bytes =
      value_within(candidate, results, {demand.disk_bytes, "disk_size_bytes", "its size", "it takes more disk"});
  if (!candidate.cell->of.model.is_variant()) return;
  candidate.agreement_ratio = value_within(
      candidate, results,
      {demand.min_agreement, "agreement_ratio", "its agreement", "it agrees less with the exact model", true});
}

void add_cost(Candidate& candidate, const Results& results, const Demand& demand) {
  const store::CellData& cell = *candidate.cell;
  const metrics::Number cpu = results.numbers.of(cell, "cpu_per_inference_s");
  if (cpu.value) candidate.cpu_s_per_request = *cpu.value / cell.of.model.key.batch;
  const auto cost = demand.cost_per_hour.find(cell.of.device);
  if (cost != demand.cost_per_hour.end()) candidate.cost_per_hour = cost->second;
  if (demand.by.metric != nullptr) candidate.wanted = results.numbers.of(cell, demand.by.name()).value;
}

}  // namespace

std::vector<Candidate> candidates(const Results& results, const Demand& demand, const ServiceTimesByCell& times) {
  std::vector<Candidate> found;
  for (const store::CellData* cell : results.cells) found.push_back({.cell = cell});
  add_speeds(found, results, demand, times);
  for (Candidate& candidate : found) {
    add_bounds(candidate, results, demand);
    add_cost(candidate, results, demand);
  }
  const double sign = demand.by.metric != nullptr && demand.by.metric->is_higher_better() ? -1 : 1;
  std::stable_sort(found.begin(), found.end(), [sign](const Candidate& a, const Candidate& b) {
    const auto key = [sign](const Candidate& each) {
      constexpr double kUnknownCost = 1e300;
      const std::string& load = each.cell->of.load;
      return std::tuple(load != work::kNoLoad, load, each.fit, !each.answered_s,
                        each.wanted ? sign * *each.wanted : kUnknownCost, each.cost_per_hour.value_or(kUnknownCost),
                        each.cpu_s_per_request.value_or(kUnknownCost));
    };
    return key(a) < key(b);
  });
  return found;
}

}  // namespace ngb::report

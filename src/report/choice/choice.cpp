// SPDX-License-Identifier: Apache-2.0
#include "report/choice/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.h"
#include "metrics/queueing.h"
#include "report/columns.h"
#include "report/write/json.h"
#include "report/write/numbers.h"
#include "report/write/text.h"
#include "report/write/text_width.h"
#include "work/load.h"

namespace ngb::report {

namespace {

struct MetricValue {
  std::optional<double> value{};
  std::string reason{};
};

MetricValue metric_of(const Results& results, const store::CellData& cell, const std::string& name) {
  const store::DerivedValue* found = results.values.find(cell.cell_id, name);
  if (found == nullptr) return {std::nullopt, name + " is not computed"};
  return {found->value, found->reason};
}

// The answer at one speed, of all instances together: the times of inferences are stretched as the speed is lower.
std::optional<double> answered_at(const Demand& demand, const store::CellData& cell, double speed_per_s,
                                  double variation, double inference_of_mean) {
  const double mean_s = cell.of.compiler.instances * cell.of.model.key.batch / speed_per_s;
  const metrics::Service service{.batch = cell.of.model.key.batch,
                                 .servers = cell.of.compiler.instances,
                                 .mean_s = mean_s,
                                 .deviation_s = variation * mean_s};
  constexpr double kPercent = 100;
  return metrics::answered_within_s(service, inference_of_mean * service.mean_s, demand.requests_per_s,
                                    demand.percentile / kPercent);
}

void add_speed(Candidate& candidate, const Results& results, const Demand& demand) {
  const store::CellData& cell = *candidate.cell;
  const store::DerivedValue* speed = results.values.find(cell.cell_id, "throughput_per_s");
  const MetricValue inference = metric_of(results, cell, fmt::format("latency_p{}_s", demand.percentile));
  const MetricValue deviation = metric_of(results, cell, "throughput_std_per_s");
  if (speed == nullptr || !speed->value) {
    candidate.why = speed == nullptr ? "it has no result" : speed->reason;
    return;
  }
  if (!inference.value) {
    candidate.why = inference.reason;
    return;
  }
  if (!deviation.value) {
    candidate.why = "the spread of its speed is unknown: " + deviation.reason;
    return;
  }
  const double mean_s = cell.of.compiler.instances * cell.of.model.key.batch / *speed->value;
  // The speeds of instances that vary independently vary less together than each; if not, this errs to the careful
  // side.
  const double variation = *deviation.value / *speed->value * std::sqrt(cell.of.compiler.instances);
  const double of_mean = *inference.value / mean_s;
  const auto at = [&](double speed_per_s) { return answered_at(demand, cell, speed_per_s, variation, of_mean); };
  candidate.utilisation_ratio = demand.requests_per_s / *speed->value;
  candidate.answered_s = at(*speed->value);
  candidate.low_s = at(speed->high.value_or(*speed->value));
  candidate.high_s = at(speed->low.value_or(*speed->value));
  if (!candidate.low_s || *candidate.low_s > demand.latency_s) {
    candidate.fit = Fit::fails;
    candidate.why = candidate.low_s ? "too slow to answer in time" : "too slow for so many requests";
  } else if (!candidate.high_s || *candidate.high_s > demand.latency_s) {
    candidate.fit = Fit::open;
    candidate.why = "the interval of its speed is too wide: more rounds decide it";
  } else {
    candidate.fit = Fit::holds;
  }
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
  const MetricValue found = metric_of(results, *candidate.cell, bound.metric);
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
  const MetricValue cpu = metric_of(results, cell, "cpu_percent");
  const MetricValue speed = metric_of(results, cell, "throughput_per_s");
  constexpr double kPercent = 100;
  if (cpu.value && speed.value && cell.device_cpus) {
    candidate.cpu_s_per_request = *cpu.value / kPercent * *cell.device_cpus / *speed.value;
  }
  const auto cost = demand.cost_per_hour.find(cell.of.device);
  if (cost != demand.cost_per_hour.end()) candidate.cost_per_hour = cost->second;
}

// Columns that the table has only if they say something.
struct OptionalColumns {
  bool disk = false;
  bool agreement = false;
};

Row row_of_candidate(const Candidate& candidate, const OptionalColumns& optional) {
  const store::CellData& cell = *candidate.cell;
  const Style style = candidate.fit == Fit::holds  ? Style::good
                      : candidate.fit == Fit::open ? Style::notice
                                                   : Style::plain;
  constexpr double kPercent = 100;
  Entry answered = number_entry(candidate.answered_s, candidate.why);
  if (candidate.low_s) {
    answered.tail = fmt::format(" [{}, {}]", number(*candidate.low_s, "s"),
                                candidate.high_s ? number(*candidate.high_s, "s") : "∞");
  }
  Entry busy = number_entry(candidate.utilisation_ratio, candidate.why);
  if (candidate.utilisation_ratio) busy.value = kPercent * *candidate.utilisation_ratio;
  Row row;
  row.entries = {{.value = std::string(name(candidate.fit)), .style = style},
                 {.value = cell.of.model.label},
                 {.value = cell.of.device},
                 {.value = cell.of.compiler.label + " " + cell.of.compiler.version},
                 {.value = cell.of.model.key.batch},
                 {.value = cell.of.threads_there() +
                           (cell.of.compiler.instances > 1 ? fmt::format(" × {}", cell.of.compiler.instances) : "")},
                 busy,
                 answered,
                 number_entry(candidate.memory_bytes, "unknown")};
  if (optional.disk) row.entries.push_back(number_entry(candidate.disk_bytes, "unknown"));
  if (optional.agreement) row.entries.push_back(number_entry(candidate.agreement_ratio, "exact"));
  row.entries.push_back(number_entry(candidate.cpu_s_per_request, "unknown"));
  row.entries.push_back(number_entry(candidate.cost_per_hour, "unknown"));
  row.entries.push_back({.value = candidate.why});
  return row;
}

}  // namespace

std::string_view name(Fit fit) {
  constexpr std::array<std::string_view, 4> kNames{"holds", "open", "fails", "unknown"};
  return kNames.at(static_cast<std::size_t>(fit));
}

std::vector<Candidate> candidates(const Results& results, const Demand& demand) {
  std::vector<Candidate> found;
  for (const store::CellData* cell : results.cells) {
    Candidate candidate{.cell = cell};
    add_speed(candidate, results, demand);
    add_bounds(candidate, results, demand);
    add_cost(candidate, results, demand);
    found.push_back(std::move(candidate));
  }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    const auto key = [](const Candidate& each) {
      constexpr double kUnknownCost = 1e300;
      const std::string& load = each.cell->of.load;
      return std::tuple(load != work::kNoLoad, load, each.fit, each.cost_per_hour.value_or(kUnknownCost),
                        each.cpu_s_per_request.value_or(kUnknownCost));
    };
    return key(a) < key(b);
  });
  return found;
}

namespace {

// Returns lines that say why nothing holds: which reasons make configurations unknown, and how much load they carry.
std::string why_nothing_holds(const std::vector<Candidate>& candidates, const Demand& demand) {
  std::map<std::string, int> reasons;
  double lowest_ratio = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates) {
    if (candidate.fit == Fit::unknown) ++reasons[candidate.why];
    lowest_ratio = std::min(lowest_ratio, candidate.utilisation_ratio.value_or(lowest_ratio));
  }
  std::string text;
  if (lowest_ratio >= 1 && lowest_ratio < std::numeric_limits<double>::infinity()) {
    text += fmt::format("no configuration answers {} requests/s: the fastest answers {}\n",
                        number(demand.requests_per_s, "1"), number(demand.requests_per_s / lowest_ratio, "1"));
  }
  for (const auto& [reason, count] : reasons) text += fmt::format("{} unknown: {}\n", count, text::visible(reason));
  return text;
}

}  // namespace

std::string choice_text(const std::vector<Candidate>& candidates, const Demand& demand, const ChoiceOptions& options) {
  const OptionalColumns optional{
      .disk = demand.disk_bytes.has_value(),
      .agreement = std::any_of(candidates.begin(), candidates.end(),
                               [](const Candidate& each) { return each.cell->of.model.is_variant(); })};
  Table table;
  table.columns = {text_column(""),
                   text_column("model"),
                   text_column("device", 2),
                   text_column("compiler"),
                   number_column("batch"),
                   number_column("threads", 3),
                   number_column("busy %", 4, "percent"),
                   number_column(fmt::format("p{} [95 %]", demand.percentile), 0, "s"),
                   number_column("memory", 5, "bytes")};
  if (optional.disk) table.columns.push_back(number_column("disk", 0, "bytes"));
  if (optional.agreement) table.columns.push_back(number_column("agreement", 0, "ratio"));
  table.columns.push_back(number_column("CPU a request", 1, "s"));
  table.columns.push_back(number_column("cost an hour", demand.cost_per_hour.empty() ? 9 : 1, "1"));
  table.columns.push_back(text_column("why", 6));
  const bool has_instances = std::any_of(candidates.begin(), candidates.end(),
                                         [](const Candidate& each) { return each.cell->of.compiler.instances > 1; });
  const std::string title = has_instances ? "each instance serves one batch after the other, and all have one queue"
                                          : "one process serves, one batch after the other";
  std::map<Fit, int> counts;
  for (const Candidate& candidate : candidates) {
    ++counts[candidate.fit];
    const bool is_possible = candidate.fit == Fit::holds || candidate.fit == Fit::open;
    if (!is_possible && !options.all) continue;
    const std::string& load = candidate.cell->of.load;
    const std::string beside = load == work::kNoLoad ? title : fmt::format("{}, beside the load {}", title, load);
    if (table.sections.empty() || table.sections.back().title != beside) table.sections.push_back({.title = beside});
    table.sections.back().rows.push_back(row_of_candidate(candidate, optional));
  }
  std::string above;
  if (!table.sections.empty()) above = render(table, options.all ? 0 : options.width, options.color).text + "\n";
  std::string text = fmt::format("{} hold, {} open, {} fail, {} unknown: {} % of {} requests/s answered within {}\n",
                                 counts[Fit::holds], counts[Fit::open], counts[Fit::fails], counts[Fit::unknown],
                                 demand.percentile, number(demand.requests_per_s, "1"), number(demand.latency_s, "s"));
  if (counts[Fit::holds] == 0 && counts[Fit::open] == 0) text += why_nothing_holds(candidates, demand);
  return above + wrapped(text, options.wrap);
}

namespace {

using nlohmann::json;

json candidate_number(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

}  // namespace

std::string choice_json(const std::vector<Candidate>& candidates) {
  json rows = json::array();
  for (const Candidate& candidate : candidates) {
    json row = json::object();
    for (const Attribute& attribute : attributes()) row[attribute.name] = attribute.of(*candidate.cell);
    row["fit"] = name(candidate.fit);
    row["utilisation_ratio"] = candidate_number(candidate.utilisation_ratio);
    row["answered_s"] = candidate_number(candidate.answered_s);
    row["low_s"] = candidate_number(candidate.low_s);
    row["high_s"] = candidate_number(candidate.high_s);
    row["memory_bytes"] = candidate_number(candidate.memory_bytes);
    row["disk_bytes"] = candidate_number(candidate.disk_bytes);
    row["agreement_ratio"] = candidate_number(candidate.agreement_ratio);
    row["cpu_s_per_request"] = candidate_number(candidate.cpu_s_per_request);
    row["cost_per_hour"] = candidate_number(candidate.cost_per_hour);
    row["why"] = candidate.why;
    rows.push_back(std::move(row));
  }
  return json_text(rows);
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "metrics/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/percent.h"
#include "base/text.h"
#include "metrics/analysis.h"
#include "metrics/ratios.h"

namespace ngb::metrics {

namespace {

constexpr const char* kSpeed = "throughput_per_s";

Error no_verdict_by(std::string_view name) {
  const std::vector<std::string> judged = names_of_judged();
  const std::string expected = "expected one of: " + text::join(judged, ", ");
  if (find_metric(name) != nullptr) {
    return {fmt::format("no verdict can be made of {}: it relates cells to each other, or has no better side", name),
            "--metric", expected};
  }
  Error error = no_such_metric(name, judged, "--metric");
  error.next = expected;
  return error;
}

bool is_of_bytes(const Metric& metric) { return std::string_view(metric.unit).starts_with("bytes"); }

// Fills in the margin that follows the colon.
Status read_margin(Judged& judged, const Metric& metric, std::string_view margin, const std::string& option) {
  if (metric.is_judged_by_difference() && is_of_bytes(metric)) {
    const std::optional<double> bytes = parse_byte_amount(text::trim(margin));
    if (!bytes) {
      return fail(fmt::format("\"{}\" is no number of bytes", margin), option,
                  "it is judged by the difference: give the margin as 100B, 1kB, 5MB or 1GB");
    }
    judged.margin_difference = *bytes;
    return Done{};
  }
  const auto percent = parse_percent(margin, option);
  if (!percent) return error_of(percent);
  if (!text::trim(margin).ends_with('%')) {
    return fail(fmt::format("the margin \"{}\" has no unit", margin), option, fmt::format("give it as {}%", margin));
  }
  (metric.is_judged_by_difference() ? judged.margin_difference : judged.margin_ratio) = *percent / 100;
  return Done{};
}

// Returns the cell without its processes.
store::CellData without_processes(const store::CellData& cell) {
  return {.cell_id = cell.cell_id,
          .of = cell.of,
          .recipe_parameters = cell.recipe_parameters,
          .planned_processes = cell.planned_processes,
          .rounds = cell.rounds,
          .window_s = cell.window_s,
          .is_profile = cell.is_profile,
          .has_ended_rounds = cell.has_ended_rounds,
          .device_cpus = cell.device_cpus};
}

// The values of a metric so far, or why the last one is not known.
struct Collected {
  const Metric* metric = nullptr;
  std::vector<OfRound> values{};
  std::string why = "no process has completed";

  void add(const Analysis& analysis, OfRound place) {
    const Value value = metric->compute(analysis, 0);
    if (!value.value) {
      why = value.reason;
      return;
    }
    place.value = *value.value;
    values.push_back(std::move(place));
  }
  [[nodiscard]] Known<std::vector<OfRound>> known() && {
    using Values = Known<std::vector<OfRound>>;
    if (values.empty()) return Values::unknown(std::move(why));
    if (!metric->is_judged_by_difference() && !are_above_zero(values)) {
      return Values::unknown("not all of its values are above 0, so there is no ratio");
    }
    return Values::of(std::move(values));
  }
};

void add_processes(const store::CellData& cell, std::vector<Collected>& all) {
  store::CellData alone = without_processes(cell);
  for (const store::RecordedProcess& process : cell.processes) {
    alone.processes.assign(1, process);
    const Analysis analysis({&alone});
    for (Collected& each : all) {
      each.add(analysis, {process.run_key, process.process_index, 0, process.environment_hash});
    }
  }
}

void add_inputs(const store::CellData& cell, std::vector<Collected>& all) {
  store::CellData alone = without_processes(cell);
  const auto compared = std::ranges::find_if(cell.processes, [](const auto& each) { return !each.agreement.empty(); });
  const bool has_inputs = compared != cell.processes.end();
  if (!cell.processes.empty()) alone.processes.assign(1, has_inputs ? *compared : cell.processes.front());
  const Steady of_process = steady(alone);
  // An input without a finite score leaves the cell without a value.
  std::vector<bool> has_value;
  for (Collected& each : all) {
    each.add(Analysis({&alone}, {}, {&of_process}), {});
    has_value.push_back(!each.values.empty());
    each.values.clear();
  }
  if (!has_inputs) return;
  for (std::size_t input = 0; input < compared->agreement.size(); ++input) {
    alone.processes.front().agreement.assign(1, compared->agreement[input]);
    const Analysis analysis({&alone}, {}, {&of_process});
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (has_value[i]) all[i].add(analysis, {.round = static_cast<int>(input)});
    }
  }
}

}  // namespace

const char* Judged::name() const { return metric == nullptr ? kSpeed : metric->name; }

double Judged::limit() const { return is_by_difference() ? margin_difference : std::log1p(margin_ratio); }

std::string Judged::margin_in_words() const {
  if (!is_by_difference()) return fmt::format("{:g} %", 100 * margin_ratio);
  return is_of_bytes(*metric) ? text::human_bytes(static_cast<std::uint64_t>(std::llround(margin_difference)))
                              : fmt::format("{:g} %", 100 * margin_difference);
}

std::string Judged::in_text() const {
  if (is_by_difference() && is_of_bytes(*metric)) return fmt::format("{}:{:.12g}B", name(), margin_difference);
  return fmt::format("{}:{:.12g}%", name(), 100 * (is_by_difference() ? margin_difference : margin_ratio));
}

std::optional<double> parse_byte_amount(std::string_view given) {
  double number = 0;
  const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (problem != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view unit = text::trim(given.substr(static_cast<std::size_t>(end - given.data())));
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}};
  const auto* const found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  return found == kUnits.end() ? std::nullopt : std::optional(number * found->second);
}

Error no_such_metric(std::string_view name, const std::vector<std::string>& names, std::string where) {
  auto meant = text::nearest(name, names);
  const auto longer = std::ranges::find_if(names, [&](const std::string& each) { return each.starts_with(name); });
  if (!meant && longer != names.end() && !name.empty()) meant = *longer;
  return {fmt::format("there is no metric \"{}\"{}", name, meant ? fmt::format("; did you mean {}?", *meant) : ""),
          std::move(where), "docs/metrics.md lists them"};
}

std::vector<std::string> names_of_judged() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) {
    if (metric.better != Better::neither) names.emplace_back(metric.name);
  }
  return names;
}

Result<Judged> parse_judged(std::string_view given, double margin_ratio) {
  const std::size_t colon = given.find(':');
  const std::string_view name = given.substr(0, colon);
  const Metric* const metric = find_metric(name);
  if (metric == nullptr || metric->better == Better::neither) return tl::unexpected(no_verdict_by(name));
  Judged judged{name == kSpeed ? nullptr : metric, metric->better == Better::lower_exactly ? 0 : margin_ratio,
                metric->margin_difference};
  if (colon == std::string_view::npos) return judged;
  const Status read = read_margin(judged, *metric, given.substr(colon + 1), fmt::format("--metric {}", given));
  if (!read) return error_of(read);
  return judged;
}

statistics::Question question_by(const Judged& by, const std::vector<OfRound>& a, const std::vector<OfRound>& b,
                                 bool are_paired) {
  statistics::Question question;
  const double sign = by.metric == nullptr || by.metric->is_higher_better() ? 1 : -1;
  (by.is_by_difference() ? add_difference : add_log_ratio)(question, a, b, are_paired, sign);
  return question;
}

double mean_by(const Judged& by, const std::vector<OfRound>& values) {
  double sum = 0;
  for (const OfRound& each : values) sum += by.is_by_difference() ? each.value : std::log(each.value);
  const double mean = sum / static_cast<double>(values.size());
  return by.is_by_difference() ? mean : std::exp(mean);
}

std::optional<statistics::Judgement> exact_judgement(const Judged& by, const std::vector<OfRound>& a,
                                                     const std::vector<OfRound>& b) {
  using statistics::Verdict;
  const bool never_varies = by.metric != nullptr && by.metric->better == Better::lower_exactly;
  if (!never_varies && !by.is_by_difference()) return std::nullopt;
  for (const std::vector<OfRound>* const values : {&a, &b}) {
    if (!never_varies && values->size() < statistics::kLeastRounds) return std::nullopt;
    const auto is_first = [&](const OfRound& each) { return each.value == values->front().value; };
    if (!std::ranges::all_of(*values, is_first)) return std::nullopt;
  }
  const double sign = by.metric->is_higher_better() ? 1 : -1;
  const double one = a.front().value;
  const double other = b.front().value;
  statistics::Judgement made;
  made.contrast.estimate = sign * (by.is_by_difference() ? one - other : std::log(one / other));
  made.verdict = made.contrast.estimate < -by.limit()  ? Verdict::slower
                 : made.contrast.estimate > by.limit() ? Verdict::faster
                                                       : Verdict::same;
  return made;
}

ByProcess by_process(std::span<const Judged> judged, const store::CellData& cell) {
  std::vector<Collected> of_processes;
  std::vector<Collected> of_inputs;
  for (const Judged& each : judged) {
    if (each.metric != nullptr) (each.is_by_inputs() ? of_inputs : of_processes).push_back({.metric = each.metric});
  }
  if (!of_processes.empty()) add_processes(cell, of_processes);
  if (!of_inputs.empty()) add_inputs(cell, of_inputs);
  ByProcess made;
  for (std::vector<Collected>* const list : {&of_processes, &of_inputs}) {
    for (Collected& each : *list) {
      const Metric* const metric = each.metric;
      made.emplace(metric, std::move(each).known());
    }
  }
  return made;
}

}  // namespace ngb::metrics

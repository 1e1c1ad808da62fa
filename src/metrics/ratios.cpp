// SPDX-License-Identifier: Apache-2.0
#include "metrics/ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>

#include "statistics/distributions.h"

namespace ngb::metrics {
namespace {

std::vector<double> numbers_of(const std::vector<OfRound>& values) {
  std::vector<double> numbers;
  std::ranges::transform(values, std::back_inserter(numbers), &OfRound::value);
  return numbers;
}

std::vector<double> logs_of(const std::vector<OfRound>& values) {
  std::vector<double> logs = numbers_of(values);
  for (double& each : logs) each = std::log(each);
  return logs;
}

// Returns `of_both(a, b)` of each round of one run and environment that holds both, in the order of `a`.
template <class OfBoth>
std::vector<double> of_rounds(const std::vector<OfRound>& a, const std::vector<OfRound>& b, const OfBoth& of_both) {
  std::vector<double> found;
  for (const OfRound& above : a) {
    const auto below = std::find_if(b.begin(), b.end(), [&](const OfRound& each) {
      return each.run_key == above.run_key && each.round == above.round &&
             each.environment_hash == above.environment_hash;
    });
    if (below != b.end()) found.push_back(of_both(above.value, below->value));
  }
  return found;
}

// A cell that another is related to, with the name that messages use for it.
struct Relative {
  std::optional<std::size_t> cell;
  std::string role;      // "PyTorch eager (identity)"
  std::string why_none;  // "" if the role says it
};

// Returns why the ratio of these cells' speeds is unknown, or "" if it is known. The first one is the cell itself.
std::string why_unknown(const Analysis& analysis, std::initializer_list<Relative> relatives) {
  bool is_first = true;
  for (const Relative& relative : relatives) {
    if (!relative.cell) {
      return relative.why_none.empty() ? fmt::format("{} was not measured here", relative.role) : relative.why_none;
    }
    const Steady& steady = analysis.steady(*relative.cell);
    const std::string& why = steady.reason.empty() ? steady.no_verdict : steady.reason;
    if (!why.empty()) return is_first ? why : fmt::format("{}: {}", relative.role, why);
    is_first = false;
  }
  return {};
}

Relative baseline_of(const Analysis& analysis, std::size_t cell) {
  return {analysis.baseline_of(cell), analysis.baseline().role(), analysis.why_no_baseline(cell)};
}

void add_ratio_of_cells(std::vector<statistics::Part>& parts, const Analysis& analysis, std::size_t a, std::size_t b,
                        double weight) {
  add_speed_ratio(parts, analysis.steady(a), analysis.steady(b), share_rounds(analysis.cell(a), analysis.cell(b)),
                  weight);
}

// Returns the cell's speed over that of `other`, divided by `divisor`.
Value speed_ratio(const Analysis& analysis, std::size_t cell, const Relative& other, double divisor = 1) {
  std::string reason = why_unknown(analysis, {{cell, "", ""}, other});
  if (!reason.empty()) return unknown(std::move(reason));
  std::vector<statistics::Part> parts;
  add_ratio_of_cells(parts, analysis, cell, *other.cell, 1);
  return ratio_of(statistics::contrast(parts, analysis.error_rate()), divisor);
}

}  // namespace

bool share_rounds(const store::CellData& a, const store::CellData& b) {
  return a.of.device == b.of.device && a.of.model.key == b.of.model.key;
}

std::vector<double> log_ratios_of_rounds(const std::vector<OfRound>& a, const std::vector<OfRound>& b) {
  return of_rounds(a, b, [](double above, double below) { return std::log(above / below); });
}

void add_log_ratio(std::vector<statistics::Part>& parts, const std::vector<OfRound>& a, const std::vector<OfRound>& b,
                   bool are_paired, double weight) {
  std::vector<double> paired = are_paired ? log_ratios_of_rounds(a, b) : std::vector<double>{};
  if (paired.size() >= 2) {
    parts.push_back({std::move(paired), weight});
    return;
  }
  parts.push_back({logs_of(a), weight});
  parts.push_back({logs_of(b), -weight});
}

void add_difference(std::vector<statistics::Part>& parts, const std::vector<OfRound>& a, const std::vector<OfRound>& b,
                    bool are_paired, double weight) {
  std::vector<double> paired = are_paired ? of_rounds(a, b, std::minus<>()) : std::vector<double>{};
  if (paired.size() >= 2) {
    parts.push_back({std::move(paired), weight});
    return;
  }
  parts.push_back({numbers_of(a), weight});
  parts.push_back({numbers_of(b), -weight});
}

void add_speed_ratio(std::vector<statistics::Part>& parts, const Steady& a, const Steady& b, bool are_paired,
                     double weight) {
  const LikeSpeeds speeds = like_speeds(a, b);
  add_log_ratio(parts, speeds.a, speeds.b, are_paired, weight);
}

Value ratio_of(const statistics::Contrast& contrast, double divisor) {
  Value value{std::exp(contrast.estimate) / divisor};
  if (contrast.interval) {
    value.low = std::exp(contrast.interval->low) / divisor;
    value.high = std::exp(contrast.interval->high) / divisor;
  }
  return value;
}

Value scaled(Value value, double factor) {
  for (std::optional<double>* const each : {&value.value, &value.low, &value.high}) {
    if (*each) **each *= factor;
  }
  if (factor < 0) std::swap(value.low, value.high);
  return value;
}

bool are_above_zero(const std::vector<OfRound>& values) {
  return std::all_of(values.begin(), values.end(), [](const OfRound& each) { return each.value > 0; });
}

Value geometric_mean(const std::vector<OfRound>& values, double error_rate) {
  return ratio_of(statistics::contrast(std::vector<statistics::Part>{{logs_of(values)}}, error_rate));
}

// On the scale of logarithms, half the width is Student's t of the processes times a standard error.
statistics::Interval widened(double mean, const statistics::Interval& ends, std::size_t processes, double given,
                             double wanted) {
  const auto degrees = static_cast<double>(std::max<std::size_t>(processes, 2) - 1);
  const auto t = [degrees](double rate) { return statistics::students_t_quantile(degrees, 1 - rate / 2).value_or(1); };
  const double factor = std::max(t(wanted) / t(given), 1.0);
  return {mean * std::pow(ends.low / mean, factor), mean * std::pow(ends.high / mean, factor)};
}

Value speed_up(const Analysis& analysis, std::size_t cell) {
  return speed_ratio(analysis, cell, baseline_of(analysis, cell));
}

Value rtr(const Analysis& analysis, std::size_t cell) {
  return speed_ratio(analysis, cell, {analysis.single_of(cell), "batch 1", ""});
}

Value ase(const Analysis& analysis, std::size_t cell) {
  return speed_ratio(analysis, cell, {analysis.single_of(cell), "batch 1", ""}, analysis.cell(cell).of.model.key.batch);
}

// Computed as the speed-up at this batch size over the speed-up at batch 1, which equals ASE_c / ASE_baseline and pairs
// the two compilers within the rounds of each group.
Value bsr(const Analysis& analysis, std::size_t cell) {
  const std::optional<std::size_t> single = analysis.single_of(cell);
  const Relative baseline = baseline_of(analysis, cell);
  const std::optional<std::size_t> baseline_single = baseline.cell ? analysis.single_of(*baseline.cell) : std::nullopt;
  std::string reason = why_unknown(
      analysis,
      {{cell, "", ""}, {single, "batch 1", ""}, baseline, {baseline_single, baseline.role + " at batch 1", ""}});
  if (!reason.empty()) return unknown(std::move(reason));
  if (*single == cell) return {1, 1, 1};
  std::vector<statistics::Part> parts;
  add_ratio_of_cells(parts, analysis, cell, *baseline.cell, 1);
  add_ratio_of_cells(parts, analysis, *single, *baseline_single, -1);
  return ratio_of(statistics::contrast(parts, analysis.error_rate()));
}

Value load_retention(const Analysis& analysis, std::size_t cell) {
  const bool has_speed = analysis.steady(cell).reason.empty();
  if (has_speed && analysis.cell(cell).of.load == work::kNoLoad) return unknown("measured without a load");
  return speed_ratio(analysis, cell, {analysis.without_load(cell), "the cell without a load", ""});
}

Value speed_up_over_exact(const Analysis& analysis, std::size_t cell) {
  const bool has_speed = analysis.steady(cell).reason.empty();
  if (has_speed && !analysis.cell(cell).of.model.is_variant()) return unknown("an exact model");
  return speed_ratio(analysis, cell, {analysis.exact_of(cell), "the exact model with the same compiler", ""});
}

Value instances_gain(const Analysis& analysis, std::size_t cell) {
  const bool has_speed = analysis.steady(cell).reason.empty();
  if (has_speed && analysis.cell(cell).of.compiler.instances == 1) return unknown("measured with one instance");
  return speed_ratio(analysis, cell, {analysis.one_instance_of(cell), "the cell with one instance", ""});
}

Value leaving_python(const Analysis& analysis, std::size_t cell) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  const Relative identity{analysis.identity_of(cell), Baseline().role(), ""};
  const std::optional<std::size_t> direct = analysis.without_python_of(cell);
  if (!direct) return unknown(fmt::format("{} was not measured here", kWithoutPython));
  if (const std::string& reason = analysis.steady(*direct).reason; !reason.empty()) {
    return unknown(fmt::format("{}: {}", kWithoutPython, reason));
  }
  return speed_ratio(analysis, *direct, identity);
}

Value optimising_the_graph(const Analysis& analysis, std::size_t cell) {
  return speed_ratio(analysis, cell, {analysis.without_python_of(cell), kWithoutPython, ""});
}

Value margin(const Analysis& analysis, std::size_t cell) {
  return speed_ratio(analysis, cell, {analysis.best_other_of(cell), "another setting of this compiler", ""});
}

Value cpu_reduction(const Analysis& analysis, std::size_t cell) {
  const Relative baseline = baseline_of(analysis, cell);
  const auto& own = analysis.busy_cpus(cell);
  if (!own.value) return unknown(own.reason);
  if (!baseline.cell) return unknown(baseline.why_none);
  const auto& other = analysis.busy_cpus(*baseline.cell);
  if (!other.value) return unknown(baseline.role + ": " + other.reason);
  constexpr const char* kTooLittle = "used less processor time than the clock resolves";
  if (!are_above_zero(*own.value)) return unknown(fmt::format("a process {}", kTooLittle));
  if (!are_above_zero(*other.value)) return unknown(fmt::format("{} {}", baseline.role, kTooLittle));
  std::vector<statistics::Part> parts;
  add_log_ratio(parts, *own.value, *other.value, share_rounds(analysis.cell(cell), analysis.cell(*baseline.cell)), 1);
  const Value share = ratio_of(statistics::contrast(parts, analysis.error_rate()));
  Value reduction{1 - *share.value};
  if (share.high) reduction.low = 1 - *share.high;
  if (share.low) reduction.high = 1 - *share.low;
  return reduction;
}

}  // namespace ngb::metrics

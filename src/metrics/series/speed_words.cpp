// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/speed_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "metrics/metric.h"
#include "metrics/series/relation.h"

namespace ngb::metrics::series {
namespace {

constexpr double kFirstAsTimes = 1.1;  // smaller ratios are said in percent

std::string span_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string low = three_digits(*least);
  const std::string high = three_digits(*most);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

// Returns "0.5 %" of 1.005.
std::string percent_above_one(double ratio) { return fmt::format("{:.2g} %", 100 * (ratio - 1)); }

std::string gain_in_words(const std::vector<Value>& ratios, const std::string& other) {
  const double margin = VerdictRules().margin_ratio;
  const auto is_within = [&](const Value& ratio) { return *ratio.low > 1 / (1 + margin) && *ratio.high < 1 + margin; };
  if (std::all_of(ratios.begin(), ratios.end(), is_within)) {
    std::string words = fmt::format("the same as {} within {:g} %", other, 100 * margin);
    return ratios.size() > 1 ? words : words + fmt::format(" ({} faster)", percent_above_one(*ratios.front().value));
  }
  const auto by_low = [](const Value& a, const Value& b) { return *a.low < *b.low; };
  const double low = *std::min_element(ratios.begin(), ratios.end(), by_low)->low;
  return low < kFirstAsTimes ? fmt::format("at least {} faster than {}", percent_above_one(low), other)
                             : fmt::format("at least {} times as fast as {}", three_digits(low), other);
}

}  // namespace

std::string three_digits(double value) {
  const double digits = value > 0 ? std::floor(std::log10(value)) : 0;
  return fmt::format("{:.{}f}", value, std::clamp(2 - static_cast<int>(digits), 0, 12));
}

std::optional<double> seconds_of_inference(const Analysis& analysis, std::size_t cell) {
  const work::Configuration& of = analysis.cell(cell).of;
  const std::optional<double> speed = find_metric("throughput_per_s")->compute(analysis, cell).value;
  if (of.compiler.instances != 1 || of.compiler.in_flight != 1 || !speed) return std::nullopt;
  return of.model.key.batch / *speed;
}

std::string absolute_speeds(const Analysis& analysis, const std::vector<std::size_t>& cells) {
  std::vector<double> times_ms;
  std::vector<double> speeds;
  for (const std::size_t i : cells) {
    speeds.push_back(find_metric("throughput_per_s")->compute(analysis, i).value.value_or(0));
    if (const auto seconds = seconds_of_inference(analysis, i)) times_ms.push_back(1e3 * *seconds);
  }
  const std::string times = times_ms.size() == cells.size() ? span_of(times_ms) + " ms an inference, " : "";
  return times + span_of(speeds) + " samples/s";
}

std::string gain(const Analysis& analysis, const std::vector<CellPair>& pairs, const std::string& other) {
  std::vector<Value> ratios;
  std::set<std::string> doubts;
  for (const auto& [cell, below] : pairs) {
    const Relation relation = log_ratio(analysis, cell, below);
    std::string doubt = has_enough_processes(relation) ? "" : "fewer than 3 processes";
    for (const std::size_t each : {cell, below}) {
      if (doubt.empty() && !analysis.steady(each).doubt.empty()) doubt = "flag " + analysis.steady(each).doubt;
    }
    if (!doubt.empty()) {
      doubts.insert(std::move(doubt));
      continue;
    }
    ratios.push_back(ratio_value(analysis, relation));
    if (!ratios.back().low || *ratios.back().low <= 1) return {};
  }
  const std::string why = text::join(std::vector<std::string>(doubts.begin(), doubts.end()), ", ");
  if (ratios.empty()) return pairs.empty() ? "" : fmt::format("by how much is not told ({})", why);
  const std::string words = gain_in_words(ratios, other);
  return ratios.size() == pairs.size() ? words : fmt::format("{} on {} of them (else {})", words, ratios.size(), why);
}

namespace {

// Returns a value for people: "83.2 MB", "1.10 kB/inference", "12.5 ms".
std::string value_in_words(double value, std::string_view unit) {
  constexpr std::string_view kBytes = "bytes";
  if (unit.starts_with(kBytes)) {
    const std::string sign = value < 0 ? "-" : "";
    const auto bytes = static_cast<std::uint64_t>(std::llround(std::abs(value)));
    return sign + text::human_bytes(bytes) + std::string(unit.substr(kBytes.size()));
  }
  if (unit == "s" && value < 1) return three_digits(1e3 * value) + " ms";
  return fmt::format("{} {}", three_digits(value), unit);
}

}  // namespace

std::string absolute_values(const Analysis& analysis, const std::vector<std::size_t>& cells, const Judged& by) {
  std::vector<double> values;
  for (const std::size_t cell : cells) values.push_back(mean_by(by, *analysis.steady(cell).judged->value));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string low = value_in_words(*least, by.metric->unit);
  const std::string high = value_in_words(*most, by.metric->unit);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string gain_by(const Analysis& analysis, const std::vector<CellPair>& pairs, const std::string& other,
                    const Judged& by) {
  std::optional<double> least;
  for (const auto& [cell, below] : pairs) {
    const auto exact = exact_judgement(by, *analysis.steady(cell).judged->value, *analysis.steady(below).judged->value);
    const statistics::Contrast told =
        exact ? exact->contrast
              : statistics::contrast(contrast_by(by, analysis, cell, below).parts, analysis.error_rate());
    if (!exact && !told.interval) return {};
    const double low = exact ? told.estimate : told.interval->low;
    if (low <= 0) return {};
    least = std::min(least.value_or(low), low);
  }
  if (!least) return {};
  const bool is_higher_better = by.metric->is_higher_better();
  const std::string amount =
      by.is_by_difference()
          ? value_in_words(*least, by.metric->unit)
          : fmt::format("{:.2g} %", 100 * (is_higher_better ? std::expm1(*least) : -std::expm1(-*least)));
  return fmt::format("at least {} {} than {}", amount, is_higher_better ? "more" : "less", other);
}

}  // namespace ngb::metrics::series

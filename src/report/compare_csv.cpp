// SPDX-License-Identifier: Apache-2.0
// Writes CSV as in RFC 4180: a line of column names, then a line for each pair. Numbers are unrounded. An unknown value
// is an empty field.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/columns.h"
#include "report/compare_formats.h"
#include "report/csv_text.h"
#include "report/outcomes.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;
using nlohmann::json;

template <class T>
json or_empty(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

bool has_ratio(const ComparedPair& pair) { return pair.status == metrics::PairStatus::judged; }

json end_of_interval(const ComparedPair& pair, double statistics::Interval::* end) {
  if (!has_ratio(pair) || !pair.judgement.contrast.interval) return {};
  return std::exp((*pair.judgement.contrast.interval).*end);
}

struct PairColumn {
  const char* name;
  json (*of)(const Compared& compared, const ComparedPair& pair);
};

using Whole = const Compared&;
using Pair = const ComparedPair&;

constexpr std::array kColumnsOfPair{
    PairColumn{"outcome", [](Whole, Pair pair) { return json(std::string(word_of(outcome_of(pair)))); }},
    PairColumn{"status", [](Whole, Pair pair) { return json(std::string(name(pair.status))); }},
    PairColumn{
        "verdict",
        [](Whole, Pair pair) { return has_ratio(pair) ? json(std::string(name(pair.judgement.verdict))) : json(); }},
    PairColumn{"model", [](Whole, Pair pair) { return json(pair.candidate->of.model.label); }},
    PairColumn{"batch", [](Whole, Pair pair) { return json(pair.candidate->of.model.key.batch); }},
};

// The columns of either side are in between: side_columns.
constexpr std::array kColumnsOfRatio{
    PairColumn{
        "ratio",
        [](Whole, Pair pair) { return has_ratio(pair) ? json(std::exp(pair.judgement.contrast.estimate)) : json(); }},
    PairColumn{"ratio_low", [](Whole, Pair pair) { return end_of_interval(pair, &statistics::Interval::low); }},
    PairColumn{"ratio_high", [](Whole, Pair pair) { return end_of_interval(pair, &statistics::Interval::high); }},
    PairColumn{"adjusted_p", [](Whole, Pair pair) { return or_empty(pair.judgement.adjusted_p); }},
    PairColumn{"baseline_throughput_geometric_mean_per_s",
               [](Whole, Pair pair) { return or_empty(pair.baseline_per_s); }},
    PairColumn{"candidate_throughput_geometric_mean_per_s",
               [](Whole, Pair pair) { return or_empty(pair.candidate_per_s); }},
    PairColumn{"is_paired", [](Whole, Pair pair) { return has_ratio(pair) ? json(pair.is_paired) : json(); }},
    PairColumn{"is_same_build", [](Whole, Pair pair) { return has_ratio(pair) ? json(pair.is_same_build) : json(); }},
    PairColumn{"is_regression",
               [](Whole compared, Pair pair) {
                 return compared.gate ? json(is_regression(pair, compared.gate->rules)) : json();
               }},
    PairColumn{"more_rounds",
               [](Whole, Pair pair) { return pair.more_rounds ? json(pair.more_rounds->count) : json(); }},
    PairColumn{"more_rounds_s",
               [](Whole, Pair pair) { return pair.more_rounds ? or_empty(pair.more_rounds->seconds) : json(); }},
    PairColumn{"reason", [](Whole compared, Pair pair) { return json(why(compared, pair)); }},
};

// Returns the names of the columns of one side, or the fields of its cell.
std::string side_columns(const std::string& side) {
  std::string line = side + "_cell_id,";
  for (const work::Property* each : side_properties()) line += fmt::format("{}_{},", side, each->name);
  return line;
}
std::string side_fields(const store::CellData& cell) {
  std::string line = csv_field(cell.cell_id) + ',';
  for (const work::Property* each : side_properties()) line += csv_field(work::value_of(*each, cell.of)) + ',';
  return line;
}

template <class Field>
std::string line_of(const Field& field, const std::string& sides) {
  std::string line;
  for (const PairColumn& column : kColumnsOfPair) line += field(column) + ',';
  line += sides;
  for (const PairColumn& column : kColumnsOfRatio) line += field(column) + ',';
  line.back() = '\r';
  return line + '\n';
}

}  // namespace

std::string compare_csv(const Compared& compared, const CompareOptions& /*options*/) {
  std::string text = line_of([](const PairColumn& column) { return std::string(column.name); },
                             side_columns("baseline") + side_columns("candidate"));
  for (const ComparedPair* pair : worst_first(*compared.comparison)) {
    text += line_of([&](const PairColumn& column) { return csv_field(column.of(compared, *pair)); },
                    side_fields(*pair->baseline) + side_fields(*pair->candidate));
  }
  return text;
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "report/compare/compare.h"

#include <fmt/format.h>

#include <functional>

#include "base/text.h"
#include "metrics/metric.h"
#include "report/columns.h"
#include "report/compare/outcomes.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;
using nlohmann::json;
using Whole = const Compared&;
using Pair = const ComparedPair&;

template <class T>
Entry known(const std::optional<T>& value) {
  return value ? Entry{*value} : Entry{};
}

bool has_ratio(Pair pair) { return pair.status == metrics::PairStatus::judged; }

Entry ratio_entry(Pair pair) {
  return has_ratio(pair) && !pair.by.is_by_difference() ? contrast_of(pair.judgement.contrast, pair.by)
                                                        : Entry{.reason = "no ratio"};
}

Entry difference_entry(Pair pair) {
  return has_ratio(pair) && pair.by.is_by_difference() ? contrast_of(pair.judgement.contrast, pair.by)
                                                       : Entry{.reason = "no difference"};
}

// Returns the ratio or the difference for people.
Entry told_entry(Pair pair) {
  return has_ratio(pair) && pair.by.is_by_difference() ? shown_contrast(pair.judgement.contrast, pair.by)
                                                       : ratio_entry(pair);
}

Style style_of(Outcome outcome) {
  if (is_bad(outcome)) return Style::bad;
  if (outcome == Outcome::faster || outcome == Outcome::better || outcome == Outcome::measured_now) return Style::good;
  return outcome == Outcome::undecided ? Style::notice : Style::plain;
}

Entry outcome_entry(Pair pair) {
  const Outcome outcome = outcome_of(pair);
  return {.value = std::string(word_of(outcome)), .style = style_of(outcome)};
}

using PairColumns = MadeColumns<Compared, ComparedPair>;

// Adds the columns that describe the cell of one side.
void add_side(PairColumns& columns, const std::string& side, const store::CellData* ComparedPair::* cell) {
  const auto add = [&](const std::string& name, std::function<json(const store::CellData&)> of) {
    columns.add({.csv = side + '_' + name, .json = side + '.' + name},
                [cell, of = std::move(of)](Whole, Pair pair) { return Entry{of(*(pair.*cell))}; });
  };
  add("cell_id", [](const store::CellData& of) { return json(of.cell_id); });
  for (const work::Property* each : side_properties()) {
    add(each->name, [each](const store::CellData& of) { return work::value_of(*each, of.of); });
  }
}

// Adds all flags of one side: with their values in JSON, as words in CSV.
void add_flags(PairColumns& columns, const std::string& side,
               std::shared_ptr<const metrics::Measured> ComparedPair::* of_side) {
  columns.add({.json = side + ".flags"}, [of_side](Whole, Pair pair) {
    json values = json::object();
    for (const metrics::RaisedFlag& each : (pair.*of_side)->flags) values[each.flag->name] = each.value;
    return Entry{std::move(values)};
  });
  columns.add({.csv = side + "_flags"}, [of_side](Whole, Pair pair) {
    std::vector<std::string> names;
    for (const metrics::RaisedFlag& each : (pair.*of_side)->flags) names.emplace_back(each.flag->name);
    return Entry{text::join(names, " ")};
  });
}

// Adds the speed of one side, or its value of another metric.
void add_value_columns(PairColumns& columns, const std::string& side, std::optional<double> ComparedPair::* value) {
  const std::string speed = "throughput_geometric_mean_per_s";
  const auto of_speed = [value](Pair pair) { return pair.by.metric == nullptr ? pair.*value : std::nullopt; };
  columns.add({.csv = side + '_' + speed, .json = side + '.' + speed},
              [of_speed](Whole, Pair pair) { return number_entry(of_speed(pair), "no speed"); });
  columns.add({.csv = side + "_value", .json = side + ".value"},
              [value](Whole, Pair pair) { return number_entry(pair.*value, "no value"); });
  columns.add(number_column(side, 2, "samples/s"), [value](Whole, Pair pair) {
    if (pair.by.metric == nullptr || !(pair.*value)) return number_entry(pair.*value, "no speed");
    return Entry{number(*(pair.*value), pair.by.metric->unit)};
  });
}

PairColumns make_pair_columns() {
  PairColumns columns;
  columns.add(text_column("cell"), [](Whole, Pair pair) { return Entry{name_of(pair)}; });
  columns.add(named("outcome", text_column("verdict")), [](Whole, Pair pair) { return outcome_entry(pair); });
  columns.add(data_column("status"), [](Whole, Pair pair) { return Entry{std::string(name(pair.status))}; });
  columns.add(data_column("verdict"), [](Whole, Pair pair) {
    if (!has_ratio(pair)) return Entry{};
    const bool is_of_speed = pair.by.metric == nullptr || pair.is_same_build;
    return Entry{std::string(is_of_speed ? name(pair.judgement.verdict) : word_of(outcome_of(pair)))};
  });
  columns.add(data_column("model"), [](Whole, Pair pair) { return Entry{pair.candidate->of.model.label}; });
  columns.add(data_column("batch"), [](Whole, Pair pair) { return Entry{pair.candidate->of.model.key.batch}; });
  add_side(columns, "baseline", &ComparedPair::baseline);
  add_side(columns, "candidate", &ComparedPair::candidate);
  add_flags(columns, "baseline", &ComparedPair::of_baseline);
  add_flags(columns, "candidate", &ComparedPair::of_candidate);
  columns.add(ratio_column(), [](Whole, Pair pair) { return told_entry(pair); });
  columns.add(contrast_column("ratio"), [](Whole, Pair pair) { return ratio_entry(pair); });
  columns.add(contrast_column("difference"), [](Whole, Pair pair) { return difference_entry(pair); });
  columns.add(data_column("adjusted_p"), [](Whole, Pair pair) { return known(pair.judgement.adjusted_p); });
  columns.add(data_column("metric"), [](Whole, Pair pair) { return Entry{pair.by.name()}; });
  add_value_columns(columns, "baseline", &ComparedPair::baseline_value);
  add_value_columns(columns, "candidate", &ComparedPair::candidate_value);
  columns.add(data_column("is_paired"),
              [](Whole, Pair pair) { return has_ratio(pair) ? Entry{pair.is_paired} : Entry{}; });
  columns.add(data_column("is_same_build"),
              [](Whole, Pair pair) { return has_ratio(pair) ? Entry{pair.is_same_build} : Entry{}; });
  columns.add(data_column("is_regression"), [](Whole compared, Pair pair) {
    return compared.gate ? Entry{is_regression(pair, compared.gate->rules)} : Entry{};
  });
  columns.add({.json = "rounds_needed"}, [](Whole, Pair pair) { return known(pair.judgement.rounds_needed); });
  columns.add({.csv = "more_rounds", .json = "more_rounds.count"},
              [](Whole, Pair pair) { return pair.more_rounds ? Entry{pair.more_rounds->count} : Entry{}; });
  columns.add({.json = "more_rounds.is_minimum"},
              [](Whole, Pair pair) { return pair.more_rounds ? Entry{pair.more_rounds->is_minimum} : Entry{}; });
  columns.add({.csv = "more_rounds_s", .json = "more_rounds.seconds"},
              [](Whole, Pair pair) { return pair.more_rounds ? known(pair.more_rounds->seconds) : Entry{}; });
  columns.add(named("reason", text_column("why", 3)),
              [](Whole compared, Pair pair) { return Entry{why(compared, pair)}; });
  return columns;
}

const PairColumns& pair_columns() {
  static const PairColumns kColumns = make_pair_columns();
  return kColumns;
}

Row row_of_pair(Whole compared, Pair pair, bool lists_all) {
  Row row = pair_columns().row(compared, pair);
  const Outcome outcome = outcome_of(pair);
  row.counted_as = word_of(outcome);
  row.is_folded = !lists_all && (outcome == Outcome::same || outcome == Outcome::same_build);
  if (!has_ratio(pair)) {
    row.rest = Entry{.value = fmt::format("{}  {}", word_of(outcome), why(compared, pair)), .style = style_of(outcome)};
  }
  return row;
}

json noise_json(Whole compared) {
  json noise = json::array();
  for (const metrics::NoiseFloor& each : compared.noise) {
    noise.push_back({{"device", each.device},
                     {"compute_device", each.compute_device.empty() ? json(nullptr) : json(each.compute_device)},
                     {"pairs", each.pairs},
                     {"median_difference_ratio", each.median_difference},
                     {"largest_difference_ratio", each.largest_difference}});
  }
  return noise;
}

json gate_json(Whole compared) {
  if (!compared.gate) return nullptr;
  const metrics::Gate& gate = *compared.gate;
  return {{"outcome", std::string(name(gate.outcome))},
          {"slower_ratio", gate.rules.slower_ratio},
          {"fails_if_undecided", gate.rules.fails_if_undecided},
          {"slower", gate.slower},
          {"worse", gate.worse},
          {"tolerated", gate.tolerated},
          {"newly_failed", gate.newly_failed},
          {"newly_inaccurate", gate.newly_inaccurate},
          {"agreement_fell", gate.agreement_fell},
          {"undecided", gate.undecided},
          {"self_test", compared.self_test
                            ? json{{"slowed", compared.self_test->slowed}, {"found", compared.self_test->found}}
                            : json(nullptr)}};
}

json metrics_json(const metrics::Comparison& comparison) {
  json listed = json::array();
  for (const metrics::Judged& each : comparison.judged) {
    listed.push_back({{"name", each.name()},
                      {"margin_ratio", each.is_by_difference() ? json(nullptr) : json(each.margin_ratio)},
                      {"margin_difference", each.is_by_difference() ? json(each.margin_difference) : json(nullptr)}});
  }
  return listed;
}

json whole_json(Whole compared) {
  const metrics::Comparison& comparison = *compared.comparison;
  const statistics::VerdictRules& rules = comparison.rules;
  return {{"summary", compare_summary(comparison)},
          {"axis", std::string(name(compared.axis))},
          {"rules",
           {{"error_rate", rules.error_rate},
            {"margin_ratio", rules.margin_ratio},
            {"quiet_deviation", known(rules.quiet_deviation).value},
            {"adjustment", rules.adjustment == statistics::Adjustment::holm ? "holm" : "benjamini_hochberg"}}},
          {"metrics", metrics_json(comparison)},
          {"noise", noise_json(compared)},
          {"gate", gate_json(compared)},
          {"baseline_only", comparison.baseline_only},
          {"candidate_only", comparison.candidate_only}};
}

std::string annotation_words(Whole compared, Pair pair) {
  std::string words = fmt::format("{}: {}", name_of(pair), word_of(outcome_of(pair)));
  if (has_ratio(pair)) {
    const Shown ratio = shown_entry(told_entry(pair), "ratio");
    words += fmt::format(", {}{}", ratio.main, ratio.tail);
  }
  const std::string reason = why(compared, pair);
  return reason.empty() ? words : fmt::format("{} ({})", words, reason);
}

std::vector<std::string> annotations_of(Whole compared, const std::vector<std::string>& remarks) {
  std::vector<std::string> annotations;
  for (const ComparedPair* pair : worst_first(*compared.comparison)) {
    const bool is_told = compared.gate ? is_regression(*pair, compared.gate->rules) : is_bad(outcome_of(*pair));
    if (is_told) annotations.push_back(annotation_words(compared, *pair));
  }
  const bool is_undecided = compared.gate && compared.gate->outcome == metrics::GateOutcome::undecided;
  if (is_undecided) annotations.push_back(remarks.front());
  return annotations;
}

}  // namespace

const FormatNames& compare_formats() {
  static const FormatNames kNames{"text", "json", "csv", "markdown", "github", "badge"};
  return kNames;
}

Document compare_document(const Compared& compared, bool all) {
  constexpr std::size_t kManyPairs = 40;
  const metrics::Comparison& comparison = *compared.comparison;
  Document document{
      .summary = compare_summary(comparison),
      .table = {.columns = pair_columns().columns(), .row_word = "pair", .may_stack = true, .listed_if_cut = "why"},
      .remarks = remarks(compared),
      .json_rows = "pairs",
      .extra = whole_json(compared),
      .command = compared.gate ? "ngb gate" : "ngb compare",
      .are_errors = compared.gate && (compared.gate->outcome != metrics::GateOutcome::undecided ||
                                      compared.gate->rules.fails_if_undecided)};
  document.annotations = annotations_of(compared, document.remarks);
  Section section{.title = fmt::format("candidate over baseline, compared by {}", name(compared.axis))};
  const bool lists_all = all || comparison.pairs.size() <= kManyPairs;
  section.made_rows = [&compared, pairs = worst_first(comparison), lists_all](const UseRow& use) {
    for (const ComparedPair* pair : pairs) use(row_of_pair(compared, *pair, lists_all));
  };
  document.table.sections.push_back(std::move(section));
  return document;
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
// Writes {"summary", "axis", "rules": {…}, "pairs": [{…, "outcome", "status", "verdict", "ratio": {"value", "low",
// "high"}, …}], "noise": [{…}], "gate": {…} or null, "baseline_only", "candidate_only"}. What is unknown is null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/columns.h"
#include "report/compare_formats.h"
#include "report/json_text.h"
#include "report/outcomes.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;
using metrics::PairStatus;
using nlohmann::json;

json ratio_json(const statistics::Contrast& contrast) {
  json ratio{{"value", std::exp(contrast.estimate)}, {"low", nullptr}, {"high", nullptr}};
  if (contrast.interval) {
    ratio["low"] = std::exp(contrast.interval->low);
    ratio["high"] = std::exp(contrast.interval->high);
  }
  return ratio;
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json side_json(const store::CellData& cell, const std::optional<double>& speed_per_s) {
  json side{{"cell_id", cell.cell_id}, {"throughput_geometric_mean_per_s", or_null(speed_per_s)}};
  for (const work::Property* each : side_properties()) side[each->name] = work::value_of(*each, cell.of);
  return side;
}

json more_rounds_json(const std::optional<metrics::MoreRounds>& more) {
  if (!more) return nullptr;
  return {{"count", more->count}, {"is_minimum", more->is_minimum}, {"seconds", or_null(more->seconds)}};
}

json pair_json(const Compared& compared, const ComparedPair& pair) {
  const bool is_judged = pair.status == PairStatus::judged;
  return {{"model", pair.candidate->of.model.label},
          {"batch", pair.candidate->of.model.key.batch},
          {"baseline", side_json(*pair.baseline, pair.baseline_per_s)},
          {"candidate", side_json(*pair.candidate, pair.candidate_per_s)},
          {"outcome", std::string(word_of(outcome_of(pair)))},
          {"status", std::string(name(pair.status))},
          {"verdict", is_judged ? json(std::string(name(pair.judgement.verdict))) : json(nullptr)},
          {"ratio", is_judged ? ratio_json(pair.judgement.contrast) : json(nullptr)},
          {"adjusted_p", or_null(pair.judgement.adjusted_p)},
          {"is_paired", is_judged ? json(pair.is_paired) : json(nullptr)},
          {"is_same_build", is_judged ? json(pair.is_same_build) : json(nullptr)},
          {"is_regression", compared.gate ? json(is_regression(pair, compared.gate->rules)) : json(nullptr)},
          {"reason", why(compared, pair)},
          {"rounds_needed", or_null(pair.judgement.rounds_needed)},
          {"more_rounds", more_rounds_json(pair.more_rounds)}};
}

json noise_json(const Compared& compared) {
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

json gate_json(const Compared& compared) {
  if (!compared.gate) return nullptr;
  const metrics::Gate& gate = *compared.gate;
  return {{"outcome", std::string(name(gate.outcome))},
          {"slower_ratio", gate.rules.slower_ratio},
          {"fails_if_undecided", gate.rules.fails_if_undecided},
          {"slower", gate.slower},
          {"tolerated", gate.tolerated},
          {"newly_failed", gate.newly_failed},
          {"newly_inaccurate", gate.newly_inaccurate},
          {"undecided", gate.undecided},
          {"self_test", compared.self_test
                            ? json{{"slowed", compared.self_test->slowed}, {"found", compared.self_test->found}}
                            : json(nullptr)}};
}

}  // namespace

std::string compare_json(const Compared& compared, const CompareOptions& /*options*/) {
  const metrics::Comparison& comparison = *compared.comparison;
  json pairs = json::array();
  for (const ComparedPair* pair : worst_first(comparison)) pairs.push_back(pair_json(compared, *pair));
  return json_text(
      {{"summary", compare_summary(comparison)},
       {"axis", std::string(name(compared.axis))},
       {"rules",
        {{"error_rate", comparison.rules.error_rate},
         {"margin_ratio", comparison.rules.margin_ratio},
         {"quiet_deviation", or_null(comparison.rules.quiet_deviation)},
         {"adjustment", comparison.rules.adjustment == metrics::Adjustment::holm ? "holm" : "benjamini_hochberg"}}},
       {"pairs", std::move(pairs)},
       {"noise", noise_json(compared)},
       {"gate", gate_json(compared)},
       {"baseline_only", comparison.baseline_only},
       {"candidate_only", comparison.candidate_only}});
}

}  // namespace ngb::report

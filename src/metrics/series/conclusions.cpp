// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/conclusions.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/words.h"
#include "metrics/series/about_allocator.h"
#include "metrics/series/answer.h"
#include "metrics/series/fastest.h"
#include "metrics/series/findings.h"
#include "metrics/series/order.h"
#include "metrics/series/relation.h"
#include "metrics/series/speed_words.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using nlohmann::json;

std::string text_of(const json& object) { return json_text::dump(object); }

json or_null(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

void add_value(json& object, const Value& value) {
  object["value"] = or_null(value.value);
  object["low"] = or_null(value.low);
  object["high"] = or_null(value.high);
  object["reason"] = value.reason;
}

json json_of(const FindingRow& row) {
  json object{{"device", row.device},   {"compiler", row.compiler}, {"model", row.model},
              {"against", row.against}, {"metric", row.metric},     {"batch_sizes", row.batch_sizes},
              {"outcome", row.outcome}, {"cell_ids", row.cell_ids}, {"adjusted_p", or_null(row.adjusted_p)}};
  add_value(object, row.value);
  return object;
}

store::Conclusion conclusion_of(const Finding& finding) {
  json rows = json::array();
  for (const FindingRow& row : finding.rows) rows.push_back(json_of(row));
  return {kFinding, finding.sentence,
          text_of({{"kind", finding.kind},
                   {"to_act_on", finding.is_to_act_on},
                   {"is_difference", finding.is_difference},
                   {"sentence", finding.sentence},
                   {"rows", std::move(rows)}})};
}

json json_of_side(const Analysis& analysis, const Ordering& side) {
  const store::CellData& a = analysis.cell(side.a);
  const store::CellData& b = analysis.cell(side.b);
  json object{{"device", name_of_place(a)},        {"compiler_a", compiler_of(a)}, {"compiler_b", compiler_of(b)},
              {"model_a", a.of.model.label},       {"model_b", b.of.model.label},  {"batch", a.of.model.key.batch},
              {"cell_ids", {a.cell_id, b.cell_id}}};
  add_value(object, side.ratio);
  return object;
}

json json_of_value(const Value& value) {
  json object = json::object();
  add_value(object, value);
  return object;
}

json json_of_races(const Analysis& analysis, const std::vector<Race>& races) {
  json rows = json::array();
  for (const Race& race : races) {
    const store::CellData& cell = analysis.cell(race.leader);
    const store::CellData& next = analysis.cell(race.rivals.front().cell);
    json candidates = json::array();
    json ids = json::array();
    for (const std::size_t each : race.candidates()) {
      candidates.push_back(compiler_of(analysis.cell(each)));
      ids.push_back(analysis.cell(each).cell_id);
    }
    rows.push_back(
        {{"device", name_of_place(cell)},
         {"model", cell.of.model.label},
         {"batch", cell.of.model.key.batch},
         {"compiler", compiler_of(cell)},
         {"is_decided", race.is_won()},
         {"may_be_fastest", std::move(candidates)},
         {"throughput_per_s", or_null(find_metric("throughput_per_s")->compute(analysis, race.leader).value)},
         {"inference_s", or_null(seconds_of_inference(analysis, race.leader))},
         {"speed_up", json_of_value(ratio_value(analysis, log_speed_up(analysis, race.leader)))},
         {"runner_up", compiler_of(next)},
         {"margin", json_of_value(ratio_value(analysis, log_ratio(analysis, race.leader, race.rivals.front().cell)))},
         {"cell_ids", std::move(ids)}});
  }
  return rows;
}

std::string_view name_of_difference(Between between) {
  constexpr EnumWords<3> kWords{"device_compilers", "devices", "batch_sizes"};
  return word_in(kWords, between);
}

store::Conclusion conclusion_of(const Analysis& analysis, const Reversal& reversal) {
  return {kReversal, "",
          text_of({{"ranked", reversal.ranked == Ranked::models ? "models" : "compilers"},
                   {"between", name_of_difference(reversal.between)},
                   {"adjusted_p", reversal.adjusted_p},
                   {"sides", {json_of_side(analysis, reversal.faster), json_of_side(analysis, reversal.slower)}}})};
}

store::Conclusion conclusion_of(const ClaimRow& row) { return {kClaim, row.claim->sentence, text_of(json_of(row))}; }

}  // namespace

json json_of(const ClaimRow& row) {
  json object{{"claim", row.claim->name},
              {"sentence", row.claim->sentence},
              {"quantity", row.claim->quantity},
              {"source", row.claim->source},
              {"device", row.device},
              {"compiler", row.compiler},
              {"status", name(row.status)},
              {"cell_ids", row.cell_ids},
              {"adjusted_p", or_null(row.adjusted_p)}};
  add_value(object, row.value);
  return object;
}

std::vector<store::Conclusion> conclusions_of(const Analysis& analysis, std::span<const Claim> claims,
                                              double size_factor) {
  const Orders orders = find_reversals(analysis, size_factor);
  std::vector<store::Conclusion> all;
  for (const Finding& finding : find_all(analysis, orders)) all.push_back(conclusion_of(finding));
  for (const Reversal& reversal : orders.reversals) all.push_back(conclusion_of(analysis, reversal));
  const std::vector<Race> races = races_of(analysis);
  std::vector<std::string> sentences = answer(analysis, races);
  for (std::string& sentence : about_allocator(analysis)) sentences.push_back(std::move(sentence));
  all.push_back({kAnswer, "", text_of({{"sentences", sentences}, {"rows", json_of_races(analysis, races)}})});
  all.push_back({kOrders, "", text_of({{"looked_at", orders.looked_at}, {"are_too_many", orders.are_too_many}})});
  for (const ClaimRow& row : test_claims(analysis, claims)) all.push_back(conclusion_of(row));
  return all;
}

}  // namespace ngb::metrics::series

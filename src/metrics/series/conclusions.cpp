// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/conclusions.h"

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
#include "work/codec.h"

namespace ngb::metrics::series {
namespace {

template <class Kept>
store::Conclusion to_keep(const char* kind, std::string sentence, const Kept& record) {
  return {kind, std::move(sentence), json_text::dump(work::write_json(record))};
}

KeptRow as_kept(const FindingRow& row) {
  return {row.value,   row.device, row.compiler, row.model,      row.batch_sizes,
          row.against, row.metric, row.outcome,  row.adjusted_p, row.cell_ids};
}

store::Conclusion conclusion_of(const Finding& finding) {
  KeptFinding found{finding.kind, finding.is_to_act_on, finding.is_difference, finding.sentence, {}};
  for (const FindingRow& row : finding.rows) found.rows.push_back(as_kept(row));
  return to_keep(kFinding, finding.sentence, found);
}

KeptSide as_kept(const Analysis& analysis, const Ordering& side) {
  const store::CellData& a = analysis.cell(side.a);
  const store::CellData& b = analysis.cell(side.b);
  return {side.ratio,       name_of_place(a), compiler_of(a),       compiler_of(b),
          a.of.model.label, b.of.model.label, a.of.model.key.batch, {a.cell_id, b.cell_id}};
}

KeptRace as_kept(const Analysis& analysis, const Race& race) {
  const store::CellData& cell = analysis.cell(race.leader);
  const Rival& next = race.rivals.front();
  KeptRace found{.device = name_of_place(cell),
                 .model = cell.of.model.label,
                 .batch = cell.of.model.key.batch,
                 .compiler = compiler_of(cell),
                 .is_decided = race.is_won(),
                 .throughput_per_s = find_metric("throughput_per_s")->compute(analysis, race.leader).value,
                 .inference_s = seconds_of_inference(analysis, race.leader),
                 .speed_up = {ratio_value(analysis, log_speed_up(analysis, race.leader))},
                 .runner_up = compiler_of(analysis.cell(next.cell)),
                 .margin = {ratio_value(analysis, log_ratio(analysis, race.leader, next.cell))}};
  for (const std::size_t each : race.candidates()) {
    found.may_be_fastest.push_back(compiler_of(analysis.cell(each)));
    found.cell_ids.push_back(analysis.cell(each).cell_id);
  }
  return found;
}

std::string_view name_of_difference(Between between) {
  constexpr EnumWords<3> kWords{"device_compilers", "devices", "batch_sizes"};
  return word_in(kWords, between);
}

store::Conclusion conclusion_of(const Analysis& analysis, const Reversal& reversal) {
  const KeptReversal found{reversal.ranked == Ranked::models ? "models" : "compilers",
                           std::string(name_of_difference(reversal.between)),
                           reversal.adjusted_p,
                           {as_kept(analysis, reversal.faster), as_kept(analysis, reversal.slower)}};
  return to_keep(kReversal, "", found);
}

}  // namespace

KeptClaim as_kept(const ClaimRow& row) {
  const Claim& claim = *row.claim;
  return {row.value,      claim.name,  claim.sentence, claim.quantity,
          claim.source,   row.device,  row.compiler,   std::string(name(row.status)),
          row.adjusted_p, row.cell_ids};
}

std::vector<store::Conclusion> conclusions_of(const Analysis& analysis, std::span<const Claim> claims,
                                              double size_factor, const Judged& by) {
  const Orders orders = find_reversals(analysis, size_factor);
  std::vector<store::Conclusion> all;
  for (const Finding& finding : find_all(analysis, orders)) all.push_back(conclusion_of(finding));
  for (const Reversal& reversal : orders.reversals) all.push_back(conclusion_of(analysis, reversal));
  const std::vector<Race> races = races_of(analysis);
  KeptAnswer answered{answer(analysis, by.metric == nullptr ? races : races_of(analysis, by), by), {}};
  for (std::string& sentence : about_allocator(analysis)) answered.sentences.push_back(std::move(sentence));
  for (const Race& race : races) answered.rows.push_back(as_kept(analysis, race));
  all.push_back(to_keep(kAnswer, "", answered));
  all.push_back(to_keep(kOrders, "", KeptOrders{orders.looked_at, orders.are_too_many}));
  for (const ClaimRow& row : test_claims(analysis, claims)) {
    all.push_back(to_keep(kClaim, row.claim->sentence, as_kept(row)));
  }
  return all;
}

}  // namespace ngb::metrics::series

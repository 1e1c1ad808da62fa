// SPDX-License-Identifier: Apache-2.0
// The rows of the figure of reversed orders: a row for each side of each reversal.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/text.h"
#include "metrics/series/conclusions.h"
#include "report/figures/rows.h"
#include "report/series/series.h"
#include "report/write/numbers.h"

namespace ngb::report::figures {
namespace {

using nlohmann::json;
using store::CellData;

// The two cells of one side, in the order in which their ratio is formed.
struct Side {
  const CellData* a = nullptr;
  const CellData* b = nullptr;
  Number ratio{};
};

// Returns nothing if the JSON has another form, or if one of the cells is not selected.
std::optional<Side> side_of(const Selection& selection, const json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto ids = object.find("cell_ids");
  if (ids == object.end() || !ids->is_array() || ids->size() != 2) return std::nullopt;
  std::array<const CellData*, 2> cells{};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const json& id = (*ids)[i];
    cells.at(i) = id.is_string() ? selection.find(id.get<std::string>()) : nullptr;
    if (cells.at(i) == nullptr) return std::nullopt;
  }
  return Side{
      cells[0], cells[1], {number_at(object, "value"), number_at(object, "low"), number_at(object, "high"), ""}};
}

// Returns "batch 8, on local: 120 and 100 samples/s", with the compiler if models are ranked and with the model if
// compilers are.
std::string words_of_side(const Selection& selection, const Side& side, bool ranks_models) {
  const std::string fixed = ranks_models ? selection.compiler(*side.a) : text::visible(side.a->of.model.label);
  const auto speed = [&](const CellData& cell) {
    return number(number_of(selection, cell, "throughput_per_s").value.value_or(0), "samples/s");
  };
  return fmt::format("{}, batch {}, on {}: {} and {} samples/s", fixed, side.a->of.model.key.batch,
                     selection.device(*side.a), speed(*side.a), speed(*side.b));
}

Row row_of_side(const Selection& selection, const Side& side, bool ranks_models, std::size_t number,
                double adjusted_p) {
  const auto called = [&](const CellData& cell) {
    return ranks_models ? text::visible(cell.of.model.label) : selection.compiler(cell);
  };
  const bool is_a_faster = side.ratio.value.value_or(0) > 1;
  Row row{{"panel", fmt::format("{}. {} over {}", number, called(*side.a), called(*side.b))},
          {"ranked", ranks_models ? "models" : "compilers"},
          {"a", called(*side.a)},
          {"b", called(*side.b)},
          {"side", words_of_side(selection, side, ranks_models)},
          {"device", selection.device(*side.a)},
          {"model", text::visible(side.a->of.model.label)},
          {"batch", side.a->of.model.key.batch},
          {"compiler", selection.compiler(is_a_faster ? *side.a : *side.b)}};
  add_number(row, "throughput_ratio", side.ratio, {"measured", ""});
  row["adjusted_p"] = adjusted_p;
  return row;
}

}  // namespace

// The clearest reversals come first: those of which both orders are far from 1.
Rows rank_reversals(const Selection& selection) {
  struct Found {
    double clearness = 0;  // |log of the ratio| of the less clear side
    bool ranks_models = false;
    double adjusted_p = 1;
    Side faster{};
    Side slower{};
  };
  std::vector<Found> all;
  const auto clearness = [](const Side& side) { return std::abs(std::log(side.ratio.value.value_or(1))); };
  for (const store::Conclusion* conclusion : selection.results().conclusions) {
    if (conclusion->kind != metrics::series::kReversal) continue;
    const json object = json_text::parse(conclusion->json);
    const auto sides = object.is_object() ? object.find("sides") : object.end();
    if (sides == object.end() || !sides->is_array() || sides->size() != 2) continue;
    const auto faster = side_of(selection, (*sides)[0]);
    const auto slower = side_of(selection, (*sides)[1]);
    if (!faster || !slower) continue;
    all.push_back({std::min(clearness(*faster), clearness(*slower)), text_at(object, "ranked") == "models",
                   number_at(object, "adjusted_p").value_or(1), *faster, *slower});
  }
  std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.clearness > b.clearness; });
  std::vector<Row> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Side* side : {&all[i].faster, &all[i].slower})
      rows.push_back(row_of_side(selection, *side, all[i].ranks_models, i + 1, all[i].adjusted_p));
  }
  Rows made =
      rows_with(std::move(rows), "throughput_ratio", "no order of two models or two compilers is told to be reversed");
  made.most_panels = 12;
  return made;
}

}  // namespace ngb::report::figures

// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of profiles: what takes the time of an inference, and where two compilers differ.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/explain/pictures.h"
#include "report/explain/profiles.h"
#include "report/figures/rows.h"
#include "report/words.h"
#include "report/write/numbers.h"

namespace ngb::report::figures {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr const char* kNoProfile = "no process was profiled";

std::string workload_of_panel(const store::CellData& cell) {
  return fmt::format("{}, batch {}", text::visible(cell.of.model.label), cell.of.model.key.batch);
}

// Returns the name of a side as people read it.
std::string side_in_words(const store::CellData& cell, const std::string& name) {
  return text::visible(name == compiler_of(cell) ? compiler_in_words(cell) : name);
}

// Adds a row for each step of the pair.
void add_steps(const Selection& selection, const ExplainedPair& pair, const store::CellData& cell,
               std::vector<Row>& rows) {
  const explain::Explanation& found = *pair.explanation;
  const std::string baseline = side_in_words(*pair.baseline, pair.names.baseline);
  const std::string panel =
      fmt::format("{}: from {} ({}) to {} ({})", selection.with_device(workload_of_panel(cell), cell), baseline,
                  milliseconds(found.baseline.plain), side_in_words(*pair.candidate, pair.names.candidate),
                  milliseconds(found.candidate.plain));
  const Row form = row_of(selection, cell, panel);
  std::size_t number = 0;
  for (const WaterfallStep& step : waterfall_of(found)) {
    const bool has_interval = step.region != nullptr && step.region->difference.interval.has_value();
    Row& row = rows.emplace_back(form);
    row["baseline"] = baseline;
    row["step"] = ++number;
    row["region"] = text::visible(step.label);
    row["label"] =
        fmt::format("{}: {}{}", text::visible(step.label), step.ns() > 0 ? "+" : "", milliseconds(step.ns()));
    row["from_ms"] = step.from_ns / kNsPerMs;
    row["to_ms"] = step.to_ns / kNsPerMs;
    row["difference_ms"] = step.ns() / kNsPerMs;
    row["low"] = has_interval ? Row(step.region->difference.interval->low / kNsPerMs) : Row(nullptr);
    row["high"] = has_interval ? Row(step.region->difference.interval->high / kNsPerMs) : Row(nullptr);
    row["adjusted_p"] = step.region == nullptr ? Row(nullptr) : or_null(step.region->p);
    row["direction"] = step.ns() > 0 ? "takes more" : "takes less";
    row["told"] = step.region != nullptr && step.region->is_told() ? "yes" : "no";
  }
}

}  // namespace

// Kinds of operators beyond the nine with the most time share a colour.
Rows operator_times(const Selection& selection) {
  if (selection.profiles() == nullptr) return {.why_none = kNoProfile};
  constexpr std::size_t kMostColours = 9;
  std::vector<const store::CellData*> cells;
  std::vector<std::vector<OperatorTime>> times;
  for (const ProfiledCell& profiled : profiled_cells(*selection.profiles())) {
    const store::CellData* const cell = selection.find(profiled.cell->cell_id);
    if (cell == nullptr) continue;
    cells.push_back(cell);
    times.push_back(times_by_operator(*profiled.profile));
  }
  if (cells.empty()) return {.why_none = kNoProfile};
  const std::vector<std::string> types = operators_by_time(times);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Row form = row_of(selection, *cells[i], workload_of_panel(*cells[i]));
    for (std::size_t rank = 0; rank < types.size(); ++rank) {
      const auto found = std::find_if(times[i].begin(), times[i].end(),
                                      [&](const OperatorTime& each) { return each.type == types[rank]; });
      if (found == times[i].end()) continue;
      Row& row = rows.emplace_back(form);
      row["operator"] = text::visible(found->type);
      row["drawn_as"] = rank < kMostColours ? text::visible(found->type) : "other operators";
      row["rank"] = rank + 1;
      row["time_ms"] = found->ns / kNsPerMs;
    }
  }
  return {.rows = std::move(rows)};
}

Rows region_differences(const Selection& selection) {
  if (selection.profiles() == nullptr) return {.why_none = kNoProfile};
  Rows made;
  std::size_t explained = 0;
  const std::vector<ExplainedPair>& pairs = selection.profiles()->pairs;
  for (const ExplainedPair& pair : pairs) {
    const store::CellData* const cell = selection.find(pair.candidate->cell_id);
    if (cell == nullptr || !pair.explanation) continue;
    add_steps(selection, pair, *cell, made.rows);
    ++explained;
  }
  if (explained < pairs.size()) {
    made.remark =
        fmt::format("{} of {} pairs have no explanation: ngb explain says why", pairs.size() - explained, pairs.size());
  }
  if (made.rows.empty()) made.why_none = pairs.empty() ? "no two profiles can be compared" : made.remark;
  made.most_panels = 12;
  return made;
}

}  // namespace ngb::report::figures

// SPDX-License-Identifier: Apache-2.0
// The rows of the figure of tuning: how the best estimate fell with the number of trials.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/text.h"
#include "report/figures/rows.h"

namespace ngb::report::figures {
namespace {

using nlohmann::json;
using store::CellData;
using store::RecordedProcess;

struct Point {
  double trials = 0;
  double best_ms = 0;
};

// Returns the curve that the process reports (docs/compilers/tvm.md), or nothing if it reports none or no curve.
std::vector<Point> curve_of(const RecordedProcess& process) {
  const auto fact = process.facts.find("tuning_curve");
  if (fact == process.facts.end()) return {};
  const json read = json_text::parse(fact->second);
  if (!read.is_object()) return {};
  const json trials = read.value("trials", json::array());
  const json best = read.value("best_ms", json::array());
  if (!trials.is_array() || !best.is_array() || trials.size() != best.size()) return {};
  std::vector<Point> points;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].is_number() || !best[i].is_number()) return {};
    points.push_back({trials[i].get<double>(), best[i].get<double>()});
  }
  return points;
}

// Returns the longest curve of the cell's processes, since each reports the tuning as far as it had come. Its last
// point is where the tuning ended.
std::vector<Point> curve_of(const CellData& cell, std::optional<double> trials) {
  std::vector<Point> longest;
  for (const RecordedProcess& process : cell.processes) {
    std::vector<Point> points = curve_of(process);
    if (points.size() > longest.size()) longest = std::move(points);
  }
  if (!longest.empty() && trials && *trials > longest.back().trials)
    longest.push_back({*trials, longest.back().best_ms});
  return longest;
}

}  // namespace

Rows tuning_curve(const Selection& selection) {
  std::vector<Row> rows;
  for (const CellData* cell : selection.cells()) {
    if (!number_of(selection, *cell, "tuning_s").value) continue;
    const std::optional<CellData> measured = selection.load(*cell);
    if (!measured) continue;
    const Row form = row_of(selection, *cell,
                            fmt::format("{}, batch {}", text::visible(cell->of.model.label), cell->of.model.key.batch));
    for (const Point& point : curve_of(*measured, number_of(selection, *cell, "tuning_trials").value)) {
      Row row = form;
      row["trials"] = point.trials;
      row["best_ms"] = point.best_ms;
      rows.push_back(std::move(row));
    }
  }
  if (rows.empty()) return {.why_none = "no compiler was tuned"};
  return {.rows = std::move(rows)};
}

}  // namespace ngb::report::figures

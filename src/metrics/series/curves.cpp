// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_text.h"
#include "metrics/series/cell_groups.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;
using store::SeriesValue;

void set_value(SeriesValue& row, const statistics::Contrast& found) {
  row.value = found.estimate;
  row.standard_error = found.standard_error;
  row.degrees = found.degrees;
  if (!found.interval) return;
  row.low = found.interval->low;
  row.high = found.interval->high;
}

// Sorts cells by a coordinate, and keeps the curves in the order of their first cells.
class Curves {
 public:
  using Curve = std::map<double, std::size_t>;  // coordinate -> cell

  void add(const std::string& key, double coordinate, std::size_t cell) {
    const auto [place, is_new] = known_.emplace(key, curves_.size());
    if (is_new) curves_.emplace_back();
    curves_[place->second].emplace(coordinate, cell);
  }
  // Returns the curves of at least two points.
  [[nodiscard]] std::vector<Curve> of_two_points() const {
    std::vector<Curve> found = curves_;
    std::erase_if(found, [](const Curve& curve) { return curve.size() < 2; });
    return found;
  }

 private:
  std::map<std::string, std::size_t> known_{};
  std::vector<Curve> curves_{};
};

std::vector<Curves::Curve> curves_over_depth(const Analysis& analysis, const Part& part) {
  Curves curves;
  for (const std::size_t i : part.cells) {
    const CellData& cell = analysis.cell(i);
    const auto block = block_of(cell);
    if (!block) continue;
    curves.add(fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), block->name,
                           cell.of.model.key.batch),
               block->depth, i);
  }
  return curves.of_two_points();
}

// The lists of numbers whose means add up to the height of a point. Each number is from another process or round.
using Heights = Known<std::vector<std::vector<double>>>;

// Returns the slope of least squares. `heights_at` returns the height of a point, or the reason why there is none.
// Source: statistics.md §6; Satterthwaite (1946).
template <class HeightsAt>
SeriesValue slope_of(const Analysis& analysis, const Curves::Curve& curve, const HeightsAt& heights_at) {
  Cells cells;
  for (const auto& [depth, cell] : curve) cells.push_back(cell);
  SeriesValue row = row_of_group(analysis, cells, block_of(analysis.cell(cells.front()))->name);
  double middle = 0;
  for (const auto& [depth, cell] : curve) middle += depth / static_cast<double>(curve.size());
  double squares = 0;
  for (const auto& [depth, cell] : curve) squares += (depth - middle) * (depth - middle);
  std::vector<statistics::Part> parts;
  for (const auto& [depth, cell] : curve) {
    Heights heights = heights_at(cell);
    if (!heights.value) {
      row.reason = fmt::format("depth {}: {}", depth, heights.reason);
      return row;
    }
    for (std::vector<double>& values : *heights.value) parts.push_back({std::move(values), (depth - middle) / squares});
  }
  set_value(row, statistics::contrast(parts, analysis.error_rate()));
  return row;
}

// Returns the speed-up that is printed, drawn and used for retention: a geometric mean g over rounds. Its deviation in
// a round is g · (log of the round's speed-up - log g), the first term of the exponential's series.
Heights speed_up_by_rounds(const Analysis& analysis, std::size_t cell) {
  Relation relation = log_speed_up(analysis, cell);
  if (!relation.reason.empty()) return Heights::unknown(relation.reason);
  const double speed_up = std::exp(statistics::contrast(relation.parts).estimate);
  std::vector<std::vector<double>> lists;
  for (const statistics::Part& part : relation.parts) {
    const double middle = statistics::mean(part.values);
    std::vector<double> values;
    for (const double log : part.values) {
      values.push_back((lists.empty() ? speed_up : 0) + speed_up * part.weight * (log - middle));
    }
    lists.push_back(std::move(values));
  }
  return Heights::of(std::move(lists));
}

Heights seconds_of_processes(const Analysis& analysis, std::size_t cell) {
  if (std::string why = why_no_speed(analysis, cell); !why.empty()) return Heights::unknown(std::move(why));
  std::vector<double> seconds;
  for (const OfRound& each : analysis.steady(cell).throughput_by_process) {
    seconds.push_back(analysis.cell(cell).of.model.key.batch / each.value);
  }
  return Heights::of({std::move(seconds)});
}

constexpr const char* kGrowingForm = "growing";

bool is_step_over_a_cache(const CellData& cell) {
  return !cache_form_of(cell).empty() && cell.recipe_parameters.value("tokens", 1) == 1;
}

double log_of_speed(const Analysis& analysis, std::size_t cell) {
  std::vector<double> logs;
  for (const OfRound& each : analysis.steady(cell).throughput_by_process) logs.push_back(std::log(each.value));
  return statistics::mean(logs);
}

bool is_baseline(const Analysis& analysis, std::size_t cell) { return analysis.baseline_of(cell) == cell; }

}  // namespace

std::vector<SeriesValue> depth_slope(const Analysis& analysis, const Part& part) {
  std::vector<SeriesValue> rows;
  for (const Curves::Curve& curve : curves_over_depth(analysis, part)) {
    if (is_baseline(analysis, curve.begin()->second)) continue;
    rows.push_back(slope_of(analysis, curve, [&](std::size_t cell) { return speed_up_by_rounds(analysis, cell); }));
  }
  return rows;
}

std::vector<SeriesValue> depth_cost(const Analysis& analysis, const Part& part) {
  std::vector<SeriesValue> rows;
  for (const Curves::Curve& curve : curves_over_depth(analysis, part)) {
    rows.push_back(slope_of(analysis, curve, [&](std::size_t cell) { return seconds_of_processes(analysis, cell); }));
  }
  return rows;
}

std::vector<SeriesValue> depth_retention(const Analysis& analysis, const Part& part) {
  std::vector<SeriesValue> rows;
  for (const Curves::Curve& curve : curves_over_depth(analysis, part)) {
    const std::size_t single = curve.begin()->second;
    const std::size_t deepest = curve.rbegin()->second;
    if (is_baseline(analysis, single)) continue;
    SeriesValue row = row_of_group(analysis, {single, deepest}, block_of(analysis.cell(single))->name);
    if (block_of(analysis.cell(single))->depth != 1) {
      row.reason = "a single block was not measured";
    } else {
      set_value(row,
                ratio_value(analysis, sum_of({log_speed_up(analysis, deepest), log_speed_up(analysis, single, -1)})));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<SeriesValue> batch_width_friction(const Analysis& analysis, const Part& part) {
  Curves curves;
  for (const std::size_t i : part.cells) {
    const CellData& cell = analysis.cell(i);
    const auto block = block_of(cell);
    if (!block || !block->width || cell.of.model.key.batch == 1) continue;
    curves.add(fmt::format("{}\n{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), block->name_sans_width,
                           block->depth, cell.of.model.key.batch),
               *block->width, i);
  }
  std::vector<SeriesValue> rows;
  for (const Curves::Curve& curve : curves.of_two_points()) {
    const std::size_t narrow = curve.begin()->second;
    const Block block = *block_of(analysis.cell(narrow));
    for (auto wide = std::next(curve.begin()); wide != curve.end(); ++wide) {
      SeriesValue row = row_of_group(analysis, {narrow, wide->second},
                                     fmt::format("{} depth={}, width {} over {}", block.name_sans_width, block.depth,
                                                 wide->first, curve.begin()->first));
      set_value(row,
                ratio_value(analysis, sum_of({log_rtr(analysis, wide->second, 1), log_rtr(analysis, narrow, -1)})));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<SeriesValue> capacity(const Analysis& analysis, const Part& part) {
  Curves curves;
  for (const std::size_t i : part.cells) {
    const CellData& cell = analysis.cell(i);
    nlohmann::json rest = cell.recipe_parameters;
    const int rows = cell.of.model.family == "decoder" && rest.is_object() ? rest.value("capacity", 0) : 0;
    if (rows == 0) continue;
    rest.erase("capacity");
    curves.add(fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), json_text::dump(rest),
                           cell.of.model.key.batch),
               rows, i);
  }
  std::vector<SeriesValue> rows;
  for (const Curves::Curve& curve : curves.of_two_points()) {
    const std::size_t least = curve.begin()->second;
    for (auto larger = std::next(curve.begin()); larger != curve.end(); ++larger) {
      SeriesValue row =
          row_of_group(analysis, {least, larger->second},
                       fmt::format("{}, over {}", analysis.cell(larger->second).of.model.label, curve.begin()->first));
      set_value(row, ratio_value(analysis, log_ratio(analysis, larger->second, least)));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<SeriesValue> best_cache_form(const Analysis& analysis, const Part& part) {
  std::map<std::string, std::map<int, Cells>> decoders;  // cells by rows of the cache, those that grow at 0
  for (const std::size_t i : part.cells) {
    const CellData& cell = analysis.cell(i);
    if (!is_step_over_a_cache(cell) || !why_no_speed(analysis, i).empty()) continue;
    nlohmann::json rest = cell.recipe_parameters;
    const int rows = cache_form_of(cell) == kGrowingForm ? 0 : rest.value("capacity", 0);
    rest.erase("cache");
    rest.erase("capacity");
    decoders[fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), json_text::dump(rest),
                         cell.of.model.key.batch)][rows]
        .push_back(i);
  }
  std::vector<SeriesValue> values;
  for (auto& [_, by_rows] : decoders) {
    const Cells growing = by_rows[0];
    if (by_rows.size() > 1) by_rows.erase(0);
    for (auto& [rows, cells] : by_rows) {
      if (rows > 0) cells.insert(cells.end(), growing.begin(), growing.end());
      if (cells.size() < 2) continue;
      std::stable_sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) {
        return log_of_speed(analysis, a) > log_of_speed(analysis, b);
      });
      std::string next = cache_form_of(analysis.cell(cells[1]));
      if (next != kGrowingForm) next += fmt::format(" of {} rows", rows);
      SeriesValue row = row_of_group(analysis, {cells[0], cells[1]},
                                     fmt::format("{}, over {}", analysis.cell(cells[0]).of.model.label, next));
      set_value(row, ratio_value(analysis, log_ratio(analysis, cells[0], cells[1])));
      values.push_back(std::move(row));
    }
  }
  return values;
}

// The same rule as in plan/make_model.cpp, for a model for which the study sets nothing else.
std::string hash_with_dynamic_batch(const std::string& model_hash) {
  return hash::sha256(json_text::dump(nlohmann::json{{"content", model_hash}, {"dynamic_batch", true}}));
}

std::vector<SeriesValue> dynamic_shapes(const Analysis& analysis, const Part& part) {
  const auto key = [&](const CellData& cell, const std::string& hash) {
    return fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), cell.of.model.key.batch, hash);
  };
  std::map<std::string, std::size_t> by_key;
  for (const std::size_t i : part.cells) by_key.emplace(key(analysis.cell(i), analysis.cell(i).of.model.key.hash), i);
  std::vector<SeriesValue> rows;
  for (const std::size_t i : part.cells) {
    const CellData& cell = analysis.cell(i);
    const auto dynamic = by_key.find(key(cell, hash_with_dynamic_batch(cell.of.model.key.hash)));
    if (dynamic == by_key.end()) continue;
    SeriesValue row = row_of_group(analysis, {i, dynamic->second}, cell.of.model.label);
    set_value(row, ratio_value(analysis, log_ratio(analysis, dynamic->second, i)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ngb::metrics::series

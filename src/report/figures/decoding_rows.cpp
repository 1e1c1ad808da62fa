// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of models that generate tokens, over the length of the context.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "report/figures/rows.h"

namespace ngb::report::figures {
namespace {

using store::CellData;

// A cell of a recipe that generates tokens.
struct Step {
  const CellData* cell = nullptr;
  std::string model{};  // "llama of width 192, depth 4, batch 1"
  std::string cache{};  // its form
  int context = 0;
  int capacity = 0;  // rows; 0: the cache grows
};

std::vector<Step> steps_of(const Selection& selection, const char* metric) {
  std::vector<Step> steps;
  for (const CellData* const cell : selection.cells()) {
    const nlohmann::json& given = cell->recipe_parameters;
    const std::string form = metrics::series::cache_form_of(*cell);
    if (form.empty()) continue;
    const bool reads_prompt = given.value("tokens", 1) != 1;
    if (reads_prompt && !number_of(selection, *cell, metric).value) continue;
    const std::string model = fmt::format("{} of width {}, depth {}, batch {}", given.value("architecture", ""),
                                          given.value("width", 0), given.value("depth", 0), cell->of.model.key.batch);
    steps.push_back({cell, selection.with_device(text::visible(model), *cell), text::visible(form),
                     given.value("context", 0), given.value("capacity", 0)});
  }
  return steps;
}

// Returns the least capacity of each model at each context.
using LeastCapacities = std::map<std::string, std::map<int, int>>;
LeastCapacities least_capacities(const std::vector<Step>& steps) {
  LeastCapacities least;
  for (const Step& step : steps) {
    if (step.capacity == 0) continue;
    int& known = least[step.model].try_emplace(step.context, step.capacity).first->second;
    known = std::min(known, step.capacity);
  }
  return least;
}

// Returns "capacity 512", "growing cache", or "least capacity" where that grows with the context, as a tight one does:
// contexts then share a panel, and a growing cache, which has no row more than it needs, has a column beside them.
std::string capacity_words(const Step& step, const LeastCapacities& least) {
  const auto of_model = least.find(step.model);
  const bool differ = of_model != least.end() && std::ranges::any_of(of_model->second, [&](const auto& each) {
                        return each.second != of_model->second.begin()->second;
                      });
  if (step.capacity == 0) return differ ? "least capacity" : "growing cache";
  if (differ && of_model->second.at(step.context) == step.capacity) return "least capacity";
  return fmt::format("capacity {}", step.capacity);
}

// Returns a row for each cell of a recipe that generates tokens and has this metric: a row of panels for each model,
// batch size and capacity, a column for each form of the cache.
Rows by_context(const Selection& selection, const char* metric) {
  const std::vector<Step> steps = steps_of(selection, metric);
  const LeastCapacities least = least_capacities(steps);
  std::vector<Row> rows;
  for (const Step& step : steps) {
    Row row = row_of(selection, *step.cell, step.model + ", " + capacity_words(step, least));
    row["cache"] = step.cache;
    row["context"] = step.context;
    row["capacity"] = step.capacity;
    add_number(row, number_of(selection, *step.cell, metric));
    rows.push_back(std::move(row));
  }
  sort_by_numbers({"context"}, rows);
  return rows_with(std::move(rows), metric, "no recipe that generates tokens was measured");
}

}  // namespace

Rows decoding_by_context(const Selection& selection) { return by_context(selection, "decode_tokens_per_s"); }
Rows first_pass_by_context(const Selection& selection) { return by_context(selection, "first_pass_ratio"); }

}  // namespace ngb::report::figures

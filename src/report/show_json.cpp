// SPDX-License-Identifier: Apache-2.0
// Writes {"cells": [{…, "status", "failure", "flags", "baseline": {"cell_id", "compiler_label", "compiler_version",
// "precision"} or null, "metrics": {name: {"value", "low", "high"} or {"value": null, "reason"}}}], "baseline":
// "identity", "best_options": [as in best_options.h], "environment_differences": [as in environments.h], "allocator",
// "metrics": [the rows of the table of metrics], "series" and "conclusions" as in series.h}. A ratio of a bf16 or f16
// cell to its baseline also has "over", the baseline's precision.
#include <nlohmann/json.hpp>

#include "report/columns.h"
#include "report/json_text.h"
#include "report/series.h"
#include "report/show.h"

namespace ngb::report {
namespace {

using nlohmann::json;

json value_json(const store::DerivedValue& value) {
  if (!value.value) return {{"value", nullptr}, {"reason", value.reason}};
  json object{{"value", *value.value}};
  if (value.low && value.high) {
    object["low"] = *value.low;
    object["high"] = *value.high;
  }
  return object;
}

json baseline_json(const store::CellData* baseline) {
  if (baseline == nullptr) return nullptr;
  return {{"cell_id", baseline->cell_id},
          {"compiler_label", baseline->of.compiler.label},
          {"compiler_version", baseline->of.compiler.version},
          {"precision", baseline->of.compiler.precision}};
}

json cell_json(const store::CellData& cell, const Results& results) {
  const Values& values = results.values;
  json object = json::object();
  for (const Attribute& attribute : attributes()) object[attribute.name] = attribute.of(cell);
  json metrics = json::object();
  for (const metrics::Metric& metric : metrics::metrics()) {
    const store::DerivedValue* value = values.find(cell.cell_id, metric.name);
    if (value == nullptr) continue;
    metrics[metric.name] = value_json(*value);
    const std::string below = precision_below(results, cell, metric);
    if (value->value && !below.empty()) metrics[metric.name]["over"] = below;
  }
  json flags = json::object();
  for (const Values::Raised& raised : values.flags(cell.cell_id)) flags[std::string(raised.flag)] = raised.value;
  object["failure"] = failure_json(cell);
  object["flags"] = std::move(flags);
  object["baseline"] = baseline_json(results.baseline_of(cell));
  object["metrics"] = std::move(metrics);
  return object;
}

}  // namespace

std::string show_json(const Results& results, const ShowOptions& /*options*/) {
  json rows = json::array();
  for (const store::CellData* cell : results.cells) rows.push_back(cell_json(*cell, results));
  json table = json::array();
  for (const metrics::Metric& metric : metrics::metrics()) {
    table.push_back({{"name", metric.name},
                     {"unit", metric.unit},
                     {"formula", metric.formula},
                     {"source", metric.source},
                     {"has_interval", metric.has_interval}});
  }
  const json whole{{"cells", std::move(rows)},
                   {"baseline", results.baseline.words()},
                   {"best_options", to_json(results.best_options)},
                   {"environment_differences", to_json(results.differences)},
                   {"allocator", results.allocator.empty() ? "default" : results.allocator},
                   {"metrics", std::move(table)},
                   {"series", series_json(results)},
                   {"conclusions", conclusions_json(results)}};
  return json_text(whole);
}

}  // namespace ngb::report

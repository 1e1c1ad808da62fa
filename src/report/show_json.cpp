// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "report/best_options.h"
#include "report/show.h"
#include "report/values.h"

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

json failure_json(const samples::ProcessResult& process) {
  const samples::Failure& failure = *process.failure;
  json object{{"kind", name(failure.kind)},
              {"phase", name(failure.phase)},
              {"message", failure.message},
              {"advice", failure.advice},
              {"log_path", process.log_path}};
  if (failure.signal) object["signal"] = *failure.signal;
  if (failure.exit_code) object["exit_code"] = *failure.exit_code;
  return object;
}

json cell_json(const store::CellData& cell, const Values& values) {
  json metrics = json::object();
  for (const metrics::Metric& metric : metrics::metrics()) {
    const store::DerivedValue* value = values.find(cell.cell_id, metric.name);
    if (value != nullptr) metrics[metric.name] = value_json(*value);
  }
  json flags = json::object();
  for (const Values::Raised& raised : values.flags(cell.cell_id)) flags[std::string(raised.flag)] = raised.value;
  const samples::ProcessResult* failed = metrics::decisive_failure(cell);
  json options = json::parse(cell.options, nullptr, false);
  return {{"cell_id", cell.cell_id},
          {"device", cell.device},
          {"model", cell.model},
          {"model_family", cell.model_family},
          {"model_hash", cell.model_hash},
          {"batch", cell.batch},
          {"compiler", cell.compiler},
          {"compiler_label", cell.compiler_label},
          {"compiler_version", cell.compiler_version},
          {"options", options.is_discarded() ? json::object() : std::move(options)},
          {"threads", cell.threads},
          {"precision", cell.precision},
          {"planned_processes", cell.planned_processes},
          {"completed_processes", cell.processes.size()},
          {"failed_attempts", cell.failed.size()},
          {"status", name(status_of(cell))},
          {"failure", failed != nullptr ? failure_json(*failed) : json(nullptr)},
          {"flags", std::move(flags)},
          {"metrics", std::move(metrics)}};
}

}  // namespace

json to_json(const std::vector<store::CellData>& cells, const std::vector<store::DerivedValue>& derived) {
  const Values values(derived);
  json rows = json::array();
  for (const store::CellData& cell : cells) rows.push_back(cell_json(cell, values));
  json table = json::array();
  for (const metrics::Metric& metric : metrics::metrics()) {
    table.push_back(
        {{"name", metric.name}, {"unit", metric.unit}, {"formula", metric.formula}, {"source", metric.source}});
  }
  return {{"cells", std::move(rows)},
          {"best_options", to_json(best_options(cells, values))},
          {"metrics", std::move(table)}};
}

}  // namespace ngb::report

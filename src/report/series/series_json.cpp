// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "metrics/series/conclusions.h"
#include "metrics/series/series.h"
#include "report/series/series.h"

namespace ngb::report {
namespace {

using nlohmann::json;

json json_of(const store::SeriesValue& value) {
  json object{{"series", value.series},   {"device", value.device},           {"compiler", value.compiler},
              {"subject", value.subject}, {"batch_sizes", value.batch_sizes}, {"cell_ids", value.cell_ids}};
  object["value"] = value.value ? json(*value.value) : json(nullptr);
  if (!value.value) object["reason"] = value.reason;
  const auto add = [&object](const char* name, const std::optional<double>& number) {
    if (number) object[name] = *number;
  };
  add("low", value.low);
  add("high", value.high);
  add("standard_error", value.standard_error);
  add("degrees", value.degrees);
  return object;
}

}  // namespace

json series_json(const Results& results) {
  json values = json::array();
  for (const store::SeriesValue* value : results.series) values.push_back(json_of(*value));
  json table = json::array();
  for (const metrics::series::Series& series : metrics::series::all_series()) {
    table.push_back(
        {{"name", series.name}, {"unit", series.unit}, {"formula", series.formula}, {"source", series.source}});
  }
  return {{"values", std::move(values)}, {"table", std::move(table)}};
}

json conclusions_json(const Results& results) {
  json all{{"findings", json::array()},
           {"reversals", json::array()},
           {"claims", json::array()},
           {"orders", nullptr},
           {"answer", nullptr}};
  for (const store::Conclusion* conclusion : results.conclusions) {
    json object = json_text::parse(conclusion->json);
    if (!object.is_object()) continue;
    if (conclusion->kind == metrics::series::kFinding)
      all["findings"].push_back(std::move(object));
    else if (conclusion->kind == metrics::series::kReversal)
      all["reversals"].push_back(std::move(object));
    else if (conclusion->kind == metrics::series::kClaim)
      all["claims"].push_back(std::move(object));
    else if (conclusion->kind == metrics::series::kOrders)
      all["orders"] = std::move(object);
    else if (conclusion->kind == metrics::series::kAnswer)
      all["answer"] = std::move(object);
  }
  return all;
}

}  // namespace ngb::report

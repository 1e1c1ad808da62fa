// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "metrics/series/conclusions.h"
#include "metrics/series/series.h"
#include "report/series/series.h"
#include "report/write/numbers.h"
#include "report/write/text.h"
#include "work/codec.h"

namespace ngb::report {

namespace {

using metrics::series::Series;
using store::SeriesValue;

// Identifies what a value is about, so that a value and its deviation find each other.
std::string about(const SeriesValue& value) {
  return fmt::format("{}\n{}\n{}\n{}", value.device, value.compiler, value.subject, value.batch_sizes);
}

using BySeries = std::map<std::string, std::map<std::string, const SeriesValue*>>;

bool is_shown_beside_another(const Series& series) {
  for (const Series& other : metrics::series::all_series()) {
    if (other.deviation != nullptr && std::string_view(other.deviation) == series.name) return true;
  }
  return false;
}

const SeriesValue* deviation_of(const SeriesValue& value, const Series& series, const BySeries& by_series) {
  const auto all = series.deviation == nullptr ? by_series.end() : by_series.find(series.deviation);
  if (all == by_series.end()) return nullptr;
  const auto found = all->second.find(about(value));
  return found == all->second.end() ? nullptr : found->second;
}

// Returns the number as text: each series has a unit of its own.
Entry number_in_its_unit(const SeriesValue& value, const Series& series, const BySeries& by_series) {
  Entry entry{.value = *value.value, .low = value.low, .high = value.high};
  if (value.standard_error) entry.tail = ", SE " + number(*value.standard_error, series.unit);
  const SeriesValue* const deviation = deviation_of(value, series, by_series);
  if (deviation != nullptr && deviation->value) entry = {.value = *value.value, .deviation = deviation->value};
  Shown shown = shown_entry(entry, series.unit);
  return {.value = std::move(shown.main), .tail = std::move(shown.tail)};
}

Row row_of_value(const SeriesValue& value, const Series& series, const BySeries& by_series) {
  Row row;
  for (const std::string* text : {&value.subject, &value.batch_sizes, &value.device, &value.compiler}) {
    row.entries.push_back({.value = *text});
  }
  row.entries.push_back(value.value ? number_in_its_unit(value, series, by_series) : Entry{.value = "–"});
  row.entries.push_back({.value = value.value ? "" : value.reason});
  return row;
}

}  // namespace

std::vector<Column> series_columns() {
  return {text_column("about"),    number_column("batch"), text_column("device"),
          text_column("compiler"), number_column("value"), text_column("why there is none", 1)};
}

void each_series(const Results& results, const UseSeries& use) {
  BySeries by_series;
  for (const SeriesValue* value : results.series) by_series[value->series].emplace(about(*value), value);
  for (const Series& series : metrics::series::all_series()) {
    if (is_shown_beside_another(series)) continue;
    Section section;
    const std::string unit = std::string_view(series.unit) == "1" ? "" : fmt::format(", {}", series.unit);
    section.title = fmt::format("{}{}{}: {}", series.heading, unit, series.has_interval ? " [95 %]" : "", series.name);
    for (const SeriesValue* value : results.series) {
      if (value->series == series.name) section.rows.push_back(row_of_value(*value, series, by_series));
    }
    if (!section.rows.empty()) use(series, section);
  }
}

std::string series_text(const Results& results, const ShowOptions& options) {
  Table table{.columns = series_columns()};
  each_series(results, [&](const Series& series, const Section& section) {
    if (!is_of_shapes(series.name)) table.sections.push_back(section);
  });
  const std::string shapes = shapes_text(results, options);
  if (table.sections.empty()) return shapes.empty() ? "These results have no numbers that span cells.\n" : shapes;
  const RenderedTable rendering = render(table, options.all ? 0 : options.width, options.color);
  const std::string left_out =
      rendering.left_out.empty() ? "" : "\nThe reasons are too wide for this terminal; --all and --json have them.\n";
  return (shapes.empty() ? "" : shapes + '\n') + rendering.text + left_out +
         "\nFormulas and sources: docs/metrics.md\n";
}

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

namespace {

// Adds an object that has all fields of the record.
template <class Kept>
void add_whole(const json& objects, std::vector<Kept>& to) {
  for (const json& each : objects) {
    if (auto read = work::parse_json<Kept>(each, "conclusion")) to.push_back(*std::move(read));
  }
}

}  // namespace

Conclusions conclusions_in(const Results& results) {
  const json all = conclusions_json(results);
  Conclusions found;
  add_whole(all.at("findings"), found.findings);
  add_whole(all.at("reversals"), found.reversals);
  add_whole(all.at("claims"), found.claims);
  if (const auto orders = work::parse_json<metrics::series::KeptOrders>(all.at("orders"), "count")) {
    found.orders = *orders;
  }
  found.answer = work::parse_json<metrics::series::KeptAnswer>(all.at("answer"), "answer").value_or(found.answer);
  return found;
}

}  // namespace ngb::report

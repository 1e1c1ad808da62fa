// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/tables/formats.h"
#include "report/write/json.h"

namespace ngb::report::tables {
namespace {

using nlohmann::json;

const char* name_of_kind(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "text";
    case Kind::count:
      return "count";
    case Kind::number:
      return "number";
    case Kind::deviation:
      return "deviation";
    case Kind::low:
      return "low";
    case Kind::high:
      return "high";
  }
  return "";
}

json json_of_row(const Table& table, const Row& row) {
  json values = json::object();
  json reasons = json::object();
  json notes = json::object();
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const Entry& entry = row.entries[i];
    const std::string& column = table.columns[i].name;
    values[column] = entry.value;
    if (entry.is_empty() && !entry.reason.empty()) reasons[column] = entry.reason;
    if (!entry.notes.empty()) notes[column] = entry.notes;
  }
  return {{"is_published", row.is_published},
          {"values", std::move(values)},
          {"reasons", std::move(reasons)},
          {"notes", std::move(notes)}};
}

}  // namespace

std::string to_json(const Table& table) {
  json columns = json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"name", column.name}, {"heading", column.heading}, {"kind", name_of_kind(column.kind)}});
  }
  json rows = json::array();
  for (const Row& row : table.rows) rows.push_back(json_of_row(table, row));
  return json_text({{"name", table.name},
                    {"title", table.title},
                    {"columns", std::move(columns)},
                    {"rows", std::move(rows)},
                    {"remarks", table.remarks}});
}

}  // namespace ngb::report::tables

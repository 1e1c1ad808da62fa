// SPDX-License-Identifier: Apache-2.0
#include "report/tables/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

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

bool is_published(const Row& row) { return !row.note.empty(); }

json columns_json(const std::vector<Column>& columns) {
  json all = json::array();
  for (const Column& each : columns) {
    all.push_back({{"name", each.csv}, {"heading", each.heading}, {"kind", name_of_kind(each.kind)}});
  }
  return all;
}

// Adds the fields of `complete` to a row of the columns that the table has so far.
void complete_row(const std::vector<Column>& columns, Row& row, bool names_origin) {
  json reasons = json::object();
  json notes = json::object();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Entry& entry = row.entries[i];
    const std::string& name = columns[i].csv;
    if (entry.is_empty() && !entry.reason.empty()) {
      reasons[name] = entry.reason;
      words.push_back(fmt::format("{}: {}", name, entry.reason));
    }
    if (!entry.notes.empty()) notes[name] = entry.notes;
    for (const std::string& note : entry.notes) words.push_back(fmt::format("{}: {}", name, note));
  }
  row.entries.push_back({.value = is_published(row)});
  row.entries.push_back({.value = std::move(reasons)});
  row.entries.push_back({.value = std::move(notes)});
  if (names_origin) row.entries.push_back({.value = is_published(row) ? "published" : "measured"});
  row.entries.push_back(text_entry(text::join(words, "; ")));
}

}  // namespace

Column column(const std::string& name, std::string heading, Kind kind) {
  const bool is_beside = kind == Kind::deviation || kind == Kind::low || kind == Kind::high;
  return {
      .csv = name, .json = "values." + name, .heading = std::move(heading), .is_for_people = !is_beside, .kind = kind};
}

void add_row(Document& document, Row row) {
  std::vector<Section>& sections = document.table.sections;
  if (sections.empty()) sections.emplace_back();
  sections.front().rows.push_back(std::move(row));
}

void complete(Document& document) {
  std::vector<Column>& columns = document.table.columns;
  document.json_rows = "rows";
  document.extra = {{"name", document.name},
                    {"title", document.title},
                    {"columns", columns_json(columns)},
                    {"remarks", document.remarks}};
  bool names_origin = false;
  for (const Section& section : document.table.sections) {
    names_origin = names_origin || std::any_of(section.rows.begin(), section.rows.end(), is_published);
  }
  for (Section& section : document.table.sections) {
    for (Row& row : section.rows) complete_row(columns, row, names_origin);
  }
  for (const char* const name : {"is_published", "reasons", "notes"}) columns.push_back({.json = name});
  if (names_origin) columns.push_back({.csv = "origin", .kind = Kind::text});
  columns.push_back({.csv = "notes", .kind = Kind::text});
}

}  // namespace ngb::report::tables

// SPDX-License-Identifier: Apache-2.0
#include "paper/tables/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/words.h"

namespace ngb::paper::tables {

namespace {

struct PaperTable {
  const char* name;  // of its file
  const char* title;
  // Returns columns, rows and remarks, or the reason why there are no rows; before `complete`.
  Document (*make)(const Input& input);
};
// name, title, make
constexpr std::array kPaperTables{
    PaperTable{"table1_devices", "Devices (the paper's Table I)", devices},
    PaperTable{"table2_compilers", "Compilers and their settings (the paper's Table II)", compilers},
    PaperTable{"table3_compile_seconds",
               "Seconds to compile and tune the largest model of each group (the paper's Table III)", compile_times},
    PaperTable{"table4_models", "Models (the paper's Table IV)", models},
    PaperTable{"table5_blocks", "Parameters of a block (the paper's Table V)", blocks},
    PaperTable{"table6_families", "Throughput and CPU use of groups of models, by batch size (the paper's Table VI)",
               families},
    PaperTable{"table7_conv_depth",
               "Speed-up over the depth of convolution blocks, by width and batch size (the paper's Table VII)",
               conv_depth},
    PaperTable{"table8_mha_depth",
               "Speed-up over the depth of attention blocks, by width and batch size (the paper's Table VIII)",
               mha_depth},
};

}  // namespace

std::vector<Document> make_all(const Input& input) {
  std::vector<Document> all;
  for (const PaperTable& each : kPaperTables) {
    Document made = each.make(input);
    made.name = each.name;
    made.title = each.title;
    complete(made);
    all.push_back(std::move(made));
  }
  return all;
}

namespace {

using nlohmann::json;

std::string_view name_of_kind(Kind kind) {
  constexpr EnumWords<6> kWords{"text", "count", "number", "deviation", "low", "high"};
  return word_in(kWords, kind);
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

}  // namespace ngb::paper::tables

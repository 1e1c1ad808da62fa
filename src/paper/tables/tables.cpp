// SPDX-License-Identifier: Apache-2.0
#include "paper/tables/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

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

bool is_published(const Row& row) { return !row.note.empty(); }

// Returns the reasons and notes of the row's entries as one text.
std::string words_beside(const std::vector<Column>& columns, const Row& row) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Entry& entry = row.entries[i];
    const bool has_reason = entry.is_empty() && !entry.reason.empty();
    if (has_reason) words.push_back(fmt::format("{}: {}", columns[i].csv, entry.reason));
    for (const std::string& note : entry.notes) words.push_back(fmt::format("{}: {}", columns[i].csv, note));
  }
  return text::join(words, "; ");
}

}  // namespace

Column column(const std::string& name, std::string heading, Kind kind) {
  const bool is_beside = kind == Kind::deviation || kind == Kind::low || kind == Kind::high;
  return {.csv = name, .heading = std::move(heading), .is_for_people = !is_beside, .kind = kind};
}

void add_row(Document& document, Row row) {
  std::vector<Section>& sections = document.table.sections;
  if (sections.empty()) sections.emplace_back();
  sections.front().rows.push_back(std::move(row));
}

void complete(Document& document) {
  std::vector<Column>& columns = document.table.columns;
  bool names_origin = false;
  for (const Section& section : document.table.sections) {
    names_origin = names_origin || std::any_of(section.rows.begin(), section.rows.end(), is_published);
  }
  for (Section& section : document.table.sections) {
    for (Row& row : section.rows) {
      std::string words = words_beside(columns, row);
      if (names_origin) row.entries.push_back({.value = is_published(row) ? "published" : "measured"});
      row.entries.push_back(text_entry(std::move(words)));
    }
  }
  if (names_origin) columns.push_back({.csv = "origin", .kind = Kind::text});
  columns.push_back({.csv = "notes", .kind = Kind::text});
}

}  // namespace ngb::paper::tables

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "report/tables/formats.h"
#include "report/tables/shown_table.h"
#include "report/write/markdown.h"

namespace ngb::report::tables {
namespace {

// Escapes what markdown_text leaves, because it means nothing within a word: emphasis, entities, mathematics.
std::string literal(const std::string& given) {
  std::string text;
  for (const char character : markdown_text(text::visible(given))) {
    if (character == '&') {
      text += "&amp;";
      continue;
    }
    if (std::string_view("_~$").find(character) != std::string_view::npos) text += '\\';
    text += character;
  }
  return text;
}

std::string markdown_field_of(const ShownField& field) {
  std::string text = literal(field.main);
  if (!field.deviation.empty()) text += " ± " + field.deviation;
  if (!field.low.empty()) text += fmt::format(" [{}, {}]", field.low, field.high);
  if (!field.notes.empty()) text += fmt::format("<sup>{}</sup>", marks_of(field));
  return text;
}

}  // namespace

std::string to_markdown(const Table& table) {
  const ShownTable people = shown(table);
  std::vector<std::string> headings;
  std::vector<std::string> alignments;
  for (const ShownColumn& column : people.columns) {
    headings.push_back(literal(column.heading));
    alignments.emplace_back(column.is_text ? "---" : "---:");
  }
  std::string text =
      fmt::format("**{}**\n\n", literal(table.title)) + markdown_line(headings) + markdown_line(alignments);
  for (const std::vector<ShownField>& row : people.rows) {
    std::vector<std::string> fields;
    for (const ShownField& field : row) fields.push_back(markdown_field_of(field));
    text += markdown_line(fields);
  }
  if (!people.notes.empty()) text += '\n';
  for (std::size_t i = 0; i < people.notes.size(); ++i) {
    text += fmt::format("- <sup>{}</sup> {}\n", mark_of_note(i), literal(people.notes[i]));
  }
  for (const std::string& remark : table.remarks) text += '\n' + literal(remark) + '\n';
  return text;
}

}  // namespace ngb::report::tables

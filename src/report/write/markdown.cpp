// SPDX-License-Identifier: Apache-2.0
#include "report/write/markdown.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ngb::report {
namespace {

// Cuts between two characters, never within one.
std::string bounded(const std::string& text, std::size_t most_characters) {
  if (most_characters == 0 || text.size() <= most_characters) return text;
  const std::string valid = text::to_utf8(text);
  std::size_t end = std::min(most_characters, valid.size());
  while (end > 0 && (static_cast<unsigned char>(valid[end]) & 0xC0U) == 0x80U) --end;
  return valid.substr(0, end) + "…";
}

std::string markdown_entry(const Entry& entry, const Column& column, std::size_t most_characters) {
  const Shown shown = shown_entry(entry, column);
  const std::string words = markdown_text(bounded(shown.main, most_characters)) + text::visible(shown.tail);
  return entry.style == Style::bad && entry.value.is_string() ? fmt::format("**{}**", words) : words;
}

}  // namespace

std::string markdown_text(std::string_view given) {
  std::string result;
  for (const char character : text::visible(given)) {
    if (std::string_view("\\|`*<[").find(character) != std::string_view::npos) result += '\\';
    result += character == '\n' || character == '\r' ? ' ' : character;
  }
  return result;
}

std::string markdown_line(const std::vector<std::string>& fields) {
  return fmt::format("| {} |\n", text::join(fields, " | "));
}

std::string markdown_header(std::span<const Column> columns) {
  std::vector<std::string> headings;
  std::vector<std::string> alignments;
  for (const Column& column : columns) {
    if (!column.is_for_people) continue;
    headings.push_back(column.heading);
    alignments.emplace_back(column.kind == Kind::text ? "---" : "---:");
  }
  return markdown_line(headings) + markdown_line(alignments);
}

std::vector<std::string> markdown_fields(std::span<const Column> columns, const Row& row, std::size_t most_characters) {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_for_people) fields.push_back(markdown_entry(row.entries[i], columns[i], most_characters));
  }
  return fields;
}

std::string markdown_row(std::span<const Column> columns, const Row& row, std::size_t most_characters) {
  return markdown_line(markdown_fields(columns, row, most_characters));
}

std::string to_markdown(const Document& document) {
  const Table& table = document.table;
  std::string text = document.summary.empty() ? "" : document.summary + "\n\n";
  text += markdown_header(table.columns);
  NotListed folded;
  for (const Section& section : table.sections) {
    section.each_row([&](const Row& row) {
      if (row.is_folded) {
        folded.add(row);
      } else {
        text += markdown_row(table.columns, row);
      }
    });
  }
  if (folded.count() > 0) text += fmt::format("\n… and {}; `--all` shows them\n", folded.words(table));
  for (const std::string& remark : document.remarks) text += '\n' + markdown_text(remark) + '\n';
  return text;
}

}  // namespace ngb::report

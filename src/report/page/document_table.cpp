// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_parts.h"

namespace ngb::report::page {
namespace {

std::string text_in_table(const Entry& entry, const Column& column) {
  const Shown shown = shown_entry(entry, column);
  return shown.main + shown.tail;
}

}  // namespace

std::string document_table(const Document& document, const Section& section) {
  std::vector<std::size_t> places;
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < document.table.columns.size(); ++i) {
    if (!document.table.columns[i].is_for_people) continue;
    places.push_back(i);
    columns.push_back(document.table.columns[i].heading);
  }
  std::vector<std::vector<std::string>> rows;
  section.each_row([&](const Row& row) {
    if (row.is_folded) return;
    std::vector<std::string>& fields = rows.emplace_back();
    for (const std::size_t place : places) {
      const bool has_rest = row.rest && fields.size() == 1;
      fields.push_back(text_in_table(has_rest ? *row.rest : row.entries[place], document.table.columns[place]));
      if (has_rest) return;
    }
  });
  return html_table(section.title, columns, rows);
}

}  // namespace ngb::report::page

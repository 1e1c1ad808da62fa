// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>

#include "base/text.h"
#include "report/text_width.h"

namespace ngb::report {
namespace {

constexpr int kGap = 2;  // between columns

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(0, count)), ' '); }

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string styled(const std::string& text, Style style, bool color) {
  if (!color || text.empty()) return text;
  switch (style) {
    case Style::plain:
      return text;
    case Style::heading:
      return "\x1b[1m" + text + "\x1b[0m";
    case Style::good:
      return "\x1b[32m" + text + "\x1b[0m";
    case Style::bad:
      return "\x1b[31m" + text + "\x1b[0m";
    case Style::notice:
      return "\x1b[33m" + text + "\x1b[0m";
  }
  return text;
}

TableLayout::TableLayout(const std::vector<TableColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns_.push_back({i, columns[i], width_of(columns[i].heading), 0, 0});
}

int TableLayout::Column::total() const { return std::max(heading, main + tail); }

int TableLayout::width() const {
  int sum = 0;
  for (const Column& column : columns_) sum += kGap + column.total();
  return sum;
}

void TableLayout::add(const TableRow& row) {
  for (Column& column : columns_) {
    if (row.rest && column.index > 0) continue;
    column.main = std::max(column.main, width_of(row.cells[column.index].main));
    column.tail = std::max(column.tail, width_of(row.cells[column.index].tail));
  }
}

void TableLayout::widen(std::size_t column, int width) {
  for (Column& each : columns_) {
    if (each.index == column) each.main = std::max(each.main, width);
  }
}

void TableLayout::merge(const TableLayout& other) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].main = std::max(columns_[i].main, other.columns_[i].main);
    columns_[i].tail = std::max(columns_[i].tail, other.columns_[i].tail);
  }
}

void TableLayout::leave_out(std::size_t column) {
  std::erase_if(columns_, [column](const Column& each) { return each.index == column; });
}

std::vector<std::string> TableLayout::fit(int width) {
  std::vector<std::string> left_out;
  while (width > 0 && this->width() > width) {
    const auto worst = std::max_element(columns_.begin(), columns_.end(), [](const Column& a, const Column& b) {
      return a.described.rank < b.described.rank;
    });
    if (worst == columns_.end() || worst->described.rank == 0) break;
    left_out.push_back(worst->described.heading);
    columns_.erase(worst);
  }
  return left_out;
}

std::string TableLayout::header(bool color) const {
  std::string line;
  for (const Column& column : columns_) {
    const TableColumn& described = column.described;
    const std::string pad = padding(described.heading, column.total());
    const std::string heading = styled(described.heading, Style::heading, color);
    line += spaces(kGap) + (described.is_left_aligned ? heading + pad : pad + heading);
  }
  return without_trailing_spaces(std::move(line)) + '\n';
}

std::string TableLayout::line(const TableRow& row, int width, bool color) const {
  std::string line;
  int used = 0;
  for (const Column& column : columns_) {
    line += spaces(kGap);
    used += kGap;
    if (row.rest && column.index > 0) {
      const std::string text = row.rest->main + row.rest->tail;
      line += styled(width > 0 ? shortened(text, std::max(1, width - used)) : text, row.rest->style, color);
      break;
    }
    const TableCell& cell = row.cells[column.index];
    const std::string text = cell.main + cell.tail;
    const int total = column.total();
    used += total;
    if (column.described.is_left_aligned) {
      line += styled(text, cell.style, color) + padding(text, total);
      continue;
    }
    line += spaces(total - column.tail - width_of(cell.main)) + styled(text, cell.style, color) +
            padding(cell.tail, column.tail);
  }
  return without_trailing_spaces(std::move(line)) + '\n';
}

TableRow visible_row(TableRow row) {
  const auto make_visible = [](TableCell& cell) {
    cell.main = text::visible(cell.main);
    cell.tail = text::visible(cell.tail);
  };
  for (TableCell& cell : row.cells) make_visible(cell);
  if (row.rest) make_visible(*row.rest);
  return row;
}

Rendering render(const Table& given, int width, bool color) {
  Table table = given;
  TableLayout layout(table.columns);
  for (TableSection& section : table.sections) {
    section.title = text::visible(section.title);
    for (TableRow& row : section.rows) {
      row = visible_row(std::move(row));
      layout.add(row);
    }
  }
  Rendering rendering;
  rendering.left_out = layout.fit(width);
  rendering.text = layout.header(color);
  for (const TableSection& section : table.sections) {
    rendering.text += '\n' + styled(section.title, Style::heading, color) + '\n';
    for (const TableRow& row : section.rows) rendering.text += layout.line(row, width, color);
  }
  return rendering;
}

}  // namespace ngb::report

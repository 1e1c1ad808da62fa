// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>

#include "base/text.h"
#include "report/text_width.h"

namespace ngb::report {
namespace {

constexpr int kGap = 2;  // between columns

struct Layout {
  struct Column {
    std::size_t index = 0;  // into Table::columns
    int main = 0;
    int tail = 0;
    int total = 0;
  };
  std::vector<Column> columns{};

  [[nodiscard]] int width() const {
    int sum = 0;
    for (const Column& column : columns) sum += kGap + column.total;
    return sum;
  }
};

Layout measure(const Table& table) {
  Layout layout;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Layout::Column column{i, 0, 0, 0};
    for (const TableSection& section : table.sections) {
      for (const TableRow& row : section.rows) {
        if (row.rest && i > 0) continue;
        column.main = std::max(column.main, width_of(row.cells[i].main));
        column.tail = std::max(column.tail, width_of(row.cells[i].tail));
      }
    }
    column.total = std::max(width_of(table.columns[i].heading), column.main + column.tail);
    layout.columns.push_back(column);
  }
  return layout;
}

// Leaves out columns of the highest rank until the rest fits.
std::vector<std::string> fit(const Table& table, int width, Layout& layout) {
  std::vector<std::string> left_out;
  while (width > 0 && layout.width() > width) {
    const auto rank = [&](const Layout::Column& column) { return table.columns[column.index].rank; };
    const auto worst = std::max_element(layout.columns.begin(), layout.columns.end(),
                                        [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    if (worst == layout.columns.end() || rank(*worst) == 0) break;
    left_out.push_back(table.columns[worst->index].heading);
    layout.columns.erase(worst);
  }
  return left_out;
}

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(0, count)), ' '); }

std::string aligned(const TableCell& cell, const Layout::Column& column, bool is_left_aligned, bool color) {
  const std::string text = cell.main + cell.tail;
  if (is_left_aligned) return styled(text, cell.style, color) + padding(text, column.total);
  const int before = column.total - column.main - column.tail + column.main - width_of(cell.main);
  return spaces(before) + styled(text, cell.style, color) + padding(cell.tail, column.tail);
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string header(const Table& table, const Layout& layout, bool color) {
  std::string line;
  for (const Layout::Column& column : layout.columns) {
    const TableColumn& described = table.columns[column.index];
    const std::string pad = padding(described.heading, column.total);
    const std::string heading = styled(described.heading, Style::heading, color);
    line += spaces(kGap) + (described.is_left_aligned ? heading + pad : pad + heading);
  }
  return without_trailing_spaces(std::move(line)) + '\n';
}

std::string line_of(const Table& table, const Layout& layout, const TableRow& row, int width, bool color) {
  std::string line;
  int used = 0;
  for (const Layout::Column& column : layout.columns) {
    line += spaces(kGap);
    used += kGap;
    if (row.rest && column.index > 0) {
      const std::string text = row.rest->main + row.rest->tail;
      line += styled(width > 0 ? shortened(text, std::max(1, width - used)) : text, row.rest->style, color);
      break;
    }
    line += aligned(row.cells[column.index], column, table.columns[column.index].is_left_aligned, color);
    used += column.total;
  }
  return without_trailing_spaces(std::move(line)) + '\n';
}

// Makes control characters visible: labels and messages come from results files and devices, and only the styles may
// command the terminal.
Table with_visible_texts(Table table) {
  const auto make_visible = [](TableCell& cell) {
    cell.main = text::visible(cell.main);
    cell.tail = text::visible(cell.tail);
  };
  for (TableSection& section : table.sections) {
    section.title = text::visible(section.title);
    for (TableRow& row : section.rows) {
      for (TableCell& cell : row.cells) make_visible(cell);
      if (row.rest) make_visible(*row.rest);
    }
  }
  return table;
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

Rendering render(const Table& given, int width, bool color) {
  const Table table = with_visible_texts(given);
  Layout layout = measure(table);
  Rendering rendering;
  rendering.left_out = fit(table, width, layout);
  rendering.text = header(table, layout, color);
  for (const TableSection& section : table.sections) {
    rendering.text += '\n' + styled(section.title, Style::heading, color) + '\n';
    for (const TableRow& row : section.rows) rendering.text += line_of(table, layout, row, width, color);
  }
  return rendering;
}

}  // namespace ngb::report

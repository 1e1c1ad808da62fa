// SPDX-License-Identifier: Apache-2.0
// Lays out a text table of several sections whose columns have the same width in all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ngb::report {

enum class Style { plain, heading, good, bad, notice };

// A cell of the table, in two parts: {"52.1", " ± 1.2"}. The main parts of a column are right-aligned to each other.
struct TableCell {
  std::string main{};
  std::string tail{};
  Style style = Style::plain;
};

struct TableColumn {
  std::string heading{};
  bool is_left_aligned = false;
  int rank = 0;  // 0: never left out; otherwise the highest rank is left out first if the table is too wide
};

struct TableRow {
  std::vector<TableCell> cells{};   // one for each column
  std::optional<TableCell> rest{};  // text that replaces the cells from the second column on
};

struct TableSection {
  std::string title{};
  std::vector<TableRow> rows{};
};

struct Table {
  std::vector<TableColumn> columns{};
  std::vector<TableSection> sections{};
};

struct Rendering {
  std::string text{};
  std::vector<std::string> left_out{};  // headings of the columns that did not fit
};

// The widths of a table's columns, for a table whose rows are not in memory together: all rows are added first, then
// printed one after the other. Texts of rows are printed as they are, so they must be visible (visible_row).
class TableLayout {
 public:
  explicit TableLayout(const std::vector<TableColumn>& columns);

  void add(const TableRow& row);
  // Makes a column wide enough for a main part of this width.
  void widen(std::size_t column, int width);
  // Makes each column as wide as that of another layout of the same columns.
  void merge(const TableLayout& other);
  void leave_out(std::size_t column);
  // Leaves out columns of the highest rank until the rest fits. Returns their headings.
  std::vector<std::string> fit(int width);

  [[nodiscard]] std::string header(bool color) const;
  // `width` limits a text that replaces cells; 0: no limit.
  [[nodiscard]] std::string line(const TableRow& row, int width, bool color) const;

 private:
  struct Column {
    std::size_t index = 0;  // into the row's cells
    TableColumn described{};
    int heading = 0;  // widths
    int main = 0;
    int tail = 0;
    [[nodiscard]] int total() const;
  };
  [[nodiscard]] int width() const;

  std::vector<Column> columns_{};
};

// Makes control characters visible: labels and messages come from results files and devices, and only the styles may
// command the terminal.
TableRow visible_row(TableRow row);

// `width`: columns of the terminal; 0: no limit. `color`: ANSI escapes.
Rendering render(const Table& table, int width, bool color);

// Returns the text with the ANSI escapes of its style, or unchanged without `color`.
std::string styled(const std::string& text, Style style, bool color);

}  // namespace ngb::report

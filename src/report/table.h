// SPDX-License-Identifier: Apache-2.0
// Lays out a text table of several sections whose columns have the same width in all of them.
#pragma once

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

// `width`: columns of the terminal; 0: no limit. `color`: ANSI escapes.
Rendering render(const Table& table, int width, bool color);

// Returns the text with the ANSI escapes of its style, or unchanged without `color`.
std::string styled(const std::string& text, Style style, bool color);

}  // namespace ngb::report

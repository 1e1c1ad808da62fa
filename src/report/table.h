// SPDX-License-Identifier: Apache-2.0
// Lays out a text table: columns of equal width over all its sections, narrow enough for a terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ngb::report {

enum class Style { plain, heading, good, bad, notice };

// A number and what belongs to it: {"52.1", " ± 1.2"}. Numbers of a column end below each other.
struct TableCell {
  std::string main{};
  std::string tail{};
  Style style = Style::plain;
};

struct TableColumn {
  std::string heading{};
  bool is_left_aligned = false;
  int rank = 0;  // 0: always there; else the highest rank is left out first where the table is too wide
};

struct TableRow {
  std::vector<TableCell> cells{};   // one for each column
  std::optional<TableCell> rest{};  // fills the row from the second column on, instead of the cells there
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

// The text in its style, or as it is.
std::string styled(const std::string& text, Style style, bool color);

}  // namespace ngb::report

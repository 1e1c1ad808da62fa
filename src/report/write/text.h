// SPDX-License-Identifier: Apache-2.0
// Writes tables as text for a terminal: the columns of people, as wide in all sections of a table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/document.h"

namespace ngb::report {

// Returns the summary, the table, what it has no room for, and the remarks.
std::string to_text(const Document& document, const Screen& screen);

struct RenderedTable {
  std::string text{};
  std::vector<std::string> left_out{};  // headings of the columns that did not fit
};
// `width`: columns of the terminal; 0: no limit. Control characters in texts are made visible.
RenderedTable render(const Table& table, int width, bool color);

// Returns the text with the ANSI escapes of its style, or unchanged without `color`.
std::string styled(const std::string& text, Style style, bool color);

// An entry as it is printed, in two parts: {"52.1", " ± 1.2"}. The main parts of a column are right-aligned to each
// other.
struct TextField {
  std::string main{};
  std::string tail{};
  Style style = Style::plain;
};
struct TextRow {
  std::vector<TextField> fields{};  // one for each column of people
  std::optional<TextField> rest{};  // replaces the fields from the second on
};
// Control characters are made visible: labels and messages come from results files and devices, and only the styles may
// command the terminal.
TextRow text_row(std::span<const Column> columns, const Row& row);

// The widths of a table's columns, for a table whose rows are not in memory together: all rows are added first, then
// printed one after the other.
class TextLayout {
 public:
  // Has the columns of people. `may_stack`: the first one gets lines of its own if the table is too wide.
  explicit TextLayout(std::span<const Column> columns, bool may_stack = false);

  void add(const TextRow& row);
  // Makes a column wide enough for a main part of this width.
  void widen(std::size_t column, int width);
  void leave_out(std::size_t column);
  // Leaves out columns of the highest rank until the rest fits. Returns their headings.
  std::vector<std::string> fit(int width);

  [[nodiscard]] std::string header(bool color) const;
  // `width` limits a text that replaces fields; 0: no limit.
  [[nodiscard]] std::string line(const TextRow& row, int width, bool color) const;
  // Returns how wide a text that replaces fields may be.
  [[nodiscard]] int room_of_rest(int width) const;

 private:
  struct Place {
    std::size_t index = 0;  // into the row's fields
    std::string heading{};
    bool is_left_aligned = false;
    int rank = 0;
    int main = 0;  // widths
    int tail = 0;
    [[nodiscard]] int total() const;
  };
  [[nodiscard]] int width() const;
  // Returns what comes before the place in a line.
  [[nodiscard]] std::string before(const Place& place) const;

  std::vector<Place> places_{};
  bool may_stack_ = false;
  bool is_stacked_ = false;
};

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
// Lays out a table for a publication: rounded numbers with deviations and bounds beside them, and footnotes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/document.h"

namespace ngb::report {

// Returns how many decimals show four significant digits: 104.69 -> 1, 0.08924 -> 5; at most 7, and 3 for 0.
int decimals_of_four_digits(double value);
// What is known of how far off a number may be.
struct Uncertainty {
  std::optional<double> deviation{};
  std::optional<double> low{};  // 95 % interval
  std::optional<double> high{};
};
// Returns how many decimals show two digits of half the interval, else of the deviation: 104.69 ± 0.57 -> 2; four
// digits of the number if there is neither.
int decimals_of(double value, const Uncertainty& uncertainty);
// Returns "104.7", with a minus sign if the value is below 0.
std::string rounded(double value, int decimals);

struct ShownField {
  std::string main{};       // the text, or the number; "" for none
  std::string deviation{};  // likewise, with as many decimals as the number
  std::string low{};
  std::string high{};
  std::vector<std::size_t> notes{};  // indices of ShownTable::notes

  [[nodiscard]] bool has_tail() const { return !deviation.empty() || !low.empty() || !notes.empty(); }
};

struct ShownColumn {
  std::string heading{};
  bool is_text = false;   // else its fields are numbers
  bool has_tail = false;  // one of its numbers has something beside it
};

struct ShownTable {
  std::vector<ShownColumn> columns{};
  std::vector<std::vector<ShownField>> rows{};
  std::vector<std::string> notes{};  // without repetitions, in the order of their first marks
};

// Texts of the result are those of the document, unescaped.
ShownTable shown(const Document& document);

// Returns the mark of a footnote: 0 -> "a", 25 -> "z", 26 -> "aa".
std::string mark_of_note(std::size_t index);
// Returns "a,c".
std::string marks_of(const ShownField& field);

}  // namespace ngb::report

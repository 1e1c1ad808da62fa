// SPDX-License-Identifier: Apache-2.0
#include "report/write/publication.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace ngb::report {
namespace {

// Returns how many decimals the shortest text of the number has.
int decimals_written(double value) {
  const std::string text = fmt::format("{}", value);
  constexpr int kMany = 7;
  if (text.find('e') != std::string::npos) return kMany;
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

// Drops from the front what names a cell, as in "resnet18, batch 8: not measured yet": row and column tell which one it
// is. CSV and JSON have the whole reason.
std::string brief(std::string reason) {
  while (true) {
    const std::size_t end = reason.find(": ");
    if (end == std::string::npos) return reason;
    const std::string_view begin = std::string_view(reason).substr(0, end);
    if (!begin.starts_with("depth ") && begin.find(", batch ") == std::string_view::npos) return reason;
    reason.erase(0, end + 2);
  }
}

bool is_main(Kind kind) { return kind == Kind::text || kind == Kind::count || kind == Kind::number; }

class Layouter {
 public:
  explicit Layouter(const Document& document) : document_(document), columns_(document.table.columns) {}

  ShownTable lay_out() {
    for (const Column& column : columns_) {
      if (column.is_for_people) shown_.columns.push_back({column.heading, column.kind == Kind::text, false});
    }
    for (const Section& section : document_.table.sections) {
      for (const Row& row : section.rows) add(row);
    }
    return std::move(shown_);
  }

 private:
  void add(const Row& row) {
    std::vector<ShownField> fields;
    if (!row.note.empty()) (void)note_of(row.note);
    int decimals = 0;  // of the number to which deviations and bounds belong
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      const Entry& entry = row.entries[i];
      switch (columns_[i].kind) {
        case Kind::text:
        case Kind::count:
        case Kind::number:
          if (!columns_[i].is_for_people) break;
          decimals = columns_[i].kind == Kind::number ? decimals_at(row, i) : 0;
          fields.push_back(field_of(entry, decimals));
          break;
        case Kind::deviation:
          if (entry.number()) fields.back().deviation = rounded(*entry.number(), decimals);
          break;
        case Kind::low:
          if (entry.number()) fields.back().low = rounded(*entry.number(), decimals);
          break;
        case Kind::high:
          if (entry.number()) fields.back().high = rounded(*entry.number(), decimals);
          break;
      }
    }
    if (!row.note.empty() && !fields.empty()) fields.front().notes.push_back(note_of(row.note));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      ShownColumn& column = shown_.columns[i];
      column.has_tail = column.has_tail || (!column.is_text && fields[i].has_tail());
    }
    shown_.rows.push_back(std::move(fields));
  }

  // Returns how many decimals show two digits of the uncertainty, or four of a number without one, but no more than it
  // or anything beside it has.
  [[nodiscard]] int decimals_at(const Row& row, std::size_t column) const {
    const auto number = row.entries[column].number();
    if (!number) return 0;
    int written = decimals_written(*number);
    Uncertainty uncertainty;
    for (std::size_t i = column + 1; i < row.entries.size() && !is_main(columns_[i].kind); ++i) {
      const auto beside = row.entries[i].number();
      if (!beside) continue;
      written = std::max(written, decimals_written(*beside));
      const Kind kind = columns_[i].kind;
      (kind == Kind::deviation ? uncertainty.deviation
       : kind == Kind::low     ? uncertainty.low
                               : uncertainty.high) = beside;
    }
    if (!row.note.empty()) uncertainty = {};  // a row that was copied keeps its digits
    return std::min(written, decimals_of(*number, uncertainty));
  }

  ShownField field_of(const Entry& entry, int decimals) {
    ShownField field;
    field.main = entry.number()            ? rounded(*entry.number(), decimals)
                 : entry.value.is_string() ? entry.value.get<std::string>()
                                           : "";
    if (entry.is_empty() && !entry.reason.empty()) field.notes.push_back(note_of(brief(entry.reason)));
    for (const std::string& note : entry.notes) field.notes.push_back(note_of(note));
    return field;
  }

  // Returns the index of a footnote, which is added if it is new.
  std::size_t note_of(const std::string& note) {
    const auto found = std::find(shown_.notes.begin(), shown_.notes.end(), note);
    const auto index = static_cast<std::size_t>(found - shown_.notes.begin());
    if (found == shown_.notes.end()) shown_.notes.push_back(note);
    return index;
  }

  const Document& document_;
  const std::vector<Column>& columns_;
  ShownTable shown_{};
};

}  // namespace

int decimals_of_four_digits(double value) {
  constexpr int kMostDecimals = 7;
  constexpr int kDigits = 4;
  if (value == 0) return kDigits - 1;
  const int digits_before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return std::clamp(kDigits - digits_before_point, 0, kMostDecimals);
}

int decimals_of(double value, const Uncertainty& uncertainty) {
  constexpr int kMostDecimals = 7;
  const double size = uncertainty.low && uncertainty.high ? (*uncertainty.high - *uncertainty.low) / 2
                                                          : uncertainty.deviation.value_or(0);
  constexpr double kRounding = 1e-9;  // of the value
  if (!(size > kRounding * std::abs(value)) || !std::isfinite(size)) return decimals_of_four_digits(value);
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(size))), 0, kMostDecimals);
}

std::string rounded(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

ShownTable shown(const Document& document) { return Layouter(document).lay_out(); }

std::string mark_of_note(std::size_t index) {
  constexpr std::size_t kLetters = 26;
  const std::string last(1, static_cast<char>('a' + index % kLetters));
  return index < kLetters ? last : mark_of_note(index / kLetters - 1) + last;
}

std::string marks_of(const ShownField& field) {
  std::vector<std::string> marks;
  for (const std::size_t note : field.notes) marks.push_back(mark_of_note(note));
  return text::join(marks, ",");
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "report/tables/shown_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/tables/paper_tables.h"

namespace ngb::report::tables {
namespace {

class Layouter {
 public:
  explicit Layouter(const Table& table) : table_(table) {}

  ShownTable lay_out() {
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      const Column& column = table_.columns[i];
      if (column.kind == Kind::text || column.kind == Kind::count || column.kind == Kind::number) {
        shown_.columns.push_back({column.heading, column.kind == Kind::text, false});
      }
    }
    for (const Row& row : table_.rows) add(row);
    return std::move(shown_);
  }

 private:
  void add(const Row& row) {
    std::vector<ShownField> fields;
    int decimals = 0;  // of the number to which deviations and bounds belong
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      const Entry& entry = row.entries[i];
      switch (table_.columns[i].kind) {
        case Kind::text:
        case Kind::count:
        case Kind::number:
          decimals =
              table_.columns[i].kind == Kind::number && entry.number ? decimals_of_four_digits(*entry.number) : 0;
          fields.push_back(field_of(entry, decimals));
          break;
        case Kind::deviation:
          if (entry.number) fields.back().deviation = rounded(*entry.number, decimals);
          break;
        case Kind::low:
          if (entry.number) fields.back().low = rounded(*entry.number, decimals);
          break;
        case Kind::high:
          if (entry.number) fields.back().high = rounded(*entry.number, decimals);
          break;
      }
    }
    if (row.is_published && !fields.empty()) add_note(fields.front(), kPublishedNote);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      ShownColumn& column = shown_.columns[i];
      column.has_tail = column.has_tail || (!column.is_text && fields[i].has_tail());
    }
    shown_.rows.push_back(std::move(fields));
  }

  ShownField field_of(const Entry& entry, int decimals) {
    ShownField field;
    field.main = entry.number ? rounded(*entry.number, decimals) : entry.text;
    if (entry.is_empty() && !entry.reason.empty()) add_note(field, entry.reason);
    for (const std::string& note : entry.notes) add_note(field, note);
    return field;
  }

  void add_note(ShownField& field, const std::string& note) {
    const auto found = std::find(shown_.notes.begin(), shown_.notes.end(), note);
    field.notes.push_back(static_cast<std::size_t>(found - shown_.notes.begin()));
    if (found == shown_.notes.end()) shown_.notes.push_back(note);
  }

  const Table& table_;
  ShownTable shown_{};
};

}  // namespace

int decimals_of_four_digits(double value) {
  constexpr int kMostDecimals = 7;
  constexpr int kDigits = 4;
  if (value == 0) return 0;
  const int digits_before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return std::clamp(kDigits - digits_before_point, 0, kMostDecimals);
}

std::string rounded(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

ShownTable shown(const Table& table) { return Layouter(table).lay_out(); }

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

}  // namespace ngb::report::tables

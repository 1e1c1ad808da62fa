// SPDX-License-Identifier: Apache-2.0
// What a command has to print, before any format: rows of entries under described columns. write/ has a file for each
// format, formats.h lists them.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ngb::report {

enum class Style { plain, heading, good, bad, notice };

// A value of a row: a text, a number with what belongs to it, a mapping (options), or the reason why there is none.
struct Entry {
  nlohmann::json value{};       // null: none
  std::optional<double> low{};  // 95 % interval of a number
  std::optional<double> high{};
  std::optional<double> deviation{};
  std::string reason{};              // why there is no value; "" if the entry is meant to be empty
  std::string over{};                // what a ratio refers to if its column does not say so: "f32"
  std::vector<std::string> notes{};  // on the value, as footnotes of a publication
  std::string tail{};                // for people, after all else that is beside the value: ", SE 0.02"
  Style style = Style::plain;

  [[nodiscard]] bool is_empty() const { return value.is_null(); }
  // Returns the value if it is a number.
  [[nodiscard]] std::optional<double> number() const;
};

// A deviation, or a low and a high bound, is a column of its own in the tables of a publication, and belongs to the
// number in the column before it: people see it there ("52.1 ± 1.2", "1.02 [0.98, 1.06]").
enum class Kind { text, count, number, deviation, low, high };

// A column has a name in each format that has it.
struct Column {
  std::string csv{};           // "baseline_cell_id"; "": CSV lacks the column
  std::string json{};          // where the value is within a row: "baseline.cell_id"; "": JSON lacks it
  std::string heading{};       // in tables for people
  std::string unit{};          // as in metrics/metric.h; "": of a text, a mapping or a plain number
  bool is_for_people = false;  // text and Markdown have the column
  bool is_in_titles = false;   // but text has it in the titles of its sections
  Kind kind = Kind::number;    // people see texts aligned to the left
  bool is_brief = false;       // people see its numbers without what is beside them
  int rank = 0;  // 0: never left out; otherwise the highest rank is left out first if a text table is too wide
  bool has_interval = false;
  bool has_reason = false;  // of an unknown value, which CSV and JSON give; a key has none
};

// Returns a column that CSV and JSON have under the same name.
Column data_column(std::string name);
// Does the same for numbers, with the reasons of unknown ones.
Column quantity_column(std::string name, std::string unit, bool has_interval);
// Returns columns that only people see: of texts, which are aligned to the left, and of numbers.
Column text_column(std::string heading, int rank = 0);
Column number_column(std::string heading, int rank = 0, std::string unit = {});
// Returns the column of people with a name in CSV and JSON.
Column named(std::string name, Column column);

struct Row {
  std::vector<Entry> entries{};  // one for each column
  std::optional<Entry> rest{};   // text: what replaces the entries of all columns for people but the first
  bool is_folded = false;        // text and Markdown do not list the row but count it
  std::string counted_as{};      // where it is not listed: "same"
  std::string note{};            // on the whole row, as a footnote of a publication
};

// The columns of a table, each with the function that makes its entry from what a row is about.
template <class... About>
class MadeColumns {
 public:
  using Make = std::function<Entry(const About&... about)>;
  void add(Column column, Make make) {
    columns_.push_back(std::move(column));
    makes_.push_back(std::move(make));
  }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] Row row(const About&... about) const {
    Row made;
    for (const Make& make : makes_) made.entries.push_back(make(about...));
    return made;
  }

 private:
  std::vector<Column> columns_{};
  std::vector<Make> makes_{};  // one for each
};

using UseRow = std::function<void(const Row& row)>;

struct Section {
  std::string title{};  // text
  std::vector<Row> rows{};
  // Calls `use` with each further row, which is made then and kept by nobody. Null: there are none.
  std::function<void(const UseRow& use)> made_rows{};

  void each_row(const UseRow& use) const {
    for (const Row& row : rows) use(row);
    if (made_rows) made_rows(use);
  }
};

struct Table {
  std::vector<Column> columns{};
  std::vector<Section> sections{};
  std::string row_word{};       // what a row is: "pair"
  bool may_stack = false;       // a text table that is too wide has the first column on lines of its own
  std::string listed_if_cut{};  // heading of a column whose texts are listed below a text table without room for them
};

// A table and what belongs to it.
struct Document {
  std::string name{};       // of a publication's file: "table6_families"
  std::string title{};      // of a publication
  std::string why_empty{};  // why it has no rows
  std::string summary{};    // the first paragraph of text and Markdown
  Table table{};
  std::vector<std::string> remarks{};      // a sentence each, below the table; what JSON has of them is in `extra`
  std::string json_rows{};                 // the key of the rows in JSON: "pairs"
  nlohmann::json extra{};                  // the object to which JSON adds the rows
  std::string command{};                   // that writes it: "ngb compare"
  std::vector<std::string> annotations{};  // what GitHub shows beside a change, a sentence each
  bool are_errors = false;                 // the annotations; else they are warnings
};

// Counts rows that are not listed.
class NotListed {
 public:
  void add(const Row& row);
  [[nodiscard]] std::size_t count() const { return count_; }
  // Returns "214 more pairs: 14 undecided, 200 same".
  [[nodiscard]] std::string words(const Table& table) const;

 private:
  std::size_t count_ = 0;
  std::vector<std::pair<std::string, std::size_t>> counts_{};  // in the order of the first rows
};

// Receives a document piece by piece.
using Print = std::function<void(std::string_view piece)>;

// How text is written for a person.
struct Screen {
  bool all = false;    // every row and column
  int width = 100;     // columns of the terminal; 0: no limit
  int wrap = 0;        // lines around the table are broken at blanks to so many columns; 0: they are not
  bool color = false;  // ANSI escapes
};

// Returns the entry as people see it, in two parts: {"52.1", " ± 1.2"}, {"–", ""} if it has a reason and no value.
struct Shown {
  std::string main{};
  std::string tail{};
};
Shown shown_entry(const Entry& entry, std::string_view unit);
Shown shown_entry(const Entry& entry, const Column& column);

// Return an entry with the text, which is empty for ""; an empty entry with the reason; an entry with the number, or
// with the reason if there is no number or an infinite one.
Entry text_entry(std::string text);
Entry empty_entry(std::string reason);
Entry number_entry(const std::optional<double>& number, std::string reason);

}  // namespace ngb::report

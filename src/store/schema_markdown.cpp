// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "store/schema.h"

namespace ngb::store {
namespace {

struct Row {
  std::string column{};
  std::string text{};
};

struct Section {
  std::string name{};  // of the table or view
  std::string heading{};
  std::vector<Row> rows{};
};

// Returns "meaning" for a line "… -- meaning", and "" for a line without a comment.
std::string_view comment_of(std::string_view line) {
  const std::size_t at = line.find("-- ");
  return at == std::string_view::npos ? std::string_view{} : line.substr(at + 3);
}

std::string_view word_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, text.find_first_of(" (,;", begin) - begin);
}

// Returns what follows `words` at the beginning of the line, or nothing if the line begins otherwise.
std::optional<std::string_view> after(std::string_view line, std::string_view words) {
  if (!line.starts_with(words)) return std::nullopt;
  return line.substr(words.size());
}

// Returns the name after the last " AS ", which ends the line of a view's column.
std::string_view view_column(std::string_view code) {
  const std::size_t at = code.rfind(" AS ");
  return at == std::string_view::npos ? std::string_view{} : word_at(code, at + 4);
}

Row column_row(std::string_view code, std::string_view meaning, bool is_view) {
  const std::string_view trimmed = text::trim(code);
  if (is_view) {
    const std::string column(view_column(trimmed));
    return {column, fmt::format("| `{}` | | {} |\n", column, meaning)};
  }
  const std::string_view name = word_at(trimmed, 0);
  const std::string_view type = word_at(trimmed, name.size() + 1);
  const std::size_t reference = trimmed.find("REFERENCES ");
  const std::string to =
      reference == std::string_view::npos ? "" : fmt::format(" → {}", word_at(trimmed, reference + 11));
  return {std::string(name), fmt::format("| `{}` | {}{} | {} |\n", name, type, to, meaning)};
}

// Applies the steps line by line, as SQLite does.
class Page {
 public:
  void apply(std::string_view line) {
    const std::string_view meaning = comment_of(line);
    const std::string_view code = line.substr(0, line.find("-- "));
    if (const auto dropped = after(code, "DROP VIEW ")) return remove(word_at(*dropped, 0));
    if (const auto dropped = after(code, "DROP TABLE ")) return remove(word_at(*dropped, 0));
    if (const auto altered = after(code, "ALTER TABLE ")) return alter(*altered, meaning);
    if (meaning.empty()) return;
    if (const auto table = after(code, "CREATE TABLE ")) return begin("table", word_at(*table, 0), meaning);
    if (const auto view = after(code, "CREATE VIEW ")) return begin("view", word_at(*view, 0), meaning);
    sections_.back().rows.push_back(column_row(code, meaning, is_view_));
  }

  [[nodiscard]] std::string text() const {
    std::string page;
    for (const Section& section : sections_) {
      page += section.heading;
      for (const Row& row : section.rows) page += row.text;
    }
    return page;
  }

 private:
  void begin(std::string_view kind, std::string_view name, std::string_view meaning) {
    is_view_ = kind == "view";
    sections_.push_back(
        {std::string(name),
         fmt::format("\n### {} {}\n{}\n\n| column | type | meaning |\n| --- | --- | --- |\n", kind, name, meaning),
         {}});
  }

  void remove(std::string_view name) {
    std::erase_if(sections_, [&](const Section& section) { return section.name == name; });
  }

  void alter(std::string_view altered, std::string_view meaning) {
    const std::string_view name = word_at(altered, 0);
    const auto section =
        std::find_if(sections_.begin(), sections_.end(), [&](const Section& each) { return each.name == name; });
    if (section == sections_.end()) return;
    const std::string_view what = altered.substr(name.size() + 1);
    if (const auto added = after(what, "ADD COLUMN ")) section->rows.push_back(column_row(*added, meaning, false));
    if (const auto dropped = after(what, "DROP COLUMN ")) {
      std::erase_if(section->rows, [&](const Row& row) { return row.column == word_at(*dropped, 0); });
    }
  }

  std::vector<Section> sections_{};
  bool is_view_ = false;
};

}  // namespace

std::string schema_markdown() {
  Page page;
  for (const Migration& step : migrations()) {
    for (const std::string& line : text::split(step.sql, '\n')) page.apply(line);
  }
  for (const std::string& line : text::split(sample_view(), '\n')) page.apply(line);
  return page.text();
}

}  // namespace ngb::store

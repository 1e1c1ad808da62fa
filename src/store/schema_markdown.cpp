// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "store/schema.h"

namespace ngb::store {
namespace {

// "meaning" of a line "… -- meaning"; empty without one.
std::string_view comment_of(std::string_view line) {
  const std::size_t at = line.find("-- ");
  return at == std::string_view::npos ? std::string_view{} : line.substr(at + 3);
}

std::string_view word_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, text.find_first_of(" (,", begin) - begin);
}

// The name after the last " AS ", with which a view's column line ends.
std::string_view view_column(std::string_view code) {
  const std::size_t at = code.rfind(" AS ");
  return at == std::string_view::npos ? std::string_view{} : word_at(code, at + 4);
}

std::string column_row(std::string_view code, std::string_view meaning, bool is_view) {
  const std::string_view trimmed = text::trim(code);
  if (is_view) return fmt::format("| `{}` | | {} |\n", view_column(trimmed), meaning);
  const std::string_view name = word_at(trimmed, 0);
  const std::string_view type = word_at(trimmed, name.size() + 1);
  const std::size_t reference = trimmed.find("REFERENCES ");
  const std::string to =
      reference == std::string_view::npos ? "" : fmt::format(" → {}", word_at(trimmed, reference + 11));
  return fmt::format("| `{}` | {}{} | {} |\n", name, type, to, meaning);
}

}  // namespace

std::string schema_markdown() {
  std::string page;
  bool is_view = false;
  for (const Migration& step : migrations()) {
    for (const std::string& line : text::split(step.sql, '\n')) {
      const std::string_view meaning = comment_of(line);
      if (meaning.empty()) continue;
      const std::string_view code = std::string_view(line).substr(0, line.find("-- "));
      is_view = code.starts_with("CREATE VIEW ") || (is_view && !code.starts_with("CREATE "));
      if (code.starts_with("CREATE ")) {
        const std::string_view kind = is_view ? "view" : "table";
        page += fmt::format("\n### {} {}\n{}\n\n| column | type | meaning |\n| --- | --- | --- |\n", kind,
                            word_at(code, 8 + kind.size()), meaning);
      } else {
        page += column_row(code, meaning, is_view);
      }
    }
  }
  return page;
}

}  // namespace ngb::store

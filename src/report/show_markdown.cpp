// SPDX-License-Identifier: Apache-2.0
// Writes a table in GitHub's Markdown: a row for each cell, with the numbers of the text table.
#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "report/columns.h"
#include "report/markdown_text.h"
#include "report/show.h"
#include "report/words.h"

namespace ngb::report {
namespace {

std::string markdown_field(const nlohmann::json& value) {
  return markdown_text(value.is_string() ? value.get<std::string>() : json_text::dump(value));
}

std::string remarks_on(const store::CellData& cell, const Values& values) {
  std::vector<std::string> names;
  for (const Values::Raised& raised : values.flags(cell.cell_id)) names.emplace_back(raised.flag);
  const std::string why = why_no_numbers(cell);
  return markdown_text(why.empty() ? text::join(names, ", ") : why);
}

std::string markdown_header(const std::vector<Attribute>& shown, const std::vector<NumberColumn>& columns,
                            const metrics::Baseline& baseline) {
  std::vector<std::string> headings;
  std::vector<std::string> alignments;
  const auto add = [&](std::string heading, const char* alignment) {
    headings.push_back(std::move(heading));
    alignments.emplace_back(alignment);
  };
  for (const Attribute& attribute : shown) add(attribute.heading, "---");
  add("compiler", "---");
  const std::string over = baseline.is_identity() ? "" : markdown_text(baseline.words());
  for (const NumberColumn& column : columns) add(heading(column, over), "---:");
  add("flags", "---");
  return markdown_line(headings) + markdown_line(alignments);
}

}  // namespace

std::string show_markdown(const Results& results, const ShowOptions& options) {
  const std::vector<NumberColumn> columns = number_columns(options.all, results.cells);
  const std::vector<Attribute> shown = shown_attributes(results.cells);
  std::string text = markdown_header(shown, columns, results.baseline);
  const bool names_devices = are_on_several_compute_devices(results.cells);
  for (const store::CellData* cell : results.cells) {
    std::vector<std::string> fields;
    for (const Attribute& attribute : shown) fields.push_back(markdown_field(attribute.of(*cell)));
    fields.push_back(markdown_text(compiler_of(*cell) + (names_devices ? ", " + compute_device_of(*cell) : "")));
    for (const NumberColumn& column : columns) {
      const ShownNumber number = shown_number(results, *cell, column);
      fields.push_back(number.main + number.tail);
    }
    fields.push_back(remarks_on(*cell, results.values));
    text += markdown_line(fields);
  }
  return text;
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
// The rows of the figure of shapes that one session has visited.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/figures/rows.h"
#include "report/figures/series_rows.h"

namespace ngb::report::figures {
namespace {

// Returns "sequence=16" of "encoder dynamic, sequence=16".
std::string shape_of(const store::SeriesValue& value, const std::string& model) {
  const std::string before = model + ", ";
  const std::string_view subject = value.subject;
  return text::visible(subject.starts_with(before) ? subject.substr(before.size()) : subject);
}

}  // namespace

// A panel for each model and batch size; the first visits and the later ones are side by side.
Rows visits_by_shape(const Selection& selection) {
  std::vector<Row> rows;
  for (const auto& [series, visit] :
       {std::pair("shape_first_visit_s", "first visit"), std::pair("shape_later_visits_s", "median of later visits")}) {
    for (const SeriesNumber& number : series_numbers(selection, series)) {
      const store::CellData& cell = *number.cells.front();
      const std::string& model = cell.of.model.label;
      Row row = row_of(
          selection, cell,
          selection.with_device(fmt::format("{}, batch {}", text::visible(model), cell.of.model.key.batch), cell));
      row["visit"] = visit;
      row["shape"] = shape_of(*number.value, model);
      add_number(row, "visit_s", number_of(number), state_of(number));
      rows.push_back(std::move(row));
    }
  }
  return rows_with(std::move(rows), "visit_s", "no session has visited several shapes");
}

}  // namespace ngb::report::figures

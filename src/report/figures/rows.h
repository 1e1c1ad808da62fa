// SPDX-License-Identifier: Apache-2.0
// Makes what rows of several figures have in common. All texts are safe to show (text::visible).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/numbers.h"
#include "report/figures/figure.h"

namespace ngb::report::figures {

// Why a cell or a number is drawn as a cross: "measured", "partial" (some of its processes are missing), "failed",
// "inaccurate", "disturbed", "planned", or "no_value" for a measured cell without this number.
struct State {
  std::string name{};
  std::string reason{};  // "" for "measured" and "partial"
};
State state_of(const store::CellData& cell);

// Returns {"panel", "device", "model", "model_group", "model_style", "batch", "compiler"}. `panel` names the part of
// the figure in which the row is drawn.
Row row_of(const Selection& selection, const store::CellData& cell, std::string panel);

using metrics::Number;
// Returns the cell's value of a metric. A cell that failed has none, whatever it measured before it failed.
Number number_of(const Selection& selection, const store::CellData& cell, std::string_view metric);

// Returns null for a number that is unknown or not finite.
Row or_null(const std::optional<double>& number);

// Adds the number under the name of its quantity, "low", "high", and "state" and "reason" of its cell.
void add_number(Row& row, const Number& number);
// Does the same under this name and with this state.
void add_number(Row& row, const char* name, const Number& number, const State& state);

// Returns the rows, or `why_none` if none of them has a number of this name.
Rows rows_with(std::vector<Row> rows, const char* name, const std::string& why_none);

// Returns the rows of a grid, sorted by "panel" in the order of their first mention, and for each panel that has no row
// one that says `why_empty`; or `why_none` if no row has a number of this name.
Rows grid_with(std::vector<Row> rows, const char* name, const std::string& why_none, const std::string& why_empty);

// Returns a row that only says why its panel is empty: "state" is "empty", "compiler" is "".
Row empty_panel(std::string panel, std::string column, std::string reason);

// Sorts rows by a column of texts, in the order of their first mention.
void sort_by(const char* column, std::vector<Row>& rows);

// Sorts rows by these columns of numbers; what is no number counts as 0.
void sort_by_numbers(const std::vector<const char*>& columns, std::vector<Row>& rows);

// Returns "local", or "local (gpu)" for a cell that computes on something else than the CPU.
std::string place_in_figure(const Selection& selection, const store::CellData& cell);

// Returns the rows of a figure that is a mere selection of numbers.
Rows select_rows(const Selection& selection, const Selected& selected);

// The functions of the table of figures, of those that are more than that.
Rows cpu_use(const Selection& selection);
Rows speed_up_by_depth(const Selection& selection);
Rows batch_width_friction(const Selection& selection);
Rows compile_time(const Selection& selection);
Rows break_even(const Selection& selection);
Rows pareto_compile(const Selection& selection);
Rows pareto_cpu(const Selection& selection);
Rows ratio_to_best(const Selection& selection);
Rows sample_strips(const Selection& selection);
Rows scaling(const Selection& selection);
Rows memory_over_inferences(const Selection& selection);
Rows decoding_by_context(const Selection& selection);
Rows first_pass_by_context(const Selection& selection);
Rows visits_by_shape(const Selection& selection);
Rows operator_times(const Selection& selection);
Rows region_differences(const Selection& selection);
Rows speed_and_agreement(const Selection& selection);

}  // namespace ngb::report::figures

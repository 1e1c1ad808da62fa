// SPDX-License-Identifier: Apache-2.0
// The columns of a results table. Every format is made from them, metrics::metrics() and metrics::flag_table().
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "report/document.h"
#include "report/results.h"
#include "report/status.h"
#include "report/words.h"
#include "work/property.h"

namespace ngb::report {

// A column that identifies a cell or says how much of it is measured.
struct Attribute {
  const char* name;                          // JSON key and CSV column
  const char* heading;                       // in tables for people; null: only programs see the column
  const work::Property* property = nullptr;  // whose value it has; null: `value` makes it
  nlohmann::json (*value)(const store::CellData& cell) = nullptr;

  [[nodiscard]] nlohmann::json of(const store::CellData& cell) const;
};
std::span<const Attribute> attributes();
// Returns the attributes that tables for people have. The load is one of them only if a cell has a load.
std::vector<Attribute> shown_attributes(std::span<const store::CellData* const> cells);

// The properties by which both sides of a comparison are described.
const std::vector<const work::Property*>& side_properties();
// Returns the properties that a table of compilers has: name, label and version, options, threads and precision.
// Properties that are at their default in all cells are left out.
std::vector<const work::Property*> compiler_properties(std::span<const store::CellData* const> cells);
// Returns a property as it is in a table of compilers: "2 threads (all)", {"level":"all"}; "" for no options.
std::string compiler_field(const work::Property& property, const store::CellData& cell);
// Returns the different settings of the cells' compilers, in the order of the cells: a text for each of `properties`,
// then `device` of the cell.
std::vector<std::vector<std::string>> settings_of_compilers(
    std::span<const store::CellData* const> cells, const std::vector<const work::Property*>& properties,
    const std::function<std::string(const store::CellData& cell)>& device);
// Returns what the compiler is handed and is not at its default, each after a blank: " {\"level\":\"all\"}
// in_flight=2".
std::string handed_after_name(const store::CellData& cell);

// {"kind", "phase", "message", "advice", "log_path"} and, where known, "signal" and "exit_code" of the failure that
// decided the cell's status; null for a cell that did not fail.
nlohmann::json failure_json(const store::CellData& cell);

// Returns whose outputs the cell's were compared with, by which tolerance, and why not with the study's reference: one
// line. Returns "" if there is no check, or if the study asks for none.
std::string check_remark(const store::CellData& cell);

// Returns the remarks on a cell: check_remark, which operators its delegate leaves and, for a cell on a GPU, how its
// host waits for the GPU, because the meaning of CPU % depends on that. Empty remarks are left out.
std::vector<std::string> cell_remarks(const store::CellData& cell);

// A column of numbers in tables for people: a metric and, if it has one, its deviation ("52.1 ± 1.2").
struct NumberColumn {
  const metrics::Metric* metric = nullptr;
  const metrics::Metric* deviation = nullptr;  // null: none
};
// Returns the columns of all metrics, or only of those with a rank; of the latter, those of loads or instances only if
// a cell has them.
std::vector<NumberColumn> number_columns(bool all, std::span<const store::CellData* const> cells);
std::vector<NumberColumn> number_columns(bool all, ColumnsInUse of_table);
// Returns the columns that a list of names asks for, in its order: "size,agreement,latency". A name is that of a
// metric, or its heading with - in place of blanks; latency, throughput and memory are those of the table. Returns an
// error that lists the headings if there is no such metric, or if one is named twice.
Result<std::vector<NumberColumn>> columns_called(const std::string& names);
// Returns "mean of rates ± std", "speed-up [95 %]", "speed-up over onnxruntime@1.30.0 [95 %]". `over` names a baseline
// other than the identity, in a form that may be printed; it is "" for the identity.
std::string heading(const NumberColumn& column, std::string_view over);

// Returns the column of people. `over` as in heading.
Column described(const NumberColumn& column, std::string_view over);

// Returns the metric's value in a table for people, with its deviation or interval. The baseline's own speed-up has no
// interval. The speed-up of a bf16 or f16 cell names the precision of its baseline. A speed-up that is told from 1 is
// good or bad.
Entry metric_entry(const Results& results, const store::CellData& cell, const NumberColumn& column);

// Returns the number with its ends, or its reason.
Entry entry_of(const metrics::Number& number);

// Returns the value as CSV and JSON have it, with its reason.
Entry value_entry(const Results& results, const store::CellData& cell, const metrics::Metric& metric);

// Returns the precision of the cell's baseline ("f32") if the metric refers to it and the cell is not in f32; else "".
std::string precision_below(const Results& results, const store::CellData& cell, const metrics::Metric& metric);

// Returns why a row has no numbers: "not measured yet", "failed: crash in compile: signal 11"; "" if it has numbers.
std::string why_no_numbers(const store::CellData& cell);

}  // namespace ngb::report

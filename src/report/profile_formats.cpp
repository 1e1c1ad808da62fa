// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/json_text.h"
#include "report/csv_text.h"
#include "report/json_text.h"
#include "report/numbers.h"
#include "report/profile.h"
#include "report/table.h"

namespace ngb::report {
namespace {

using nlohmann::json;

// {"columns": [{"name", "unit", "meaning", "source", "has_interval"}], "rows": [{key: value, …, number: {"value",
// "low", "high"} or {"value": null, "reason"}}]}
json quantity_json(const ProfileValue& value) {
  if (value.value.is_null()) return {{"value", nullptr}, {"reason", value.reason}};
  json object{{"value", value.value}};
  if (value.low && value.high) {
    object["low"] = *value.low;
    object["high"] = *value.high;
  }
  return object;
}

std::string profile_json(const std::vector<ProfileRow>& rows, const ProfileOptions& /*options*/) {
  json columns = json::array();
  for (const ProfileColumn& column : profile_columns()) {
    columns.push_back({{"name", column.name},
                       {"unit", column.unit.empty() ? json(nullptr) : json(column.unit)},
                       {"meaning", column.meaning},
                       {"source", column.source.empty() ? json(nullptr) : json(column.source)},
                       {"has_interval", column.has_interval}});
  }
  json all = json::array();
  for (const ProfileRow& row : rows) {
    json object = json::object();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const ProfileColumn& column = profile_columns()[i];
      object[column.name] = column.is_key ? row.values[i].value : quantity_json(row.values[i]);
    }
    all.push_back(std::move(object));
  }
  return json_text({{"columns", std::move(columns)}, {"rows", std::move(all)}});
}

// As `ngb show --format csv`: after a column come NAME_low and NAME_high, if it has an interval, and
// NAME_unknown_reason.
std::string profile_csv(const std::vector<ProfileRow>& rows, const ProfileOptions& /*options*/) {
  std::string text;
  for (const ProfileColumn& column : profile_columns()) {
    text += column.name + ',';
    if (column.has_interval) text += fmt::format("{0}_low,{0}_high,", column.name);
    if (!column.is_key) text += fmt::format("{}_unknown_reason,", column.name);
  }
  text.back() = '\r';
  text += '\n';
  for (const ProfileRow& row : rows) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const ProfileColumn& column = profile_columns()[i];
      const ProfileValue& value = row.values[i];
      text += csv_field(value.value) + ',';
      if (column.has_interval) text += csv_field(value.low) + ',' + csv_field(value.high) + ',';
      if (!column.is_key) text += csv_text(value.reason) + ',';
    }
    text.back() = '\r';
    text += '\n';
  }
  return text;
}

std::string text_of(const ProfileValue& value, const std::string& unit) {
  if (value.value.is_null()) return "–";
  if (value.value.is_string()) return value.value.get<std::string>();
  return unit.empty() ? json_text::dump(value.value) : number(value.value.get<double>(), unit);
}

// A column of the table for people; the highest rank is left out first on a narrow terminal.
struct ProfileTableColumn {
  const char* name;
  const char* heading;
  int rank;
};
constexpr std::array kShown{ProfileTableColumn{"model", "model", 0},
                            ProfileTableColumn{"device", "device", 3},
                            ProfileTableColumn{"compiler_label", "compiler", 0},
                            ProfileTableColumn{"compiler_version", "version", 8},
                            ProfileTableColumn{"batch", "batch", 0},
                            ProfileTableColumn{"threads", "threads", 5},
                            ProfileTableColumn{"precision", "precision", 9},
                            ProfileTableColumn{"throughput_per_s", "samples/s", 0},
                            ProfileTableColumn{"latency_p50_s", "p50", 0},
                            ProfileTableColumn{"latency_p90_s", "p90", 10},
                            ProfileTableColumn{"latency_p95_s", "p95", 11},
                            ProfileTableColumn{"latency_p99_s", "p99", 1},
                            ProfileTableColumn{"cpu_per_inference_s", "CPU an inference", 6},
                            ProfileTableColumn{"energy_per_inference_j", "J an inference", 6},
                            ProfileTableColumn{"timed_peak_bytes", "peak", 2},
                            ProfileTableColumn{"cold_start_s", "cold start", 4},
                            ProfileTableColumn{"compile_s", "compile", 7},
                            ProfileTableColumn{"max_absolute_error", "max error", 12},
                            ProfileTableColumn{"cost_per_million_inferences", "cost of 10⁶", 4}};

std::string profile_text(const std::vector<ProfileRow>& rows, const ProfileOptions& options) {
  Table table;
  for (const ProfileTableColumn& shown : kShown) {
    const ProfileColumn& column = profile_column(shown.name);
    table.columns.push_back(
        {shown.heading,
         column.unit.empty() && shown.name != std::string_view("batch") && shown.name != std::string_view("threads"),
         shown.rank});
  }
  TableSection section{.title = "inferences of a whole batch; – has a reason in --format json and csv"};
  for (const ProfileRow& row : rows) {
    TableRow shown_row;
    for (const ProfileTableColumn& shown : kShown) {
      const ProfileValue& value = row.at(shown.name);
      const std::string& unit = profile_column(shown.name).unit;
      TableCell cell{text_of(value, unit)};
      if (shown.name == std::string_view("throughput_per_s") && value.low && value.high) {
        const double middle = value.value.get<double>();
        cell.tail =
            fmt::format(" [{}, {}]", number_beside(*value.low, middle, unit), number_beside(*value.high, middle, unit));
      }
      shown_row.cells.push_back(std::move(cell));
    }
    section.rows.push_back(std::move(shown_row));
  }
  table.sections.push_back(std::move(section));
  const Rendering rendering = render(table, options.width, options.color);
  std::string text = rendering.text;
  if (!rendering.left_out.empty()) {
    text += "\nleft out, because the terminal is too narrow: ";
    for (std::size_t i = 0; i < rendering.left_out.size(); ++i) text += (i == 0 ? "" : ", ") + rendering.left_out[i];
    text += '\n';
  }
  return text;
}

// name, meaning, print
constexpr std::array kProfileFormats{
    ProfileFormat{"text", "a table as wide as the terminal", profile_text},
    ProfileFormat{"json", "every column with its interval, or the reason why there is no value", profile_json},
    ProfileFormat{"csv", "a line for each configuration, numbers unrounded", profile_csv},
};

}  // namespace

std::span<const ProfileFormat> profile_formats() { return kProfileFormats; }

std::string profile_columns_markdown() {
  std::string text = "| name | unit | meaning | source | interval |\n| --- | --- | --- | --- | --- |\n";
  for (const ProfileColumn& column : profile_columns()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", column.name, column.unit, column.meaning, column.source,
                        column.has_interval ? "yes" : "");
  }
  return text;
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/json_text.h"
#include "base/text.h"
#include "metrics/outcome.h"
#include "report/numbers.h"
#include "report/words.h"

namespace ngb::report {
namespace {

using metrics::Metric;
using nlohmann::json;
using store::CellData;
using store::DerivedValue;

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }
// Returns the check of a process that counts, else of the last one that failed; null if there is none.
const samples::Check* check_of(const CellData& cell) {
  for (const auto* const list : {&cell.processes, &cell.failed}) {
    for (const store::RecordedProcess& process : *list) {
      if (process.check) return &*process.check;
    }
  }
  return nullptr;
}

template <std::string samples::Check::* Member>
json of_check(const CellData& cell) {
  const samples::Check* const check = check_of(cell);
  return check == nullptr ? json(nullptr) : text_or_null(check->*Member);
}

json number_or_null(const std::optional<int>& number) { return number ? json(*number) : json(nullptr); }

// name, heading, of
constexpr std::array kAttributes{
    Attribute{"cell_id", nullptr, [](const CellData& cell) { return json(cell.cell_id); }},
    Attribute{"device", "device", [](const CellData& cell) { return json(cell.of.device); }},
    Attribute{"model", "model", [](const CellData& cell) { return json(cell.of.model.label); }},
    Attribute{"model_family", nullptr, [](const CellData& cell) { return json(cell.of.model.family); }},
    Attribute{"model_group", nullptr, [](const CellData& cell) { return text_or_null(cell.of.model.group); }},
    Attribute{"model_style", nullptr, [](const CellData& cell) { return text_or_null(cell.of.model.style); }},
    Attribute{"model_size", nullptr, [](const CellData& cell) { return number_or_null(cell.of.model.size); }},
    Attribute{"model_hash", nullptr, [](const CellData& cell) { return json(cell.of.model.key.hash); }},
    Attribute{"batch", "batch", [](const CellData& cell) { return json(cell.of.model.key.batch); }},
    Attribute{"threads", "threads", [](const CellData& cell) { return number_or_null(cell.of.threads); }},
    Attribute{"threads_asked", nullptr,
              [](const CellData& cell) { return text_or_null(cell.of.compiler.threads_asked); }},
    Attribute{"precision", "precision", [](const CellData& cell) { return json(cell.of.compiler.precision); }},
    Attribute{"load", "load", [](const CellData& cell) { return json(cell.of.load); }},
    Attribute{"compute_device", nullptr,
              [](const CellData& cell) {
                return cell.of.compute_device.value ? json(*cell.of.compute_device.value) : json(nullptr);
              }},
    Attribute{"compute_device_unknown_reason", nullptr,
              [](const CellData& cell) { return json(cell.of.compute_device.reason); }},
    Attribute{"compiler", nullptr, [](const CellData& cell) { return json(cell.of.compiler.name); }},
    Attribute{"compiler_label", nullptr, [](const CellData& cell) { return json(cell.of.compiler.label); }},
    Attribute{"compiler_version", nullptr, [](const CellData& cell) { return json(cell.of.compiler.version); }},
    Attribute{"options", nullptr, [](const CellData& cell) { return work::object_of(cell.of.compiler.options); }},
    Attribute{"settings", nullptr, [](const CellData& cell) { return work::object_of(cell.of.compiler.settings); }},
    Attribute{"in_flight", nullptr, [](const CellData& cell) { return json(word_of_in_flight(cell.of.compiler)); }},
    Attribute{"instances", nullptr, [](const CellData& cell) { return json(cell.of.compiler.instances); }},
    Attribute{"planned_processes", nullptr, [](const CellData& cell) { return json(cell.planned_processes); }},
    Attribute{"completed_processes", nullptr, [](const CellData& cell) { return json(cell.processes.size()); }},
    Attribute{"failed_attempts", nullptr, [](const CellData& cell) { return json(cell.failed.size()); }},
    Attribute{"reference", nullptr, of_check<&samples::Check::reference>},
    Attribute{"reference_reason", nullptr, of_check<&samples::Check::reference_reason>},
    Attribute{"tolerance", nullptr, of_check<&samples::Check::tolerance>},
    Attribute{"output_change", nullptr, of_check<&samples::Check::change>},
    Attribute{"status", nullptr, [](const CellData& cell) { return json(name(status_of(cell))); }},
};

bool is_deviation(const Metric& metric) {
  return std::any_of(metrics::metrics().begin(), metrics::metrics().end(), [&](const Metric& other) {
    return other.deviation != nullptr && std::string_view(other.deviation) == metric.name;
  });
}

std::string interval_of(const DerivedValue& value, const char* unit) {
  const bool is_exact = value.low == value.value && value.high == value.value;  // the baseline against itself
  if (!value.low || !value.high || is_exact) return {};
  return fmt::format(" [{}, {}]", number_beside(*value.low, *value.value, unit),
                     number_beside(*value.high, *value.value, unit));
}

}  // namespace

std::span<const Attribute> attributes() { return kAttributes; }

std::vector<Attribute> shown_attributes(std::span<const CellData* const> cells) {
  std::vector<Attribute> shown;
  const bool has_load = has_loads(cells);
  for (const Attribute& attribute : kAttributes) {
    const bool is_load = std::string_view(attribute.name) == "load";
    if (attribute.heading != nullptr && (has_load || !is_load)) shown.push_back(attribute);
  }
  return shown;
}

json failure_json(const CellData& cell) {
  const samples::ProcessResult* process = metrics::decisive_failure(cell);
  if (process == nullptr) return nullptr;
  const samples::Failure& failure = *process->failure;
  json object{{"kind", name(failure.kind)},
              {"phase", name(failure.phase)},
              {"message", failure.message},
              {"advice", failure.advice},
              {"log_path", process->log_path}};
  if (failure.signal) object["signal"] = *failure.signal;
  if (failure.exit_code) object["exit_code"] = *failure.exit_code;
  return object;
}

std::string check_remark(const CellData& cell) {
  const samples::Check* const check = check_of(cell);
  if (check == nullptr) return {};
  if (check->reference == "none") {
    if (!check->is_lacking()) return {};
    return "outputs not compared, in no verdict: " + check->reference_reason;
  }
  std::string remark = "outputs compared with those of " + check->reference;
  if (!check->tolerance.empty()) remark += "; tolerance " + check->tolerance;
  return check->reference_reason.empty() ? remark : remark + "; " + check->reference_reason;
}

std::vector<std::string> cell_remarks(const CellData& cell) {
  std::vector<std::string> remarks;
  if (std::string remark = check_remark(cell); !remark.empty()) remarks.push_back(std::move(remark));
  if (cell.processes.empty()) return remarks;
  const auto& facts = cell.processes.front().facts;
  if (const auto wait = facts.find("wait"); wait != facts.end()) {
    const bool spins = wait->second == "spin";
    remarks.push_back(fmt::format("wait: {}: CPU % {} the time in which the host waits for the GPU", wait->second,
                                  spins ? "includes" : "is without"));
  }
  return remarks;
}

std::vector<NumberColumn> number_columns(bool all, std::span<const CellData* const> cells) {
  Having of_some;
  for (const CellData* cell : cells) of_some = of_some | having(*cell);
  return number_columns(all, of_some);
}

std::vector<NumberColumn> number_columns(bool all, Having of_table) {
  std::vector<NumberColumn> columns;
  for (const Metric& metric : metrics::metrics()) {
    if (!is_about(metric, of_table) && !all) continue;
    if (is_deviation(metric) || (metric.rank == 0 && !all)) continue;
    columns.push_back({&metric, metric.deviation == nullptr ? nullptr : metrics::find_metric(metric.deviation)});
  }
  const auto place_of = [](const NumberColumn& column) {
    return column.metric->rank == 0 ? std::numeric_limits<int>::max() : column.metric->rank;
  };
  std::stable_sort(columns.begin(), columns.end(),
                   [&](const NumberColumn& a, const NumberColumn& b) { return place_of(a) < place_of(b); });
  return columns;
}

std::string heading(const NumberColumn& column, std::string_view over) {
  std::string text = column.metric->heading;
  if (column.metric->refers_to_baseline && !over.empty()) text += fmt::format(" over {}", over);
  if (column.deviation != nullptr) text += fmt::format(" {}", column.deviation->heading);
  if (column.metric->has_interval) text += " [95 %]";
  return text;
}

std::string precision_below(const Results& results, const CellData& cell, const Metric& metric) {
  const CellData* const baseline = metric.refers_to_baseline ? results.baseline_of(cell) : nullptr;
  return baseline == nullptr || cell.of.compiler.precision == metrics::kFullPrecision ? ""
                                                                                      : baseline->of.compiler.precision;
}

ShownNumber shown_number(const Results& results, const CellData& cell, const NumberColumn& column) {
  const char* unit = column.metric->unit;
  const DerivedValue* value = results.values.find(cell.cell_id, column.metric->name);
  if (value == nullptr || !value->value) return {"–", ""};
  ShownNumber shown{number(*value->value, unit), interval_of(*value, unit)};
  const std::string below = precision_below(results, cell, *column.metric);
  if (!below.empty()) shown.tail += " over " + text::visible(below);
  if (column.deviation == nullptr) return shown;
  const DerivedValue* deviation = results.values.find(cell.cell_id, column.deviation->name);
  if (deviation != nullptr && deviation->value) {
    shown.tail = " ± " + number_beside(*deviation->value, *value->value, unit);
  }
  return shown;
}

std::string why_no_numbers(const CellData& cell) {
  const Status status = status_of(cell);
  if (status == Status::planned) return "not measured yet";
  if (status != Status::failed && status != Status::disturbed) return {};
  const samples::Failure& failure = *metrics::decisive_failure(cell)->failure;
  if (status == Status::disturbed) return fmt::format("disturbed: {}", failure.message);
  return fmt::format("failed: {} in {}: {}", name(failure.kind), name(failure.phase), failure.message);
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/json_text.h"
#include "base/text.h"
#include "metrics/outcome.h"
#include "report/words.h"
#include "report/write/numbers.h"

namespace ngb::report {
namespace {

using metrics::Metric;
using nlohmann::json;
using store::CellData;

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

// Says how much of a cell is measured, and how its outputs were checked.
constexpr std::array kMeasured{
    Attribute{"planned_processes", nullptr, nullptr, [](const CellData& cell) { return json(cell.planned_processes); }},
    Attribute{"completed_processes", nullptr, nullptr,
              [](const CellData& cell) { return json(cell.processes.size()); }},
    Attribute{"failed_attempts", nullptr, nullptr, [](const CellData& cell) { return json(cell.failed.size()); }},
    Attribute{"reference", nullptr, nullptr, of_check<&samples::Check::reference>},
    Attribute{"reference_reason", nullptr, nullptr, of_check<&samples::Check::reference_reason>},
    Attribute{"tolerance", nullptr, nullptr, of_check<&samples::Check::tolerance>},
    Attribute{"output_change", nullptr, nullptr, of_check<&samples::Check::output_change>},
    Attribute{"status", nullptr, nullptr, [](const CellData& cell) { return json(name(status_of(cell))); }},
};

bool is_column_for_people(work::Role role) {
  using work::Role;
  return role == Role::device || role == Role::model_name || role == Role::batch || role == Role::threads ||
         role == Role::precision || role == Role::load;
}

std::vector<Attribute> make_attributes() {
  std::vector<Attribute> all{{"cell_id", nullptr, nullptr, [](const CellData& cell) { return json(cell.cell_id); }}};
  for (const work::Property& each : work::properties()) {
    all.push_back({each.name, is_column_for_people(each.role) ? each.heading : nullptr, &each});
    if (each.role != work::Role::compute_device) continue;
    all.push_back({"compute_device_unknown_reason", nullptr, nullptr,
                   [](const CellData& cell) { return json(cell.of.compute_device.reason); }});
  }
  all.insert(all.end(), kMeasured.begin(), kMeasured.end());
  return all;
}

// Returns whether people need the column: a property that came later only if a cell has it.
bool is_of_use(const work::Property& property, std::span<const CellData* const> cells) {
  return !property.is_left_out_at_default || std::any_of(cells.begin(), cells.end(), [&](const CellData* cell) {
    return !work::is_at_default(property, cell->of);
  });
}

bool is_deviation(const Metric& metric) {
  return std::any_of(metrics::metrics().begin(), metrics::metrics().end(), [&](const Metric& other) {
    return other.deviation != nullptr && std::string_view(other.deviation) == metric.name;
  });
}

NumberColumn column_of(const Metric& metric) {
  return {&metric, metric.deviation == nullptr ? nullptr : metrics::find_metric(metric.deviation)};
}

// Returns the heading as people type it: "speed-up", "over-exact", "sqnr".
std::string short_name(const Metric& metric) {
  std::string name = metric.heading;
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    if (letter == ' ') return '-';
    return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  });
  return name;
}

const Metric* metric_called(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> kOthers{
      {{"latency", "latency_p50_s"}, {"throughput", "throughput_per_s"}, {"memory", "timed_peak_bytes"}}};
  for (const auto& [other, name] : kOthers) {
    if (word == other) return metrics::find_metric(name);
  }
  for (const Metric& metric : metrics::metrics()) {
    if (!is_deviation(metric) && (word == metric.name || word == short_name(metric))) return &metric;
  }
  return nullptr;
}

std::vector<std::string> short_names() {
  std::vector<std::string> names{"latency", "throughput", "memory"};
  for (const Metric& metric : metrics::metrics()) {
    if (!is_deviation(metric)) names.push_back(short_name(metric));
  }
  return names;
}

// Returns good or bad for a speed-up whose interval is wholly above or below 1.
Style style_of_value(const Metric& metric, const Entry& value) {
  if (std::string_view(metric.name) != "speed_up_ratio" || !value.low || !value.high) return Style::plain;
  return *value.low > 1 ? Style::good : *value.high < 1 ? Style::bad : Style::plain;
}

}  // namespace

json Attribute::of(const CellData& cell) const {
  return property != nullptr ? work::value_of(*property, cell.of) : value(cell);
}

std::span<const Attribute> attributes() {
  static const std::vector<Attribute> kAll = make_attributes();
  return kAll;
}

std::vector<Attribute> shown_attributes(std::span<const CellData* const> cells) {
  std::vector<Attribute> shown;
  for (const Attribute& attribute : attributes()) {
    if (attribute.heading != nullptr && is_of_use(*attribute.property, cells)) shown.push_back(attribute);
  }
  return shown;
}

const std::vector<const work::Property*>& side_properties() {
  using work::Role;
  static const auto kAll =
      work::properties_of({Role::device, Role::compute_device, Role::label, Role::version, Role::options,
                           Role::instances, Role::threads, Role::precision, Role::load});
  return kAll;
}

std::vector<const work::Property*> compiler_properties(std::span<const CellData* const> cells) {
  using work::Role;
  auto found = work::properties_of(
      {Role::compiler, Role::label, Role::version, Role::options, Role::instances, Role::threads, Role::precision});
  std::erase_if(found, [&](const work::Property* each) { return !is_of_use(*each, cells); });
  return found;
}

std::string compiler_field(const work::Property& property, const CellData& cell) {
  if (property.role == work::Role::threads) return threads_of(cell);
  const bool is_none = property.kind == work::Kind::options && work::is_at_default(property, cell.of);
  return is_none ? "" : property.text(cell.of);
}

std::vector<std::vector<std::string>> settings_of_compilers(
    std::span<const CellData* const> cells, const std::vector<const work::Property*>& properties,
    const std::function<std::string(const CellData& cell)>& device) {
  std::set<std::vector<std::string>> seen;
  std::vector<std::vector<std::string>> settings;
  for (const CellData* cell : cells) {
    std::vector<std::string> fields;
    for (const work::Property* each : properties) fields.push_back(compiler_field(*each, *cell));
    fields.push_back(device(*cell));
    if (seen.insert(fields).second) settings.push_back(std::move(fields));
  }
  return settings;
}

std::string handed_after_name(const CellData& cell) {
  std::string text;
  for (const work::Property* each : work::properties_of({work::Role::options, work::Role::instances})) {
    if (work::is_at_default(*each, cell.of)) continue;
    const std::string name = each->kind == work::Kind::options ? "" : std::string(each->name) + '=';
    text += ' ' + name + each->text(cell.of);
  }
  return text;
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
  if (const auto left = facts.find("not_delegated");
      left != facts.end() && left->second.find(' ') != std::string::npos) {
    remarks.push_back("operators that its delegate leaves to the library's own kernels: " + left->second);
  }
  if (const auto wait = facts.find("wait"); wait != facts.end()) {
    const bool spins = wait->second == "spin";
    remarks.push_back(fmt::format("wait: {}: CPU % {} the time in which the host waits for the GPU", wait->second,
                                  spins ? "includes" : "is without"));
  }
  return remarks;
}

std::vector<NumberColumn> number_columns(bool all, std::span<const CellData* const> cells) {
  ColumnsInUse of_some;
  for (const CellData* cell : cells) of_some = of_some | columns_in_use(*cell);
  return number_columns(all, of_some);
}

std::vector<NumberColumn> number_columns(bool all, ColumnsInUse of_table) {
  std::vector<NumberColumn> columns;
  for (const Metric& metric : metrics::metrics()) {
    if (!is_about(metric, of_table) && !all) continue;
    if (is_deviation(metric) || (metric.rank == 0 && !all)) continue;
    columns.push_back(column_of(metric));
  }
  const auto place_of = [](const NumberColumn& column) {
    return column.metric->rank == 0 ? std::numeric_limits<int>::max() : column.metric->rank;
  };
  std::stable_sort(columns.begin(), columns.end(),
                   [&](const NumberColumn& a, const NumberColumn& b) { return place_of(a) < place_of(b); });
  return columns;
}

Result<std::vector<NumberColumn>> columns_called(const std::string& names) {
  std::vector<NumberColumn> columns;
  for (const std::string& word : text::split(names, ',')) {
    const Metric* const metric = metric_called(word);
    if (metric == nullptr) {
      const auto near = text::nearest(word, short_names());
      return fail(near ? fmt::format("no such column, did you mean {}?", *near)
                       : "no such column, expected a metric or one of: " + text::join(short_names(), ", "),
                  word);
    }
    const bool is_twice = std::any_of(columns.begin(), columns.end(),
                                      [&](const NumberColumn& column) { return column.metric == metric; });
    if (is_twice) return fail("this column is named twice; remove one of the two", word);
    columns.push_back(column_of(*metric));
  }
  return columns;
}

std::string heading(const NumberColumn& column, std::string_view over) {
  std::string text = column.metric->heading;
  if (column.metric->about == metrics::About::baseline && !over.empty()) text += fmt::format(" over {}", over);
  if (column.deviation != nullptr) text += fmt::format(" {}", column.deviation->heading);
  if (column.metric->has_interval) text += " [95 %]";
  return text;
}

std::string precision_below(const Results& results, const CellData& cell, const Metric& metric) {
  const CellData* const baseline = metric.about == metrics::About::baseline ? results.baseline_of(cell) : nullptr;
  return baseline == nullptr || cell.of.compiler.precision == work::kFullPrecision ? ""
                                                                                   : baseline->of.compiler.precision;
}

Column described(const NumberColumn& column, std::string_view over) {
  return number_column(heading(column, over), std::max(0, column.metric->rank - metrics::kFirstToLeaveOut + 1),
                       column.metric->unit);
}

Entry entry_of(const metrics::Number& number) {
  Entry entry = number_entry(number.value, number.reason);
  if (entry.is_empty()) return entry;
  entry.low = number.low;
  entry.high = number.high;
  return entry;
}

Entry value_entry(const Results& results, const CellData& cell, const Metric& metric) {
  Entry entry = entry_of(results.numbers.of(cell, metric.name));
  if (!entry.is_empty()) entry.over = precision_below(results, cell, metric);
  return entry;
}

Entry metric_entry(const Results& results, const CellData& cell, const NumberColumn& column) {
  Entry entry = value_entry(results, cell, *column.metric);
  entry.style = style_of_value(*column.metric, entry);
  if (entry.is_empty()) {
    entry.reason = "unknown";
    return entry;
  }
  const auto number = entry.value.get<double>();
  if (entry.low == number && entry.high == number) entry.low = entry.high = std::nullopt;
  if (column.deviation == nullptr) return entry;
  entry.deviation = results.numbers.of(cell, column.deviation->name).value;
  return entry;
}

std::string why_no_numbers(const CellData& cell) {
  const Status status = status_of(cell);
  if (status == Status::planned) return "not measured yet";
  if (status != Status::failed && status != Status::disturbed) return {};
  const samples::Failure& failure = *metrics::decisive_failure(cell)->failure;
  if (status == Status::disturbed) return fmt::format("disturbed: {}", failure.first_line());
  return fmt::format("failed: {} in {}: {}", name(failure.kind), name(failure.phase), failure.first_line());
}

}  // namespace ngb::report

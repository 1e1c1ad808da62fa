// SPDX-License-Identifier: Apache-2.0
#include "report/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "metrics/metric.h"
#include "report/columns.h"
#include "report/words.h"
#include "work/load.h"

namespace ngb::report {
namespace {

using nlohmann::json;
using store::CellData;

Entry value_for(const char* metric, const CellData& cell, const Results& results) {
  return entry_of(results.numbers.of(cell, metric));
}

// Returns the highest resident memory of the phase over the processes that count.
Entry peak_of_phase(std::string_view phase, const CellData& cell, const Results& results) {
  std::optional<std::uint64_t> highest;
  for (const store::RecordedProcess& process : cell.processes) {
    for (const samples::PhaseUse& use : process.phases) {
      if (samples::name(use.phase) != phase) continue;
      if (!use.peak_rss_bytes.value) return empty_entry(use.peak_rss_bytes.reason);
      highest = std::max(highest.value_or(0), *use.peak_rss_bytes.value);
    }
  }
  if (highest) return {.value = *highest};
  const Entry timed = value_for("timed_peak_bytes", cell, results);
  return empty_entry(timed.is_empty() ? timed.reason : fmt::format("no {} phase", phase));
}

// The meter of a cell's energy: the widest one that measured what computed.
struct EnergyMeter {
  const char* gross;
  const char* net;  // null: not measured
  const char* source;
};
constexpr EnergyMeter kBoard{"board_energy_per_inference_j", "net_board_energy_per_inference_j",
                             "INA3221: the whole board"};
constexpr EnergyMeter kGpu{"gpu_energy_per_inference_j", nullptr, "NVML: the GPU alone"};
constexpr EnergyMeter kPackages{"package_energy_per_inference_j", "net_package_energy_per_inference_j",
                                "RAPL: the processor packages"};

const EnergyMeter& meter_of(const CellData& cell, const Results& results) {
  if (!value_for(kBoard.gross, cell, results).is_empty()) return kBoard;
  return cell.of.compute_device.value == "gpu" ? kGpu : kPackages;
}

Entry net_energy(const CellData& cell, const Results& results) {
  const EnergyMeter& meter = meter_of(cell, results);
  return meter.net == nullptr ? empty_entry("the power of the idle GPU is not measured")
                              : value_for(meter.net, cell, results);
}

Entry source_of_energy(const CellData& cell, const Results& results) {
  const EnergyMeter& meter = meter_of(cell, results);
  const Entry gross = value_for(meter.gross, cell, results);
  return gross.is_empty() ? empty_entry(gross.reason) : Entry{.value = meter.source};
}

Entry cost_of(const CellData& cell, const CostPerHour& costs) {
  const auto found = costs.find(cell.of.device);
  return found == costs.end()
             ? empty_entry("no cost_per_hour of this device, in the study's devices or by --cost DEVICE=PRICE")
             : Entry{.value = found->second};
}

// The interval is that of the speed: the slower, the dearer.
Entry cost_of_million(const CellData& cell, const Results& results, const CostPerHour& costs) {
  const Entry cost = cost_of(cell, costs);
  if (cost.is_empty()) return cost;
  Entry speed = value_for("throughput_per_s", cell, results);
  if (speed.is_empty()) return speed;
  constexpr double kSecondsPerHour = 3600;
  constexpr double kMillion = 1e6;
  const auto at = [&](double per_s) {
    return cost.value.get<double>() / kSecondsPerHour * kMillion * cell.of.model.key.batch / per_s;
  };
  Entry value{.value = at(speed.value.get<double>())};
  if (speed.high) value.low = at(*speed.high);
  if (speed.low) value.high = at(*speed.low);
  return value;
}

Entry toolchain_of(const CellData& cell) {
  if (cell.processes.empty()) return empty_entry("no process completed");
  const samples::Provenance& made_with = cell.processes.back().made_with;
  if (made_with.worker_sha256.empty()) return empty_entry("not recorded");
  if (made_with.manifest_sha256.empty()) return empty_entry("the compiler has no toolchain of its own");
  return {.value = made_with.manifest_sha256};
}

// The rule of percentiles is that of the metrics: a percentile has a value if there are enough single inferences.
constexpr std::array kMetricColumns{"throughput_per_s", "instances_gain_ratio", "latency_p50_s",      "latency_p90_s",
                                    "latency_p95_s",    "latency_p99_s",        "cpu_per_inference_s"};
constexpr std::array kLaterMetricColumns{"compile_s",          "load_s",        "cold_start_s",    "warm_start_s",
                                         "max_absolute_error", "process_count", "repetition_count"};
constexpr std::array kPhases{"open", "compile", "load", "check", "warm_up", "timed"};

// The columns that people see: their headings, and the rank of each in a table that is too wide.
struct ForPeople {
  const char* name;
  const char* heading;
  int rank;
  bool is_in_titles = false;
};
constexpr std::array kForPeople{ForPeople{"device", "device", 0, true},
                                ForPeople{"model", "model", 0, true},
                                ForPeople{"batch", "batch", 0, true},
                                ForPeople{"compiler_label", "compiler", 0},
                                ForPeople{"compiler_version", "version", 8},
                                ForPeople{"threads", "threads", 6},
                                ForPeople{"precision", "precision", 9},
                                ForPeople{"load", "load", 0, true},
                                ForPeople{"throughput_per_s", "samples/s", 0},
                                ForPeople{"latency_p50_s", "p50", 0},
                                ForPeople{"latency_p90_s", "p90", 10},
                                ForPeople{"latency_p95_s", "p95", 11},
                                ForPeople{"latency_p99_s", "p99", 1},
                                ForPeople{"cpu_per_inference_s", "CPU an inference", 7},
                                ForPeople{"energy_per_inference_j", "J an inference", 6},
                                ForPeople{"timed_peak_bytes", "peak", 2},
                                ForPeople{"compile_s", "compile", 4},
                                ForPeople{"cold_start_s", "cold start", 3},
                                ForPeople{"max_absolute_error", "max error", 12},
                                ForPeople{"cost_per_million_inferences", "cost of 10⁶", 5}};

void show_to_people(std::vector<ProfileColumn>& columns) {
  for (const ForPeople& shown : kForPeople) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const ProfileColumn& each) { return each.name() == shown.name; });
    Column& column = found->column;
    column.is_for_people = true;
    column.heading = shown.heading;
    column.rank = shown.rank;
    column.is_in_titles = shown.is_in_titles;
    const std::string_view name = shown.name;
    if (!column.has_reason && name != "batch" && name != "threads") column.kind = Kind::text;
    column.is_brief = name != "throughput_per_s";
  }
}

ProfileColumn metric_column(const char* name) {
  const metrics::Metric* const metric = metrics::find_metric(name);
  return {quantity_column(name, metric->unit, metric->has_interval), metric->formula, metric->source,
          [name](const CellData& cell, const Results& results, const auto&) { return value_for(name, cell, results); }};
}

std::vector<ProfileColumn> make_columns() {
  std::vector<ProfileColumn> columns;
  using work::Role;
  const auto add_key = [&](const char* name, const char* meaning) {
    const auto attribute = std::ranges::find(attributes(), std::string_view(name), &Attribute::name);
    columns.push_back({data_column(name), meaning, "", [attribute](const CellData& cell, const auto&...) {
                         return Entry{.value = attribute->of(cell)};
                       }});
  };
  add_key("cell_id", "identifies the configuration in its results file");
  for (const work::Property* each : work::properties_of(
           {Role::device, Role::compute_device, Role::model_name, Role::batch, Role::compiler, Role::label,
            Role::version, Role::options, Role::instances, Role::threads, Role::precision, Role::load})) {
    add_key(each->name, each->meaning);
  }
  for (const char* const name : kMetricColumns) columns.push_back(metric_column(name));
  columns.push_back({quantity_column("energy_per_inference_j", "joule", true),
                     "the metric of the widest meter that measured what computed: "
                     "board_energy_per_inference_j, else gpu_energy_per_inference_j of a cell on a GPU and "
                     "package_energy_per_inference_j of another; never an estimate",
                     "", [](const CellData& cell, const Results& results, const auto&) {
                       return value_for(meter_of(cell, results).gross, cell, results);
                     }});
  columns.push_back(
      {quantity_column("net_energy_per_inference_j", "joule", true), "the same without what the idle machine takes", "",
       [](const CellData& cell, const Results& results, const auto&) { return net_energy(cell, results); }});
  columns.push_back(
      {quantity_column("energy_source", "", false), "the meter of the two, and what it measures", "",
       [](const CellData& cell, const Results& results, const auto&) { return source_of_energy(cell, results); }});
  for (const char* const phase : kPhases) {
    columns.push_back({quantity_column(fmt::format("{}_peak_bytes", phase), "bytes", false),
                       fmt::format("highest resident memory of a worker within the phase {}, over processes", phase),
                       "", [phase](const CellData& cell, const Results& results, const auto&) {
                         return peak_of_phase(phase, cell, results);
                       }});
  }
  for (const char* const name : kLaterMetricColumns) columns.push_back(metric_column(name));
  columns.push_back({quantity_column("cost_per_hour", "1", false),
                     "of the device: `cost_per_hour` in the study or --cost, in any currency", "",
                     [](const CellData& cell, const auto&, const CostPerHour& costs) { return cost_of(cell, costs); }});
  columns.push_back({quantity_column("cost_per_million_inferences", "1", true),
                     "cost_per_hour / 3600 s · b / T · 10⁶: of a device that is always busy", "", cost_of_million});
  columns.push_back({quantity_column("toolchain_sha256", "", false),
                     "digest of the compiler's toolchain: its version and its packages", "",
                     [](const CellData& cell, const auto&...) { return toolchain_of(cell); }});
  show_to_people(columns);
  return columns;
}

json columns_json() {
  json columns = json::array();
  for (const ProfileColumn& each : profile_columns()) {
    columns.push_back({{"name", each.name()},
                       {"unit", each.column.unit.empty() ? json(nullptr) : json(each.column.unit)},
                       {"meaning", each.meaning},
                       {"source", each.source.empty() ? json(nullptr) : json(each.source)},
                       {"has_interval", each.column.has_interval}});
  }
  return columns;
}

}  // namespace

std::span<const ProfileColumn> profile_columns() {
  static const std::vector<ProfileColumn> kColumns = make_columns();
  return kColumns;
}

const Entry& ProfileRow::at(std::string_view column) const {
  const auto columns = profile_columns();
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const ProfileColumn& each) { return each.name() == column; });
  return row.entries.at(static_cast<std::size_t>(found - columns.begin()));
}

ProfileRow profile_row(const store::CellData& cell, const Results& results, const CostPerHour& costs) {
  ProfileRow made{.has_processes = !cell.processes.empty(),
                  .workload = workload_on_device(cell),
                  .is_identity = metrics::is_called_identity(cell)};
  for (const ProfileColumn& column : profile_columns()) {
    made.row.entries.push_back(column.of(cell, results, costs));
  }
  return made;
}

const FormatNames& profile_formats() {
  static const FormatNames kNames{"text", "json", "csv", "markdown"};
  return kNames;
}

Document profile_document(std::vector<ProfileRow> rows) {
  Document document{.json_rows = "rows", .extra = {{"columns", columns_json()}}};
  for (const ProfileColumn& each : profile_columns()) {
    document.table.columns.push_back(each.column);
    if (std::string_view(each.name()) != "load") continue;
    // People need the column only to tell rows apart.
    document.table.columns.back().is_for_people = std::any_of(
        rows.begin(), rows.end(), [](const ProfileRow& row) { return row.at("load").value != work::kNoLoad; });
  }
  document.remarks = {"Inferences of a whole batch; – has a reason in --format json and csv"};
  if (std::ranges::any_of(rows, &ProfileRow::is_identity)) document.remarks.emplace_back("identity is PyTorch eager");
  for (ProfileRow& each : rows) {
    if (document.table.sections.empty() || document.table.sections.back().title != each.workload)
      document.table.sections.push_back({.title = each.workload});
    document.table.sections.back().rows.push_back(std::move(each.row));
  }
  return document;
}

std::string profile_columns_markdown() {
  std::string text = "| name | unit | meaning | source | interval |\n| --- | --- | --- | --- | --- |\n";
  for (const ProfileColumn& each : profile_columns()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", each.name(), each.column.unit, each.meaning, each.source,
                        each.column.has_interval ? "yes" : "");
  }
  return text;
}

}  // namespace ngb::report

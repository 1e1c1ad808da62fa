// SPDX-License-Identifier: Apache-2.0
#include "report/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "metrics/metric.h"
#include "report/columns.h"

namespace ngb::report {
namespace {

using nlohmann::json;
using store::CellData;

ProfileValue unknown_value(std::string reason) { return {.reason = std::move(reason)}; }

ProfileValue value_of_metric(std::string_view name, const CellData& cell, const Results& results) {
  const store::DerivedValue* const found = results.values.find(cell.cell_id, name);
  if (found == nullptr) return unknown_value(fmt::format("{} was not computed", name));
  if (!found->value) return unknown_value(found->reason);
  return {*found->value, found->low, found->high, ""};
}

ProfileValue of_attribute(const ProfileColumn& column, const CellData& cell, const Results& /*results*/,
                          const CostPerHour& /*costs*/) {
  const auto all = attributes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Attribute& each) { return each.name == column.name; });
  return found == all.end() ? ProfileValue{} : ProfileValue{.value = found->of(cell)};
}

ProfileValue of_metric(const ProfileColumn& column, const CellData& cell, const Results& results,
                       const CostPerHour& /*costs*/) {
  return value_of_metric(column.name, cell, results);
}

// Returns the highest resident memory of the phase over the processes that count. The column is PHASE_peak_bytes.
ProfileValue of_phase_peak(const ProfileColumn& column, const CellData& cell, const Results& results,
                           const CostPerHour& /*costs*/) {
  const std::string_view phase = std::string_view(column.name).substr(0, column.name.find("_peak_bytes"));
  std::optional<std::uint64_t> highest;
  for (const store::RecordedProcess& process : cell.processes) {
    for (const samples::PhaseUse& use : process.phases) {
      if (samples::name(use.phase) != phase) continue;
      if (!use.peak_rss_bytes.value) return unknown_value(use.peak_rss_bytes.reason);
      highest = std::max(highest.value_or(0), *use.peak_rss_bytes.value);
    }
  }
  if (highest) return {.value = *highest};
  const ProfileValue timed = value_of_metric("timed_peak_bytes", cell, results);
  return unknown_value(timed.value.is_null() ? timed.reason : fmt::format("no {} phase", phase));
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
  if (!value_of_metric(kBoard.gross, cell, results).value.is_null()) return kBoard;
  return cell.of.compute_device.value == "gpu" ? kGpu : kPackages;
}

ProfileValue of_energy(const ProfileColumn& /*column*/, const CellData& cell, const Results& results,
                       const CostPerHour& /*costs*/) {
  return value_of_metric(meter_of(cell, results).gross, cell, results);
}

ProfileValue of_net_energy(const ProfileColumn& /*column*/, const CellData& cell, const Results& results,
                           const CostPerHour& /*costs*/) {
  const EnergyMeter& meter = meter_of(cell, results);
  return meter.net == nullptr ? unknown_value("the power of the idle GPU is not measured")
                              : value_of_metric(meter.net, cell, results);
}

ProfileValue of_energy_source(const ProfileColumn& /*column*/, const CellData& cell, const Results& results,
                              const CostPerHour& /*costs*/) {
  const EnergyMeter& meter = meter_of(cell, results);
  const ProfileValue gross = value_of_metric(meter.gross, cell, results);
  return gross.value.is_null() ? unknown_value(gross.reason) : ProfileValue{.value = meter.source};
}

ProfileValue of_cost(const ProfileColumn& /*column*/, const CellData& cell, const Results& /*results*/,
                     const CostPerHour& costs) {
  const auto found = costs.find(cell.of.device);
  return found == costs.end()
             ? unknown_value("no cost_per_hour of this device, in the study's devices or by --cost DEVICE=PRICE")
             : ProfileValue{.value = found->second};
}

// The interval is that of the speed: the slower, the dearer.
ProfileValue of_cost_of_million(const ProfileColumn& column, const CellData& cell, const Results& results,
                                const CostPerHour& costs) {
  const ProfileValue cost = of_cost(column, cell, results, costs);
  if (cost.value.is_null()) return cost;
  ProfileValue speed = value_of_metric("throughput_per_s", cell, results);
  if (speed.value.is_null()) return speed;
  constexpr double kSecondsPerHour = 3600;
  constexpr double kMillion = 1e6;
  const auto at = [&](double per_s) {
    return cost.value.get<double>() / kSecondsPerHour * kMillion * cell.of.model.key.batch / per_s;
  };
  ProfileValue value{.value = at(speed.value.get<double>())};
  if (speed.high) value.low = at(*speed.high);
  if (speed.low) value.high = at(*speed.low);
  return value;
}

ProfileValue of_toolchain(const ProfileColumn& /*column*/, const CellData& cell, const Results& /*results*/,
                          const CostPerHour& /*costs*/) {
  if (cell.processes.empty()) return unknown_value("no process completed");
  const samples::Provenance& made_with = cell.processes.back().made_with;
  if (made_with.worker_sha256.empty()) return unknown_value("not recorded");
  if (made_with.manifest_sha256.empty()) return unknown_value("the compiler has no toolchain of its own");
  return {.value = made_with.manifest_sha256};
}

// The rule of percentiles is that of the metrics: a percentile has a value if there are enough single inferences.
constexpr std::array kMetricColumns{"throughput_per_s", "instances_gain_ratio", "latency_p50_s",      "latency_p90_s",
                                    "latency_p95_s",    "latency_p99_s",        "cpu_per_inference_s"};
constexpr std::array kLaterMetricColumns{"compile_s",          "load_s",        "cold_start_s",
                                         "max_absolute_error", "process_count", "repetition_count"};
constexpr std::array kPhases{"open", "compile", "load", "check", "warm_up", "timed"};

ProfileColumn metric_column(const char* name) {
  const metrics::Metric* const metric = metrics::find_metric(name);
  return {.name = name,
          .unit = metric->unit,
          .meaning = metric->formula,
          .source = metric->source,
          .has_interval = metric->has_interval,
          .of = of_metric};
}

std::vector<ProfileColumn> make_columns() {
  std::vector<ProfileColumn> columns;
  using work::Role;
  const auto add_key = [&](const char* name, const char* meaning) {
    columns.push_back({.name = name, .meaning = meaning, .is_key = true, .of = of_attribute});
  };
  add_key("cell_id", "identifies the configuration in its results file");
  for (const work::Property* each : work::properties_of(
           {Role::device, Role::compute_device, Role::model_name, Role::batch, Role::compiler, Role::label,
            Role::version, Role::options, Role::instances, Role::threads, Role::precision, Role::load})) {
    add_key(each->name, each->meaning);
  }
  for (const char* const name : kMetricColumns) columns.push_back(metric_column(name));
  columns.push_back({.name = "energy_per_inference_j",
                     .unit = "joule",
                     .meaning = "the metric of the widest meter that measured what computed: "
                                "board_energy_per_inference_j, else gpu_energy_per_inference_j of a cell on a GPU and "
                                "package_energy_per_inference_j of another; never an estimate",
                     .has_interval = true,
                     .of = of_energy});
  columns.push_back({.name = "net_energy_per_inference_j",
                     .unit = "joule",
                     .meaning = "the same without what the idle machine takes",
                     .has_interval = true,
                     .of = of_net_energy});
  columns.push_back(
      {.name = "energy_source", .meaning = "the meter of the two, and what it measures", .of = of_energy_source});
  for (const char* const phase : kPhases) {
    columns.push_back(
        {.name = fmt::format("{}_peak_bytes", phase),
         .unit = "bytes",
         .meaning = fmt::format("highest resident memory of a worker within the phase {}, over processes", phase),
         .of = of_phase_peak});
  }
  for (const char* const name : kLaterMetricColumns) columns.push_back(metric_column(name));
  columns.push_back({.name = "cost_per_hour",
                     .unit = "1",
                     .meaning = "of the device: `cost_per_hour` in the study or --cost, in any currency",
                     .of = of_cost});
  columns.push_back({.name = "cost_per_million_inferences",
                     .unit = "1",
                     .meaning = "cost_per_hour / 3600 s · b / T · 10⁶: of a device that is always busy",
                     .has_interval = true,
                     .of = of_cost_of_million});
  columns.push_back({.name = "toolchain_sha256",
                     .meaning = "digest of the compiler's toolchain: its version and its packages",
                     .of = of_toolchain});
  return columns;
}

}  // namespace

std::span<const ProfileColumn> profile_columns() {
  static const std::vector<ProfileColumn> kColumns = make_columns();
  return kColumns;
}

const ProfileColumn& profile_column(std::string_view name) {
  const auto columns = profile_columns();
  return *std::find_if(columns.begin(), columns.end(), [&](const ProfileColumn& each) { return each.name == name; });
}

const ProfileValue& ProfileRow::at(std::string_view column) const {
  return values[static_cast<std::size_t>(&profile_column(column) - profile_columns().data())];
}

ProfileRow profile_row(const store::CellData& cell, const Results& results, const CostPerHour& costs) {
  ProfileRow row{.has_processes = !cell.processes.empty()};
  for (const ProfileColumn& column : profile_columns()) row.values.push_back(column.of(column, cell, results, costs));
  return row;
}

}  // namespace ngb::report

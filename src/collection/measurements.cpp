// SPDX-License-Identifier: Apache-2.0
#include "collection/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

#include "base/hash.h"
#include "base/text.h"
#include "metrics/baseline.h"
#include "metrics/families.h"
#include "report/results.h"
#include "report/status.h"
#include "report/words.h"
#include "work/baseline.h"
#include "work/property.h"

namespace ngb::collection {
namespace {

using store::CellData;

std::string value_of(const Machine& machine, std::string_view entry) {
  const auto found = std::ranges::find(machine.entries, entry, &samples::EnvironmentEntry::name);
  return found == machine.entries.end() ? "" : found->value.value.value_or("");
}

// Returns "NVIDIA H200, Intel(R) Xeon(R) Processor, 16 threads, 126 GiB".
std::string name_of_machine(const Machine& machine, const std::string& device) {
  if (machine.entries.empty()) return fmt::format("{}: nothing is known of it", device);
  std::vector<std::string> parts;
  for (const char* const entry : {"gpu", "machine", "cpu_model"}) {
    if (std::string value = value_of(machine, entry); !value.empty()) parts.push_back(std::move(value));
  }
  if (const std::string threads = value_of(machine, "cpu_threads"); !threads.empty()) {
    parts.push_back(threads + (threads == "1" ? " thread" : " threads"));
  }
  if (const std::string bytes = value_of(machine, "memory_total"); !bytes.empty()) {
    double number = 0;
    std::from_chars(bytes.data(), bytes.data() + bytes.size(), number);
    parts.push_back(fmt::format("{:.0f} GiB", number / static_cast<double>(1ULL << 30U)));
  }
  return text::join(parts, ", ");
}

// Returns the machines of the results by the hash of their environment, and by the device the first one of each.
std::map<std::string, Machine> machines_of(const std::vector<store::MeasuredEnvironment>& environments) {
  std::map<std::string, Machine> machines;
  for (const store::MeasuredEnvironment& each : environments) {
    Machine machine{.entries = each.environment.entries};
    machine.name = name_of_machine(machine, each.device);
    machines.emplace("device " + each.device, machine);
    machines.emplace(each.environment.hash(), std::move(machine));
  }
  return machines;
}

std::string hash_of_samples(const store::RecordedProcess& process) {
  std::string text;
  for (const samples::Repetition& each : process.repetitions) {
    fmt::format_to(std::back_inserter(text), "{} {} {};", each.wall_ns, each.inferences, each.is_warm_up ? 1 : 0);
  }
  return hash::sha256(text);
}

// Returns "openvino device=CPU, bf16".
std::string family_of(const CellData& cell) {
  const std::string& compiler = cell.of.compiler.name;
  std::string name = compiler == metrics::kIdentity ? metrics::known_as(compiler) : compiler;
  if (const std::string options = work::words_of_options(cell.of); !options.empty()) name += " " + options;
  if (cell.of.compiler.precision != work::kFullPrecision) name += ", " + cell.of.compiler.precision;
  return name;
}

Measurement measurement_of(const report::Results& results, const CellData& cell) {
  Measurement made{.cell_id = cell.cell_id,
                   .model = cell.of.model.label,
                   .model_hash = cell.of.model.key.hash,
                   .batch = cell.of.model.key.batch,
                   .setting = report::threads_of(cell),
                   .compiler = family_of(cell),
                   .version = cell.of.compiler.version,
                   .why_none = report::why_no_numbers(cell)};
  if (const std::string on = report::compute_device_of(cell); on != "cpu" && made.why_none.empty()) {
    made.setting += ", on " + on;
  }
  if (report::is_loaded(cell)) made.setting += ", load " + cell.of.load;
  for (std::size_t i = 0; i < kQuantities; ++i) {
    made.numbers.at(i) = report::metric_entry(results, cell, quantities()[i]);
  }
  for (const metrics::RaisedFlag& raised : results.numbers.flags(cell)) made.flags.emplace_back(raised.flag->name);
  for (const store::RecordedProcess& process : cell.processes) made.processes.push_back(hash_of_samples(process));
  return made;
}

}  // namespace

const std::vector<report::NumberColumn>& quantities() {
  static const std::vector<report::NumberColumn> kColumns =
      report::columns_called("speed-up,latency,throughput").value();
  return kColumns;
}

Status add_measurements(const std::filesystem::path& results_file, Bundle& bundle,
                        std::vector<Measurement>& measurements) {
  auto reader = metrics::FamilyReader::open({{results_file, {}}}, metrics::kIdentity);
  if (!reader) return error_of(reader);
  const auto runs = reader->results().runs();
  if (!runs) return error_of(runs);
  if (!runs->empty()) bundle.study = runs->back().study_name;
  const std::map<std::string, Machine> machines = machines_of(reader->heading().environments);
  std::vector<const metrics::Metric*> metrics;
  for (const report::NumberColumn& each : quantities()) metrics.push_back(each.metric);
  const auto add = [&](const metrics::DerivedFamily& family) {
    std::vector<store::DerivedValue> values;
    for (const auto& of_cell : family.values) values.insert(values.end(), of_cell.begin(), of_cell.end());
    const report::Results results = report::all_results(family.cells, values, reader->heading().baseline);
    for (const CellData& cell : family.cells) {
      if (cell.is_profile || report::status_of(cell) == report::Status::planned) continue;
      Measurement& made = measurements.emplace_back(measurement_of(results, cell));
      const auto by_process =
          cell.processes.empty() ? machines.end() : machines.find(cell.processes.front().environment_hash);
      const auto found = by_process == machines.end() ? machines.find("device " + cell.of.device) : by_process;
      const Machine machine =
          found == machines.end() ? Machine{name_of_machine({}, cell.of.device), {}} : found->second;
      made.machine = machine.name;
      if (std::ranges::find(bundle.machines, machine.name, &Machine::name) == bundle.machines.end()) {
        bundle.machines.push_back(machine);
      }
    }
  };
  return reader->derive(reader->families(), metrics, 1, add);
}

}  // namespace ngb::collection

// SPDX-License-Identifier: Apache-2.0
// Table I: the machines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"
#include "paper/tables/tables.h"

namespace ngb::paper::tables {
namespace {

constexpr std::string_view kMemory = "memory_total";

struct DescribedBy {
  const char* entry;  // of the environment
  const char* heading;
};
constexpr std::array kDescriptions{
    DescribedBy{"machine", "machine"},       DescribedBy{"cpu_model", "processor"},
    DescribedBy{"cpu_cores", "cores"},       DescribedBy{"cpu_threads", "threads"},
    DescribedBy{"memory_total", "memory"},   DescribedBy{"gpu", "GPU"},
    DescribedBy{"gpu_driver", "GPU driver"}, DescribedBy{"operating_system", "operating system"},
    DescribedBy{"kernel", "kernel"},
};

std::string shown_entry(const samples::EnvironmentEntry& entry) {
  if (entry.name != kMemory) return *entry.value.value;
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  return fmt::format("{:.1f} GiB", std::strtod(entry.value.value->c_str(), nullptr) / kGibibyte);
}

// Joins the different values of an entry over all descriptions of the device.
Entry entry_of(const Input& input, const std::string& device, std::string_view name) {
  std::vector<std::string> values;
  std::string reason = "no process has completed on this device, so nothing is known of it";
  for (const store::MeasuredEnvironment& each : input.environments()) {
    if (each.device != device) continue;
    reason = "this device does not have such an entry";
    for (const samples::EnvironmentEntry& entry : each.environment.entries) {
      if (entry.name != name) continue;
      reason = entry.value.reason;
      if (!entry.value.value) break;
      std::string value = shown_entry(entry);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
    }
  }
  return values.empty() ? empty_entry(reason) : text_entry(text::join(values, "; "));
}

}  // namespace

Document devices(const Input& input) {
  Document made{.why_empty = "these results have no cells"};
  made.table.columns.push_back(column("device", "device", Kind::text));
  for (const DescribedBy& each : kDescriptions)
    made.table.columns.push_back(column(each.entry, each.heading, Kind::text));
  std::vector<std::string> seen;
  for (const store::CellData* cell : input.results().cells) {
    if (std::find(seen.begin(), seen.end(), cell->of.device) != seen.end()) continue;
    seen.push_back(cell->of.device);
    Row row{{text_entry(cell->of.device)}};
    for (const DescribedBy& each : kDescriptions) row.entries.push_back(entry_of(input, cell->of.device, each.entry));
    add_row(made, std::move(row));
  }
  return made;
}

}  // namespace ngb::paper::tables

// SPDX-License-Identifier: Apache-2.0
#include "metrics/made_of.h"

#include <fmt/format.h>

#include <vector>

#include "base/hash.h"
#include "metrics/metric.h"
#include "work/property.h"

namespace ngb::metrics {
namespace {

using store::CellData;

// Adds a text so that no two lists of texts give the same one.
void add_field(std::string& text, std::string_view field) { text += fmt::format("{} {}\n", field.size(), field); }

void add_processes(std::string& text, const std::vector<store::RecordedProcess>& processes) {
  text += fmt::format("{} processes\n", processes.size());
  for (const store::RecordedProcess& process : processes) {
    text += fmt::format("{} {} {} {} {} {} ", process.run_key, process.process_index, process.attempt,
                        process.started_unix_ns, process.wall_ns, process.is_steady);
    add_field(text, process.environment_hash);
  }
}

void add_cell_to(std::string& text, const CellData& cell) {
  add_field(text, cell.cell_id);
  for (const work::Property& each : work::properties()) {
    if (each.role != work::Role::model_fact) add_field(text, each.text(cell.of));
  }
  add_field(text, cell.of.compute_device.reason);
  text += fmt::format("{} {} {} {} {} {}\n", cell.planned_processes, cell.has_ended_rounds,
                      cell.device_cpus.value_or(0), cell.rounds ? cell.rounds->max : 0,
                      cell.of.model.raw_bytes.value_or(0), cell.of.model.encoded_bytes.value_or(0));
  for (const auto* processes : {&cell.processes, &cell.set_aside, &cell.failed}) add_processes(text, *processes);
}

}  // namespace

std::string made_of(std::span<const CellData* const> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz) {
  static const std::string version = formulas_version();
  std::string text = version + '\n';
  add_field(text, baseline.key());
  if (!cells.empty()) {
    const auto highest = highest_hz.find(cells.front()->of.device);
    if (highest != highest_hz.end()) text += fmt::format("{} Hz\n", highest->second);
  }
  for (const CellData* cell : cells) add_cell_to(text, *cell);
  return hash::sha256(text);
}

std::string made_of(std::span<const CellData> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz) {
  std::vector<const CellData*> members;
  for (const CellData& cell : cells) members.push_back(&cell);
  return made_of(members, baseline, highest_hz);
}

}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "statistics/sequential.h"

namespace ngb::report {

using store::CellData;

std::string compiler_of(const CellData& cell) {
  const bool is_told =
      cell.compiler_version.empty() || cell.compiler_label.find(cell.compiler_version) != std::string::npos;
  return is_told ? cell.compiler_label : cell.compiler_label + " " + cell.compiler_version;
}

std::string compute_device_of(const CellData& cell) {
  return text::visible(cell.compute_device.value.value_or("unknown device"));
}

bool are_on_several_compute_devices(std::span<const CellData* const> cells) {
  std::set<std::string> kinds;
  for (const CellData* cell : cells) {
    if (cell->compute_device.value) kinds.insert(*cell->compute_device.value);
  }
  return kinds.size() > 1;
}

std::string threads_of(const CellData& cell) {
  const std::string count = fmt::format("{} {}", cell.threads_there(), cell.threads == 1 ? "thread" : "threads");
  return cell.threads && !cell.threads_asked.empty() ? fmt::format("{} ({})", count, cell.threads_asked) : count;
}

std::string rounds_remark(const work::Rounds& rounds) {
  constexpr double kPercent = 100;
  return fmt::format(
      "rounds ended when their question was decided, after {} to {}: each interval holds whenever they ended (it is "
      "the "
      "{:.1f} % interval of one look)",
      rounds.min, rounds.max, kPercent * (1 - statistics::nominal_error_rate(rounds.max)));
}

bool is_loaded(const CellData& cell) { return cell.load != work::kNoLoad; }

bool has_loads(std::span<const CellData* const> cells) {
  return std::any_of(cells.begin(), cells.end(), [](const CellData* cell) { return is_loaded(*cell); });
}

Having having(const CellData& cell) { return {is_loaded(cell), cell.instances > 1}; }
Having operator|(Having a, Having b) { return {a.load || b.load, a.instances || b.instances}; }
bool is_about(const metrics::Metric& metric, Having of_table) {
  return (!metric.is_of_load || of_table.load) && (!metric.is_of_instances || of_table.instances);
}

std::string workload_of(const CellData& cell) {
  const std::string load = is_loaded(cell) ? ", load " + cell.load : "";
  return fmt::format("{}, batch {}, on {}{}", cell.model, cell.batch, cell.device, load);
}

bool is_same_workload(const CellData& a, const CellData& b) {
  return a.device == b.device && a.model_hash == b.model_hash && a.model == b.model && a.batch == b.batch &&
         a.load == b.load;
}

}  // namespace ngb::report

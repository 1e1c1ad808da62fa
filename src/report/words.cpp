// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "metrics/outcome.h"
#include "statistics/sequential.h"

namespace ngb::report {

using store::CellData;

std::string compute_device_of(const CellData& cell) {
  return text::visible(cell.of.compute_device.value.value_or("unknown device"));
}

bool are_on_several_compute_devices(std::span<const CellData* const> cells) {
  std::set<std::string> kinds;
  for (const CellData* cell : cells) {
    if (cell->of.compute_device.value) kinds.insert(*cell->of.compute_device.value);
  }
  return kinds.size() > 1;
}

std::string threads_of(const CellData& cell) {
  const std::string count = fmt::format("{} {}", cell.of.threads_there(), cell.of.threads == 1 ? "thread" : "threads");
  return cell.of.threads && !cell.of.compiler.threads_asked.empty()
             ? fmt::format("{} ({})", count, cell.of.compiler.threads_asked)
             : count;
}

std::string rounds_remark(const work::Rounds& rounds) {
  constexpr double kPercent = 100;
  return fmt::format(
      "rounds end when their question is decided, after {} to {}: each interval holds whenever they end (it is the "
      "{:.1f} % interval of one look)",
      rounds.min, rounds.max, kPercent * (1 - statistics::nominal_error_rate(rounds.max)));
}

bool is_loaded(const CellData& cell) { return cell.of.load != work::kNoLoad; }

bool has_loads(std::span<const CellData* const> cells) {
  return std::any_of(cells.begin(), cells.end(), [](const CellData* cell) { return is_loaded(*cell); });
}

ColumnsInUse columns_in_use(const CellData& cell) {
  const bool generates = std::any_of(cell.processes.begin(), cell.processes.end(),
                                     [](const auto& process) { return process.facts.contains("feeding_back"); });
  return {is_loaded(cell), cell.of.compiler.instances > 1, cell.of.model.is_variant(), generates,
          metrics::has_delegate(cell)};
}
ColumnsInUse operator|(ColumnsInUse a, ColumnsInUse b) {
  return {a.load || b.load, a.instances || b.instances, a.variants || b.variants, a.decoders || b.decoders,
          a.delegates || b.delegates};
}
bool is_about(const metrics::Metric& metric, ColumnsInUse of_table) {
  using metrics::About;
  return (metric.about != About::load || of_table.load) && (metric.about != About::instances || of_table.instances) &&
         (metric.about != About::variants || of_table.variants) &&
         (metric.about != About::decoders || of_table.decoders) &&
         (metric.about != About::delegates || of_table.delegates);
}

std::string workload_on_device(const CellData& cell) {
  const std::string load = is_loaded(cell) ? ", load " + cell.of.load : "";
  return fmt::format("{}, batch {}, on {}{}", cell.of.model.label, cell.of.model.key.batch, cell.of.device, load);
}

bool is_same_workload_on_device(const CellData& a, const CellData& b) {
  return a.of.device == b.of.device && a.of.model.key.hash == b.of.model.key.hash &&
         a.of.model.label == b.of.model.label && a.of.model.key.batch == b.of.model.key.batch && a.of.load == b.of.load;
}

}  // namespace ngb::report

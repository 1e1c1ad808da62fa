// SPDX-License-Identifier: Apache-2.0
#include "report/figures/workloads.h"

#include <algorithm>

namespace ngb::report::figures {

using store::CellData;

Workloads::Workloads(const Selection& selection) : selection_(selection) {
  for (const CellData* cell : selection.cells()) {
    Workload& workload = workloads_[key_of(*cell)];
    workload.cells.push_back(cell);
    const Number speed = number_of(selection, *cell, "throughput_per_s");
    if (!speed.value) continue;
    ++workload.cells_with_speed;
    if (workload.best != nullptr && *speed.value <= *workload.best_speed.value) continue;
    workload.best = cell;
    workload.best_speed = speed;
  }
}

Workloads::Key Workloads::key_of(const CellData& cell) const {
  return {selection_.device(cell), cell.of.model.label, cell.of.model.key.hash, cell.of.model.key.batch};
}

std::vector<const std::vector<const CellData*>*> Workloads::all() const {
  std::vector<const std::vector<const CellData*>*> all;
  for (const auto& [key, workload] : workloads_) all.push_back(&workload.cells);
  return all;
}

Number Workloads::ratio_to_best(const CellData& cell) const {
  const Workload& workload = workloads_.at(key_of(cell));
  if (workload.best == &cell) return {1, 1, 1, ""};
  return ratio_of(number_of(selection_, cell, "throughput_per_s"), workload.best_speed);
}

bool Workloads::compare_something() const {
  return std::any_of(workloads_.begin(), workloads_.end(),
                     [](const auto& workload) { return workload.second.cells_with_speed > 1; });
}

}  // namespace ngb::report::figures

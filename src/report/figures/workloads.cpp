// SPDX-License-Identifier: Apache-2.0
#include "report/figures/workloads.h"

#include <algorithm>
#include <utility>

namespace ngb::report::figures {

using store::CellData;

Workloads::Workloads(const Selection& selection) : selection_(selection) {
  for (const CellData* cell : selection.cells()) {
    Workload& workload = workloads_[key_of(*cell)];
    workload.cells.push_back(cell);
    if (!selection.results().numbers.why_no_ratio(*cell).empty()) continue;
    ++workload.compared;
    Number speed = number_of(selection, *cell, "throughput_per_s");
    if (speed.value.value_or(0) > workload.best.value.value_or(0)) workload.best = std::move(speed);
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
  const store::CellData* const best = workloads_.at(key_of(cell)).best.of;
  const metrics::Numbers& numbers = selection_.results().numbers;
  Number ratio =
      best == nullptr ? Number{.reason = numbers.why_no_ratio(cell), .of = &cell} : numbers.ratio(cell, *best);
  ratio.quantity = "ratio_to_best";
  return ratio;
}

bool Workloads::compare_something() const {
  return std::any_of(workloads_.begin(), workloads_.end(),
                     [](const auto& workload) { return workload.second.compared > 1; });
}

}  // namespace ngb::report::figures

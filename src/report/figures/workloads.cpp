// SPDX-License-Identifier: Apache-2.0
#include "report/figures/workloads.h"

#include <algorithm>

namespace ngb::report::figures {

Workloads::Workloads(const Selection& selection) : selection_(selection) {
  for (const Place& place : selection.places()) {
    Workload& workload = workloads_[key_of(place)];
    workload.places.push_back(place);
    const Number speed = number_of(selection, place, "throughput_per_s");
    if (!speed.value) continue;
    ++workload.cells_with_speed;
    if (workload.best != nullptr && *speed.value <= *workload.best_speed.value) continue;
    workload.best = place.cell;
    workload.best_speed = speed;
  }
}

Workloads::Key Workloads::key_of(const Place& place) const {
  const store::CellData& cell = *place.cell;
  return {place.source, selection_.device(place), cell.model, cell.model_hash, cell.batch};
}

std::vector<const std::vector<Place>*> Workloads::all() const {
  std::vector<const std::vector<Place>*> all;
  for (const auto& [key, workload] : workloads_) all.push_back(&workload.places);
  return all;
}

Number Workloads::ratio_to_best(const Place& place) const {
  const Workload& workload = workloads_.at(key_of(place));
  if (workload.best == place.cell) return {1, 1, 1, ""};
  return ratio_of(number_of(selection_, place, "throughput_per_s"), workload.best_speed);
}

bool Workloads::compare_something() const {
  return std::any_of(workloads_.begin(), workloads_.end(),
                     [](const auto& workload) { return workload.second.cells_with_speed > 1; });
}

}  // namespace ngb::report::figures

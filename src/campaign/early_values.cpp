// SPDX-License-Identifier: Apache-2.0
#include "campaign/early_values.h"

#include <algorithm>

#include "metrics/derive.h"

namespace ngb::campaign {

EarlyValues::EarlyValues(store::Store& results) : results_(&results) {
  if (!begin()) family_of_cell_.clear();
}

bool EarlyValues::begin() {
  auto families = results_->families();
  if (!families) return false;
  families_ = *std::move(families);
  std::size_t cells = 0;
  for (const store::ValueFamily& family : families_) cells += family.cells.size();
  if (cells > metrics::kMostCellsInMemory) return false;
  const auto outlines = results_->load_cells(store::Detail::planned);
  const auto heading = metrics::heading_of(*results_);
  auto highest_hz = results_->highest_frequencies_hz();
  if (!outlines || !heading || !highest_hz) return false;
  baseline_ = heading->baseline;
  highest_hz_ = *std::move(highest_hz);
  cells_left_.assign(families_.size(), 0);
  for (std::size_t i = 0; i < families_.size(); ++i) {
    for (const auto& member : families_[i].cells) family_of_cell_.emplace(outlines->at(member.position).cell_id, i);
  }
  return true;
}

void EarlyValues::expect(const std::string& cell_id) {
  const auto found = family_of_cell_.find(cell_id);
  if (found != family_of_cell_.end()) ++cells_left_[found->second];
}

void EarlyValues::note(const std::string& device, const samples::ProcessResult& process) {
  if (family_of_cell_.empty() || process.failure) return;
  for (const samples::Reading& reading : process.readings) {
    if (reading.quantity != "frequency" || !reading.value.value) continue;
    double& highest = highest_hz_[device];
    highest = std::max(highest, *reading.value.value);
  }
}

void EarlyValues::complete(const std::string& cell_id) {
  const auto found = family_of_cell_.find(cell_id);
  if (found == family_of_cell_.end()) return;
  const std::size_t family = found->second;
  if (--cells_left_[family] == 0) (void)metrics::derive_and_keep(*results_, baseline_, families_[family], highest_hz_);
}

}  // namespace ngb::campaign

// SPDX-License-Identifier: Apache-2.0
#include "plan/time_left.h"

#include <algorithm>

namespace ngb::plan {

TimeLeft::TimeLeft(const Plan& plan, const Estimate& estimate, std::vector<int> left)
    : plan_(&plan), expected_(estimate.cells), between_s_(estimate.between_s), cells_(plan.cells.size()) {
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    cells_[cell].left = left[cell];
    count(static_cast<int>(cell), 1);
  }
}

TimeLeft::Device& TimeLeft::device_of(int cell) {
  return devices_[plan_->cells[static_cast<std::size_t>(cell)].device];
}

// Returns the seconds of the cell's processes that are left.
double TimeLeft::cell_s(int cell) const {
  const Cell& now = cells_[static_cast<std::size_t>(cell)];
  const CellTime& expected = expected_[static_cast<std::size_t>(cell)];
  if (now.left == 0) return 0;
  if (now.loaded > 0) return now.left * static_cast<double>(now.loaded_s) / now.loaded;
  if (now.compiled == 0) return expected.first_s + (now.left - 1) * expected.other_s;
  // The first process may have tuned, or compiled for the others.
  const double saved_s = now.compiled == 1 ? expected.first_s - expected.other_s : 0;
  const double mean_s = static_cast<double>(now.compiled_s) / now.compiled;
  return now.left * std::max(mean_s - saved_s, mean_s / 20);
}

// Adds the cell to its device's sums, or takes it out.
void TimeLeft::count(int cell, int sign) {
  const Cell& now = cells_[static_cast<std::size_t>(cell)];
  Device& device = device_of(cell);
  (now.done() == 0 ? device.open_s : device.seen_s) += sign * cell_s(cell);
  device.left += sign * now.left;
}

void TimeLeft::finish(int cell, double elapsed_s, double wall_s, bool has_compiled) {
  count(cell, -1);
  Cell& now = cells_[static_cast<std::size_t>(cell)];
  const CellTime& expected = expected_[static_cast<std::size_t>(cell)];
  Device& device = device_of(cell);
  device.expected_s += now.done() == 0 ? expected.first_s : expected.other_s;
  device.took_s += wall_s;
  // The processes of a first round in turns end together, and none of them was a preparation of the others.
  const double before_s = std::max(elapsed_s - device.took_s, 0.0);
  device.prepared_s = device.done + device.lost == 0 ? before_s : std::min(device.prepared_s, before_s);
  ++device.done;
  device.last_s = elapsed_s;
  now.left = std::max(now.left - 1, 0);
  (has_compiled ? now.compiled_s : now.loaded_s) += static_cast<float>(wall_s);
  ++(has_compiled ? now.compiled : now.loaded);
  count(cell, 1);
}

void TimeLeft::lose(int cell, double elapsed_s, double wall_s) {
  Device& device = device_of(cell);
  device.last_s = elapsed_s;
  if (device.done + ++device.lost > 1) return;
  device.prepared_s = std::max(elapsed_s - wall_s, 0.0);
  device.begins_with_loss = true;
}

void TimeLeft::work_on(int cell, double elapsed_s) {
  Device& device = device_of(cell);
  if (!device.at_work && device.done + device.lost == 0) device.last_s = elapsed_s;
  device.at_work = cell;
}

void TimeLeft::skip(int cell, int processes) {
  count(cell, -1);
  Cell& now = cells_[static_cast<std::size_t>(cell)];
  now.left = std::max(now.left - processes, 0);
  count(cell, 1);
}

bool TimeLeft::is_known() const {
  bool is_anything_left = false;
  for (const auto& [name, device] : devices_) {
    if (device.left > 0 && device.lost > 0 && device.done == 0) return false;
    is_anything_left = is_anything_left || device.left > 0;
  }
  return is_anything_left;
}

double TimeLeft::factor_of(const Device& device) const {
  return device.expected_s > 0 ? device.took_s / device.expected_s : 1;
}

// Returns what the processes should take that run now on the device.
double TimeLeft::round_s(const Device& device) const {
  if (!device.at_work) return 0;
  const work::Cell& at_work = plan_->cells[static_cast<std::size_t>(*device.at_work)];
  double seconds = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const work::Cell& cell = plan_->cells[i];
    const bool is_in_round =
        plan_->study.protocol.turns > 1 && cell.device == at_work.device && cell.model_index == at_work.model_index;
    const bool runs = is_in_round || static_cast<int>(i) == *device.at_work;
    if (!runs || cells_[i].left == 0) continue;
    const double one_s = cell_s(static_cast<int>(i)) / cells_[i].left;
    seconds += cells_[i].done() == 0 ? factor_of(device) * one_s : one_s;
  }
  return seconds;
}

double TimeLeft::seconds(double elapsed_s) const {
  double longest_s = 0;
  for (const auto& [name, device] : devices_) {
    const double paused_s = std::max(device.last_s - device.prepared_s - device.took_s, 0.0);
    const int pauses = device.begins_with_loss ? device.done : device.done - 1;
    const double between_s = pauses > 0 ? paused_s / pauses : 0;
    double left_s = device.seen_s + factor_of(device) * device.open_s + between_s * device.left;
    const auto expected = between_s_.find(name);
    const bool is_prepared = device.at_work || device.done + device.lost > 0;
    if (!is_prepared && expected != between_s_.end()) left_s += std::max(expected->second - elapsed_s, 0.0);
    longest_s = std::max(longest_s, left_s - std::min(elapsed_s - device.last_s, round_s(device)));
  }
  return longest_s;
}

}  // namespace ngb::plan

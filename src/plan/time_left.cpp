// SPDX-License-Identifier: Apache-2.0
#include "plan/time_left.h"

#include <algorithm>

namespace ngb::plan {

TimeLeft::TimeLeft(const Plan& plan, const Estimate& estimate, std::vector<int> left)
    : plan_(&plan), expected_(estimate.cells), between_s_(estimate.between_s), cells_(plan.cells.size()) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const int cell = static_cast<int>(i);
    cells_[i].left = left[i];
    count(cell, 1);
    if (left[i] > 0) device_of(cell).models.insert(plan.cells[i].model_index);
  }
}

TimeLeft::Device& TimeLeft::device_of(int cell) {
  return devices_[plan_->cells[static_cast<std::size_t>(cell)].device];
}

// Returns the seconds of the cell's processes that are left.
double TimeLeft::cell_s(int cell) const {
  const Cell& now = cells_[static_cast<std::size_t>(cell)];
  if (now.left == 0) return 0;
  if (now.loaded > 0) return now.left * static_cast<double>(now.loaded_s) / now.loaded;
  if (now.compiled == 0) return expected(cell).first_s + (now.left - 1) * expected(cell).other_s;
  // The first process may have tuned, or compiled for the others.
  const double saved_s =
      now.compiled == 1 ? expected(cell).first_s - expected(cell).look_s - expected(cell).other_s : 0;
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

// The first attempt with the cell's model has begun then.
void TimeLeft::open(int cell, double begun_s) {
  Device& device = device_of(cell);
  if (!device.opened.insert(plan_->cells[static_cast<std::size_t>(cell)].model_index).second) return;
  const double passed_s = std::max(begun_s - device.last_s, 0.0);
  device.opening_s += passed_s;
  device.opening_now_s = passed_s;
  if (device.opened.size() == 1) device.first_opening_s = passed_s;
}

void TimeLeft::finish(int cell, double elapsed_s, const Took& took) {
  open(cell, elapsed_s - took.wall_s);
  count(cell, -1);
  Cell& now = cells_[static_cast<std::size_t>(cell)];
  Device& device = device_of(cell);
  device.expected_s += now.done() == 0 ? expected(cell).first_s - expected(cell).look_s : expected(cell).other_s;
  device.again_s += took.again_s;
  device.took_s += took.wall_s;
  ++device.done;
  device.last_s = elapsed_s;
  device.round.reset();  // those that took turns end together
  device.opening_now_s = 0;
  now.left = std::max(now.left - 1, 0);
  (took.has_compiled ? now.compiled_s : now.loaded_s) += static_cast<float>(took.again_s);
  ++(took.has_compiled ? now.compiled : now.loaded);
  count(cell, 1);
}

void TimeLeft::lose(int cell, double elapsed_s, double wall_s) {
  open(cell, elapsed_s - wall_s);
  Device& device = device_of(cell);
  device.last_s = elapsed_s;
  device.round.reset();
  device.opening_now_s = 0;
  ++device.lost;
}

void TimeLeft::work_on(int cell, double elapsed_s) {
  open(cell, elapsed_s);
  Device& device = device_of(cell);
  if (!device.round) device.round = Round{elapsed_s, cell};
}

void TimeLeft::skip(int cell, int processes) {
  count(cell, -1);
  Cell& now = cells_[static_cast<std::size_t>(cell)];
  now.left = std::max(now.left - processes, 0);
  count(cell, 1);
}

bool TimeLeft::is_known() const {
  constexpr double kShare = 0.25;
  bool is_anything_left = false;
  for (const auto& [name, device] : devices_) {
    if (device.left > 0 && device.lost > 0 && device.done == 0) return false;
    is_anything_left = is_anything_left || device.left > 0;
  }
  double all_s = 0;
  double known_s = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].left + cells_[i].done() == 0) continue;
    all_s += expected_[i].other_s;
    if (cells_[i].done() > 0 || expected_[i].basis <= Basis::other_version) known_s += expected_[i].other_s;
  }
  return is_anything_left && known_s >= kShare * all_s;
}

TimeLeft::RoundTime TimeLeft::time_of(const Round& round) const {
  const work::Cell& of = plan_->cells[static_cast<std::size_t>(round.cell)];
  RoundTime found;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const work::Cell& cell = plan_->cells[i];
    const bool takes_turns =
        plan_->study.protocol.turns > 1 && cell.device == of.device && cell.model_index == of.model_index;
    if (cells_[i].left == 0 || (static_cast<int>(i) != round.cell && !takes_turns)) continue;
    const double all_s = cell_s(static_cast<int>(i));
    if (cells_[i].done() > 0) found.known_s += all_s / cells_[i].left;
    if (cells_[i].done() > 0) continue;
    found.open_s += expected_[i].first_s;
    found.open_whole_s += all_s;
  }
  return found;
}

// Returns what will pass before the models that the device has not seen yet.
double TimeLeft::opening_s(const std::string& name, const Device& device, double elapsed_s) const {
  const auto found = between_s_.find(name);
  const double estimated_s = found == between_s_.end() ? 0 : found->second;
  if (device.opened.empty()) return std::max(estimated_s - elapsed_s, 0.0);
  const auto opened = static_cast<double>(device.opened.size());
  const double closed = std::max(static_cast<double>(device.models.size()) - opened, 0.0);
  if (closed == 0) return 0;
  const double one_s = opened > 1 ? (device.opening_s - device.first_opening_s) / (opened - 1)
                                  : std::max(estimated_s - device.opening_s, 0.0) / closed;
  const double passed_s = device.round ? 0 : std::min(elapsed_s - device.last_s, one_s);
  return one_s * closed - passed_s;
}

double TimeLeft::device_s(const Device& device, double elapsed_s) const {
  const double paused_s = std::max(device.last_s - (device.opening_s - device.opening_now_s) - device.took_s, 0.0);
  const double pauses_s = device.done > 0 ? paused_s / device.done * device.left : 0;
  double factor = device.expected_s > 0 ? device.again_s / device.expected_s : 1;
  if (!device.round) return device.seen_s + factor * device.open_s + pauses_s;
  const RoundTime round = time_of(*device.round);
  const double worked_s = elapsed_s - device.round->begun_s;
  const double late = round.open_s > 0 ? (worked_s - round.known_s) / round.open_s : 0;
  const double of_round = std::max(factor, late);
  // Time by which the round is late counts as if its work were done.
  if (late > factor) factor = (device.again_s + late * round.open_s) / (device.expected_s + round.open_s);
  return device.seen_s + factor * (device.open_s - round.open_whole_s) + of_round * round.open_whole_s + pauses_s -
         std::min(worked_s, round.known_s + of_round * round.open_s);
}

double TimeLeft::seconds(double elapsed_s) const {
  double longest_s = 0;
  for (const auto& [name, device] : devices_) {
    longest_s = std::max(longest_s, device_s(device, elapsed_s) + opening_s(name, device, elapsed_s));
  }
  return longest_s;
}

}  // namespace ngb::plan

// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ngb::app {
namespace {

// Samples per second at the median steady repetition; for the running commentary only.
double median_throughput_per_s(const samples::ProcessResult& result, int batch) {
  std::vector<double> rates;
  for (const samples::Repetition& repetition : result.repetitions) {
    if (repetition.is_warm_up || repetition.wall_ns <= 0) continue;
    rates.push_back(1e9 * batch * repetition.inferences / static_cast<double>(repetition.wall_ns));
  }
  if (rates.empty()) return 0;
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

}  // namespace

Recorder::Recorder(store::Store& store, const plan::Plan& plan, std::string run_id)
    : store_(&store), run_id_(std::move(run_id)), plan_(&plan) {}

Result<Recorder> Recorder::begin(store::Store& store, const plan::Plan& plan, std::string run_id) {
  Recorder recorder(store, plan, std::move(run_id));
  int total = 0;
  for (const plan::Group& group : plan.groups) {
    for (const plan::Step& step : group.steps) {
      CellToDo& cell = recorder.cells_[plan.cells[static_cast<std::size_t>(step.cell_index)].id];
      cell.index = step.cell_index;
      ++cell.processes_left;
      ++total;
    }
  }
  const auto states = store.cell_states();
  if (!states) return tl::unexpected(states.error());
  int done = 0;
  for (const store::CellState& state : *states) {
    const auto cell = recorder.cells_.find(state.cell_id);
    if (cell == recorder.cells_.end()) continue;
    int& left = cell->second.processes_left;
    const int missing = state.planned_processes - state.completed_processes;
    done += std::max(0, left - missing);
    left = std::min(left, missing);
  }
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  recorder.line_ = std::make_unique<ProgressLine>(stderr, is_terminal, total, done, system_clock());
  return recorder;
}

dispatch::Callbacks Recorder::callbacks() {
  return {
      .on_event = [this](const std::string& device, const samples::Event& event) { return on_event(device, event); },
      .commit = [this] { return commit(); },
      .on_progress = [this](const std::string&, const samples::Progress& progress) { on_progress(progress); },
      .on_remark = [this](const std::string& device,
                          const std::string& remark) { line_->say(fmt::format("{}: {}", device, remark)); }};
}

Status Recorder::on_event(const std::string& device, const samples::Event& event) {
  Status recorded = store_->record(run_id_, device, event);
  if (!recorded) return recorded;
  if (const auto* result = std::get_if<samples::ProcessResult>(&event.body)) uncommitted_.push_back(*result);
  return Done{};
}

Status Recorder::commit() {
  const std::vector<samples::ProcessResult> results = std::exchange(uncommitted_, {});
  if (Status durable = store_->flush(); !durable) return durable;
  for (const samples::ProcessResult& result : results) tell(result);
  return Done{};
}

std::string Recorder::label(const CellToDo& to_do) const {
  const plan::Cell& cell = plan_->cells[static_cast<std::size_t>(to_do.index)];
  const plan::Model& model = plan_->models[static_cast<std::size_t>(cell.model_index)];
  const bool is_fleet = plan_->study.devices.size() > 1;
  return fmt::format("{}{} batch {}, {}", is_fleet ? cell.device + ": " : "", model.label, model.batch,
                     cell.compiler_label);
}

void Recorder::tell(const samples::ProcessResult& result) {
  const auto found = cells_.find(result.cell_id);
  if (found == cells_.end()) return;
  CellToDo& cell = found->second;
  if (!result.failure) {
    --cell.processes_left;
    const plan::Cell& planned = plan_->cells[static_cast<std::size_t>(cell.index)];
    const int batch = plan_->models[static_cast<std::size_t>(planned.model_index)].batch;
    line_->finish_process(fmt::format("{}: {:.4g} samples/s", label(cell), median_throughput_per_s(result, batch)));
    return;
  }
  line_->say(fmt::format("{}: {} in {}: {}", label(cell), name(result.failure->kind), name(result.failure->phase),
                         result.failure->message));
  if (!result.failure->advice.empty()) line_->say("  " + result.failure->advice);
  const bool is_final = !is_worth_retrying(result.failure->kind) || result.attempt >= plan_->study.attempts;
  if (!is_final) return;
  line_->skip_processes(cell.processes_left);
  cell.processes_left = 0;
}

void Recorder::on_progress(const samples::Progress& progress) {
  if (!progress.doing.empty()) return line_->show(progress.doing);
  const auto cell = cells_.find(progress.cell_id);
  if (cell == cells_.end()) return;
  if (!progress.remark.empty()) return line_->show(fmt::format("{} · {}", progress.remark, label(cell->second)));
  line_->show(fmt::format("{} · process {} · {} {}", label(cell->second), progress.process_index + 1,
                          name(progress.phase), progress.repetitions_done));
}

}  // namespace ngb::app

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

Recorder::Recorder(store::Store& store, std::string run_id) : store_(&store), run_id_(std::move(run_id)) {}

Result<Recorder> Recorder::begin(store::Store& store, const plan::Plan& plan, std::string run_id) {
  const auto states = store.cell_states();
  if (!states) return tl::unexpected(states.error());
  std::map<std::string, const store::CellState*> state_of;
  for (const store::CellState& state : *states) state_of[state.cell_id] = &state;

  Recorder recorder(store, std::move(run_id));
  recorder.attempts_ = plan.study.attempts;
  const bool is_fleet = plan.study.devices.size() > 1;
  int total = 0;
  for (const plan::Group& group : plan.groups) {
    for (const plan::Step& step : group.steps) {
      const plan::Cell& cell = plan.cells[static_cast<std::size_t>(step.cell_index)];
      const plan::Model& model = plan.models[static_cast<std::size_t>(cell.model_index)];
      CellOutline& outline = recorder.cells_[cell.id];
      outline.label = fmt::format("{}{} batch {}, {}", is_fleet ? cell.device + ": " : "", model.label, model.batch,
                                  cell.compiler_label);
      outline.batch = model.batch;
      ++outline.processes_left;
      ++total;
    }
  }
  int done = 0;
  for (auto& [cell_id, outline] : recorder.cells_) {
    const store::CellState* state = state_of[cell_id];
    if (state == nullptr) continue;
    const int missing = state->planned_processes - state->completed_processes;
    done += std::max(0, outline.processes_left - missing);
    outline.processes_left = std::min(outline.processes_left, missing);
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

void Recorder::tell(const samples::ProcessResult& result) {
  CellOutline& cell = cells_[result.cell_id];
  if (!result.failure) {
    --cell.processes_left;
    line_->finish_process(fmt::format("{}: {:.4g} samples/s", cell.label, median_throughput_per_s(result, cell.batch)));
    return;
  }
  line_->say(fmt::format("{}: {} in {}: {}", cell.label, name(result.failure->kind), name(result.failure->phase),
                         result.failure->message));
  if (!result.failure->advice.empty()) line_->say("  " + result.failure->advice);
  const bool is_final = !is_worth_retrying(result.failure->kind) || result.attempt >= attempts_;
  if (!is_final) return;
  line_->skip_processes(cell.processes_left);
  cell.processes_left = 0;
}

void Recorder::on_progress(const samples::Progress& progress) {
  if (!progress.doing.empty()) return line_->show(progress.doing);
  const auto cell = cells_.find(progress.cell_id);
  if (cell == cells_.end()) return;
  line_->show(fmt::format("{} · process {} · {} {}", cell->second.label, progress.process_index + 1,
                          name(progress.phase), progress.repetitions_done));
}

}  // namespace ngb::app

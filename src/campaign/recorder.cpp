// SPDX-License-Identifier: Apache-2.0
#include "campaign/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "samples/steady_rates.h"
#include "statistics/statistics.h"

namespace ngb::campaign {

namespace {

// Returns the speed that is shown to those who watch the run; no result depends on it.
std::optional<double> speed_of(const samples::ProcessResult& result, int batch) {
  const std::vector<double> speeds = samples::speeds_by_time(result.repetitions, batch);
  return speeds.empty() ? std::nullopt : std::optional(speeds.back());
}

std::string failure_line(const samples::ProcessResult& result, const std::string& label) {
  return fmt::format("{}: {} in {}: {}", label, name(result.failure->kind), name(result.failure->phase),
                     result.failure->first_line());
}

}  // namespace

Recorder::Recorder(store::Store& store, const plan::Plan& plan, std::string run_id, Observer& observer,
                   plan::Experience experience, DurationsFile durations)
    : store_(&store),
      run_id_(std::move(run_id)),
      plan_(&plan),
      observer_(&observer),
      experience_(std::move(experience)),
      durations_(std::move(durations)) {}

Result<Recorder> Recorder::begin(store::Store& store, const plan::Plan& plan, std::string run_id, Observer& observer,
                                 plan::Experience experience, DurationsFile durations,
                                 std::optional<Nanoseconds> deadline) {
  Recorder recorder(store, plan, std::move(run_id), observer, std::move(experience), std::move(durations));
  recorder.deadline_ = deadline;
  if (const Status looked = recorder.look_at_what_is_left(false); !looked) return error_of(looked);
  return recorder;
}

Result<Recorder> Recorder::begin_of_before(store::Store& store, const plan::Plan& plan, std::string run_id,
                                           Observer& observer) {
  Recorder recorder(store, plan, std::move(run_id), observer, {}, DurationsFile({}));
  if (const Status looked = recorder.look_at_what_is_left(true); !looked) return error_of(looked);
  return recorder;
}

Status Recorder::look_at_what_is_left(bool is_of_before) {
  int total = 0;
  for (const work::Group& group : plan_->groups) {
    for (const work::Step& step : group.steps) {
      CellToDo& cell = cells_[plan_->cell_of(step).id];
      cell.index = step.cell_index;
      ++cell.processes_left;
      ++total;
    }
  }
  const auto states = store_->cell_states();
  if (!states) return error_of(states);
  int done = 0;
  for (const store::CellState& state : *states) {
    const auto cell = cells_.find(state.cell_id);
    if (cell == cells_.end()) continue;
    int& left = cell->second.processes_left;
    const int planned = state.planned_processes - state.completed_processes;
    if (state.has_ended_rounds) cell->second.processes_skipped = std::min(left, planned);
    const int missing = state.has_ended_rounds ? 0 : planned;
    done += std::max(0, left - missing);
    left = std::min(left, missing);
  }
  is_whole_ = done == 0;
  expect_time_left();
  Outlook outlook{.plan = plan_,
                  .left = std::vector<int>(plan_->cells.size(), 0),
                  .done = done,
                  .total = total,
                  .seconds_left = seconds_left(),
                  .is_of_before = is_of_before};
  for (const auto& [id, cell] : cells_) outlook.left[static_cast<std::size_t>(cell.index)] = cell.processes_left;
  observer_->begin_run(outlook);
  return Done{};
}

// Rounds that may end early count as whole.
void Recorder::expect_time_left() {
  std::vector<int> left(plan_->cells.size(), 0);
  for (const auto& [id, cell] : cells_) left[static_cast<std::size_t>(cell.index)] = cell.processes_left;
  time_left_ = std::make_shared<plan::TimeLeft>(*plan_, plan::estimate(*plan_, experience_), std::move(left));
  expected_s_ = time_left_->seconds(0);
}

SecondsLeft Recorder::seconds_left() const {
  return [time_left = time_left_, started = started_, deadline = deadline_]() -> std::optional<double> {
    if (!time_left->is_known()) return std::nullopt;
    const double left_s = time_left->seconds(seconds_since(started));
    return deadline ? std::clamp(-seconds_since(*deadline), 0.0, left_s) : left_s;
  };
}

// A run on one device that was done in one go, without failures, also tells what passes between processes.
void Recorder::end() {
  observer_->end_run();
  const bool is_done =
      std::all_of(cells_.begin(), cells_.end(), [](const auto& each) { return each.second.processes_left == 0; });
  if (!is_whole_ || !is_done || plan_->cells.empty() || plan_->study.devices.size() != 1) return;
  // Estimates are a convenience: what cannot be remembered is left out.
  plan::MeasuredStudy study = plan::studies_of(*plan_, experience_).begin()->second;
  study.between_s = std::max(seconds_since(started_) - processes_s_, 0.0);
  (void)durations_.append(study);
}

void Recorder::remember(const std::vector<samples::ProcessResult>& results) const {
  std::vector<plan::MeasuredProcess> processes;
  for (const samples::ProcessResult& result : results) {
    const auto found = cells_.find(result.cell_id);
    if (result.failure || found == cells_.end()) continue;
    const work::Cell& cell = plan_->cells[static_cast<std::size_t>(found->second.index)];
    const std::string device = plan::name_in_durations(*plan_, cell.device, experience_.here);
    processes.push_back({plan::likeness_of(*plan_, cell, device), time_of(result, plan_->study.protocol)});
  }
  (void)durations_.append(processes);
}

// All processes of a round end together, and no time that is left is told in the middle of them.
void Recorder::learn_time(const std::vector<samples::ProcessResult>& results) {
  for (const samples::ProcessResult& result : results) {
    const auto found = cells_.find(result.cell_id);
    if (result.failure || found == cells_.end()) continue;
    time_left_->finish(found->second.index, seconds_since(started_),
                       {.wall_s = static_cast<double>(result.wall_ns) / 1e9,
                        .again_s = again_s(result, plan_->study.protocol),
                        .has_compiled = samples::has_phase(result, samples::Phase::compile)});
  }
}

dispatch::Callbacks Recorder::callbacks() {
  return {
      .begin = [this] { return store_->begin(); },
      .on_event = [this](const std::string& device, const samples::Event& event) { return on_event(device, event); },
      .commit = [this] { return commit(); },
      .who_is_in_the_way = [this] { return who_is_in_the_way(); },
      .on_progress = [this](const std::string& device,
                            const samples::Progress& progress) { on_progress(device, progress); },
      .on_remark = [this](const std::string& device,
                          const std::string& remark) { observer_->remark(fmt::format("{}: {}", device, remark)); }};
}

Status Recorder::on_event(const std::string& device, const samples::Event& event) {
  Status recorded = store_->record(run_id_, device, event);
  if (!recorded) return recorded;
  if (const auto* result = std::get_if<samples::ProcessResult>(&event.body)) {
    uncommitted_.push_back(*result);
  }
  if (const auto* ended = std::get_if<samples::RoundsEnded>(&event.body)) ended_.push_back(*ended);
  if (std::holds_alternative<samples::Finished>(event.body)) observer_->finish_device(device);
  return Done{};
}

Status Recorder::commit() {
  Status durable = store_->try_flush();
  if (has_code(durable, ErrorCode::busy)) return durable;
  const std::vector<samples::ProcessResult> results = std::exchange(uncommitted_, {});
  const std::vector<samples::RoundsEnded> ended = std::exchange(ended_, {});
  if (!durable) return durable;
  remember(results);
  learn_time(results);
  for (const samples::ProcessResult& result : results) tell(result);
  for (const samples::RoundsEnded& each : ended) {
    for (const std::string& cell_id : each.cell_ids) end_rounds(cell_id);
    for (const std::string& cell_id : each.reopened_ids) reopen_rounds(cell_id);
  }
  return Done{};
}

std::string Recorder::who_is_in_the_way() const {
  return fmt::format(
      "{} has an open transaction on results.db, so ngb cannot record until it ends; the devices continue and keep "
      "what they measure",
      store_->who_holds_it());
}

std::string Recorder::workload(const CellToDo& to_do) const {
  const work::Cell& cell = plan_->cells[static_cast<std::size_t>(to_do.index)];
  const work::Model& model = plan_->model_of(cell);
  const bool is_fleet = plan_->study.devices.size() > 1;
  return fmt::format("{}{} batch {}", is_fleet ? cell.device + ": " : "", model.label, model.key.batch);
}

std::string Recorder::label(const CellToDo& to_do) const {
  return workload(to_do) + ", " + plan_->compiler_of(plan_->cells[static_cast<std::size_t>(to_do.index)]).label;
}

void Recorder::tell(const samples::ProcessResult& result) {
  const auto found = cells_.find(result.cell_id);
  if (found == cells_.end()) return;
  CellToDo& cell = found->second;
  const double wall_s = static_cast<double>(result.wall_ns) / 1e9;
  processes_s_ += wall_s;
  is_whole_ = is_whole_ && !result.failure;
  if (!result.failure) {
    --cell.processes_left;
    ++finished_;
    turns_again_since_.reset();
    const work::Cell& planned = plan_->cells[static_cast<std::size_t>(cell.index)];
    const int batch = plan_->model_of(planned).key.batch;
    observer_->finish_process({.cell = cell.index,
                               .round = result.process_index,
                               .left = cell.processes_left,
                               .workload = workload(cell),
                               .compiler = plan_->compiler_of(planned).label,
                               .samples_per_s = speed_of(result, batch)});
    return;
  }
  tell_failure(result, cell);
}

void Recorder::tell_failure(const samples::ProcessResult& result, CellToDo& cell) {
  const bool may_happen_again = !is_of_cell(result.failure->kind);
  if (may_happen_again)
    time_left_->lose(cell.index, seconds_since(started_), static_cast<double>(result.wall_ns) / 1e9);
  if (result.failure->kind == samples::FailureKind::disturbed) {
    tell_disturbed(result, cell);
  } else {
    observer_->remark(failure_line(result, label(cell)));
    advise(result.failure->advice);
  }
  const bool ends_it = is_final(result.failure->kind, result.attempt, plan_->study.limits);
  const std::string why = fmt::format("{} in {}", name(result.failure->kind), name(result.failure->phase));
  if (!ends_it) return observer_->fail_process(cell.index, why, false, 0);
  const int skipped = may_happen_again ? std::min(cell.processes_left, 1) : cell.processes_left;
  time_left_->skip(cell.index, skipped);
  cell.processes_left -= skipped;
  observer_->fail_process(cell.index, why, true, skipped);
}

// Tells of the first one what happened; of all others, how many there were.
void Recorder::tell_disturbed(const samples::ProcessResult& result, const CellToDo& cell) {
  disturbances_.add(result);
  if (disturbances_.attempts() == 1) {
    observer_->remark(failure_line(result, label(cell)));
    advise(result.failure->advice);
  }
  observer_->note(disturbances_.text());
  tell_what_to_expect();
}

void Recorder::tell_what_to_expect() {
  if (has_said_what_to_expect_) return;
  int left = 0;
  for (const auto& [id, each] : cells_) left += each.processes_left;
  const std::vector<std::string> lines =
      expectation({.elapsed_s = seconds_since(started_),
                   .finished = finished_,
                   .left = left,
                   .disturbed = disturbances_.attempts(),
                   .turns_again_s = turns_again_since_ ? seconds_since(*turns_again_since_) : 0,
                   .expected_s = expected_s_,
                   .culprit = disturbances_.culprit(),
                   .takes_turns = plan_->study.protocol.turns > 1});
  for (const std::string& line : lines) observer_->remark(line);
  has_said_what_to_expect_ = !lines.empty();
}

// The same advice is told once.
void Recorder::advise(const std::string& advice) {
  if (!advice.empty() && advised_.insert(advice).second) observer_->remark("  " + advice);
}

void Recorder::end_rounds(const std::string& cell_id) {
  const auto cell = cells_.find(cell_id);
  if (cell == cells_.end()) return;
  time_left_->skip(cell->second.index, cell->second.processes_left);
  cell->second.processes_skipped = std::exchange(cell->second.processes_left, 0);
  observer_->end_rounds(cell->second.index, cell->second.processes_skipped);
}

void Recorder::reopen_rounds(const std::string& cell_id) {
  const auto cell = cells_.find(cell_id);
  if (cell == cells_.end()) return;
  cell->second.processes_left = std::exchange(cell->second.processes_skipped, 0);
  time_left_->skip(cell->second.index, -cell->second.processes_left);
  observer_->end_rounds(cell->second.index, -cell->second.processes_left);
}

void Recorder::on_progress(const std::string& device, const samples::Progress& progress) {
  tell_what_to_expect();  // also while no attempt ends
  if (!progress.doing.empty()) return observer_->show(device, progress.doing, false);
  const auto cell = cells_.find(progress.cell_id);
  if (cell == cells_.end()) return;
  if (!progress.remark.empty()) {
    if (progress.phase != samples::Phase::timed)
      turns_again_since_.reset();  // it is a compiler's remark
    else if (!turns_again_since_)
      turns_again_since_ = system_clock().now();
    return observer_->show(device, fmt::format("{} · {}", progress.remark, label(cell->second)), true);
  }
  time_left_->work_on(cell->second.index, seconds_since(started_));
  // A terminal may cut the end.
  const work::Cell& planned = plan_->cells[static_cast<std::size_t>(cell->second.index)];
  observer_->show(device,
                  fmt::format("{} (process {}) · {} · {}", words_of(progress, plan_->study.protocol),
                              progress.process_index + 1, plan_->compiler_of(planned).label, workload(cell->second)),
                  true);
}

void Disturbances::add(const samples::ProcessResult& result) {
  ++attempts_;
  for (const samples::Neighbour& neighbour : result.neighbours) {
    Program& program = programs_[neighbour.name];
    program.cpu_ns += neighbour.cpu_ns;
    program.pids.insert(neighbour.pid);
  }
}

std::string Disturbances::text() const {
  if (attempts_ == 0) return {};
  const std::string by = culprit();
  return fmt::format("{} attempt{} disturbed{}{}", attempts_, attempts_ == 1 ? "" : "s",
                     by.empty() ? "" : ", mostly by ", by);
}

std::string Disturbances::culprit() const {
  const auto most = std::max_element(programs_.begin(), programs_.end(),
                                     [](const auto& a, const auto& b) { return a.second.cpu_ns < b.second.cpu_ns; });
  if (most == programs_.end()) return {};
  const auto& pids = most->second.pids;
  return pids.size() == 1 ? fmt::format("{} (process {})", most->first, *pids.begin())
                          : fmt::format("{} ({} processes)", most->first, pids.size());
}

std::string words_of(const samples::Progress& progress, const work::Protocol& protocol) {
  using samples::Phase;
  const std::uint64_t number = progress.repetitions_done + 1;
  switch (progress.phase) {
    case Phase::start:
      return "starting";
    case Phase::open:
      return "opening the model";
    case Phase::compile:
      return "compiling";
    case Phase::load:
      return "loading what was compiled";
    case Phase::check:
      return "checking its outputs";
    case Phase::warm_up:
      return fmt::format("repetition {} of the warm-up", number);
    case Phase::timed:
      break;
    case Phase::alone:
      return fmt::format("repetition {}, out of turn", number);
  }
  if (!protocol.repetitions || protocol.stop_when) return fmt::format("repetition {}", number);
  // All are counted from the first of the warm-up, whose number may be known only when it has ended.
  const auto all = static_cast<std::uint64_t>(*protocol.repetitions + protocol.warm_up.value_or(0));
  if (number > all) return fmt::format("repetition {}", number);
  return fmt::format("repetition {} of {}{}", number, protocol.warm_up ? "" : "at least ", all);
}

std::vector<std::string> expectation(const Pace& pace) {
  constexpr double kFirst_s = 20;
  constexpr double kSomeTurns_s = 10;  // a turn or two are run again on a quiet machine, too
  const int disturbed = pace.disturbed + (pace.turns_again_s >= kSomeTurns_s ? 1 : 0);
  if (pace.elapsed_s < kFirst_s || disturbed <= pace.finished) return {};
  std::string rate = "nothing was measured in " + text::human_duration(pace.elapsed_s);
  if (pace.finished > 0) {
    rate = "at this rate the run takes " +
           text::human_duration(pace.elapsed_s * (pace.finished + pace.left) / pace.finished);
    if (pace.expected_s) rate += fmt::format(" instead of {}", text::human_duration(*pace.expected_s));
  }
  const std::string others = pace.culprit.empty() ? "other programs work" : pace.culprit + " works";
  return {
      fmt::format("most attempts are disturbed, which does not get better while {}: {}; three ways out:", others, rate),
      "  Ctrl-C, and the same command when the machine is quiet: it keeps what was measured",
      "  Ctrl-C, and the same command with --budget 10m: it makes the best of that time",
      pace.takes_turns
          ? "  `disturbance: {max_wait_percent: 100}` in the study: it counts what is disturbed, and flags it"
          : "  `turns: 20` in the study: short turns are disturbed less"};
}

}  // namespace ngb::campaign

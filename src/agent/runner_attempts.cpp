// SPDX-License-Identifier: Apache-2.0
// Starts the attempts at a process, or at all processes of a round that take turns, and records what came of them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/runner.h"
#include "base/processors.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;
using work::WorkerRequest;

// A model is not kept waiting longer for outputs of a reference that stands in for the study's.
constexpr std::int64_t kMostOfAStandInNs = 120'000'000'000;

// Makes a name of a file in our folder, even from an id that is not hexadecimal digits.
std::string file_name(std::string text) {
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::string name_of_log(const WorkerRequest& request) {
  if (request.task == work::Task::make_references) {
    const std::string key = std::filesystem::path(request.reference_path).stem().string();
    return fmt::format("reference-{}-{}.log", key.substr(0, 16), request.attempt);
  }
  return fmt::format("{}-{}-{}.log", file_name(request.cell_id), request.process_index, request.attempt);
}

bool is_disturbed(const ProcessResult& result) {
  return result.failure && result.failure->kind == FailureKind::disturbed;
}

// In turns, the speeds of a round belong together: if one was disturbed, all are measured again.
void share_disturbance(std::vector<ProcessResult>& round) {
  const auto disturbed = std::find_if(round.begin(), round.end(), is_disturbed);
  if (disturbed == round.end()) return;
  for (ProcessResult& result : round) {
    if (result.failure) continue;
    result.failure = disturbed->failure;
    result.failure->message = "another process of its round was disturbed: " + disturbed->failure->message;
    result.neighbours = disturbed->neighbours;
  }
}

}  // namespace

Status Runner::begin_step() {
  if (const std::optional<Failure> changed = changed_file()) return fail_group(*changed);
  if (!find_step()) return Done{};
  std::vector<WorkerRequest> requests;
  for (const work::Step* step : steps_to_begin()) {
    if (file_->no_file && needs_file(job_.compiler_of(job_.cell_of(*step)))) return fail_cell_without_file(*step);
    requests.push_back(request_for(*step));
  }
  start(std::move(requests));
  return Done{};
}

// Returns the group's next step or, if processes take turns, all that are left of its round. Precondition: find_step()
// has found the next one.
std::vector<const work::Step*> Runner::steps_to_begin() {
  const std::vector<work::Step>& steps = group().steps;
  const std::size_t first = steps_[group_];
  std::vector<const work::Step*> found{&steps[first]};
  if (job_.protocol.turns == 1) return found;
  for (std::size_t at = first + 1; at < steps.size() && steps[at].process_index == steps[first].process_index; ++at) {
    if (next_attempt(steps[at]) && is_needed(steps[at])) found.push_back(&steps[at]);
  }
  return found;
}

WorkerRequest Runner::request_for(const work::Step& step) {
  const work::Cell& cell = job_.cell_of(step);
  WorkerRequest request = request_for(job_.compiler_of(cell));
  request.cell_id = cell.id;
  request.process_index = step.process_index;
  request.attempt = *next_attempt(step);
  request.reference_path = reference_path_->string();
  const work::GivenReference* const given = job_.given_reference(group().model_index);
  request.reference_reason = reference_reason_;
  request.reference_is_given = given != nullptr && !given->path.empty();
  request.has_load = !job_.load_of(cell).is_none();
  request.max_wait_ratio = job_.limits.disturbance.max_wait_ratio;
  compilation_.prepare(request, origin_of(cell));
  return request;
}

void Runner::start(std::vector<WorkerRequest> requests) {
  std::vector<Attempts::Member> members;
  std::set<const Launcher*> taken;
  int processors = 0;
  const bool takes_turns = job_.protocol.turns > 1 && requests.front().task == work::Task::measure;
  for (WorkerRequest& request : requests) {
    processors = std::max(processors, work::needed_processors(request.compiler));
    Launcher& launcher = launchers_.of(request.place, taken);
    taken.insert(&launcher);
    members.push_back({plan_for(std::move(request)), &launcher});
  }
  confine(0, other_cpus(surroundings_.cpus, choose_cpus(surroundings_.cpus, cores_, processors)));
  attempts_ = std::make_unique<Attempts>(surroundings_, children_, launchers_, std::move(members), takes_turns);
}

AttemptPlan Runner::plan_for(WorkerRequest request) const {
  AttemptPlan plan;
  plan.cpus = choose_cpus(surroundings_.cpus, cores_, work::needed_processors(request.compiler));
  plan.memory_limit_bytes = memory_limit_bytes_;
  plan.log_name = name_of_log(request);
  plan.timeouts = job_.limits.timeouts;
  const bool stands_in =
      request.task == work::Task::make_references && searches_.contains(group_) && !searches_.at(group_).is_first();
  if (stands_in) plan.timeouts.compile_ns = std::min(plan.timeouts.compile_ns, kMostOfAStandInNs);
  plan.disturbance = job_.limits.disturbance;
  if (request.has_load) plan.load = job_.load_of(cell_of(request));
  plan.request = std::move(request);
  return plan;
}

// Returns the cell of a process that was begun: the group's next step stays the same until its process is recorded.
const work::Cell& Runner::cell_of(const WorkerRequest& request) const {
  const std::vector<work::Step>& steps = group().steps;
  const auto begun = steps.begin() + static_cast<std::ptrdiff_t>(steps_[group_]);
  const auto step = std::find_if(begun, steps.end(),
                                 [&](const work::Step& each) { return job_.cell_of(each).id == request.cell_id; });
  return job_.cell_of(*step);
}

Status Runner::end_attempts() {
  std::vector<WorkerRequest> requests;
  std::vector<ProcessResult> results;
  std::vector<pid_t> left;
  for (const Attempt* attempt : attempts_->ended()) {
    requests.push_back(attempt->request());
    results.push_back(*attempt->result());
    left.insert(left.end(), attempt->left().begin(), attempt->left().end());
  }
  attempts_.reset();
  const bool is_reference = requests.front().task == work::Task::make_references;
  const Status ended = is_reference ? end_reference(requests.front().reference_path, results.front())
                                    : end_round(requests, std::move(results));
  return ended ? check_all_ended(left) : ended;
}

// Records in one record what came of the processes that took turns, or of one alone. The speeds of a round belong
// together: if one of its processes is to be tried again, those that completed are not recorded, and measured again
// with it.
Status Runner::end_round(const std::vector<WorkerRequest>& requests, std::vector<ProcessResult> results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (Status full = complete(requests[i], results[i]); !full) return full;
    if (results.size() == 1) continue;
    results[i].facts["turns"] = fmt::format("{}, with {} other process{}", job_.protocol.turns, requests.size() - 1,
                                            requests.size() == 2 ? "" : "es");
  }
  share_disturbance(results);
  const std::vector<bool> is_recorded = settle(requests, results);
  std::vector<samples::Event> round;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_recorded[i]) continue;
    wait_for_quiet(results[i], requests[i].compiler);
    round.push_back({0, std::move(results[i])});
  }
  if (round.empty()) return Done{};
  drop_if_too_large(round);
  if (Status recorded = record(round); !recorded) return recorded;
  for (const WorkerRequest& request : requests) {
    if (is_done(cell_of(request))) compilation_.end_cell(request.cell_id);
  }
  return Done{};
}

// Adds what the agent knows of the process.
Status Runner::complete(const WorkerRequest& request, ProcessResult& result) {
  if (result.failure) {
    if (Status full = stop_when_disk_is_full(*result.failure); !full) return full;
  }
  result.environment_hash = environment_hash_;
  result.threads = request.compiler.threads;
  result.made_with = provenance_of(cell_of(request));
  if (std::optional<Failure> changed = changed_file()) {
    // The measurement is dropped: nobody knows which content of the file it belongs to.
    changed->phase = result.phases.empty() ? samples::Phase::start : result.phases.back().phase;
    result.failure = std::move(changed);
    result.repetitions.clear();
    result.check.reset();
  }
  return Done{};
}

// Decides which results are recorded, and what becomes of what their processes have compiled. Those that loaded go
// first, because one that could not use what it loaded is tried again.
std::vector<bool> Runner::settle(const std::vector<WorkerRequest>& requests, std::vector<ProcessResult>& results) {
  std::vector<bool> is_recorded(results.size(), !asks_a_third(requests, results));
  const auto settle_those = [&](bool that_load) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (requests[i].loads_artifact != that_load) continue;
      const bool is_settled = compilation_.settle(requests[i], origin_of(cell_of(requests[i])), results[i]);
      is_recorded[i] = is_recorded[i] && is_settled;
    }
  };
  settle_those(true);
  bool is_again = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::optional<Failure>& failure = results[i].failure;
    const bool is_tried_again = failure && !samples::is_final(failure->kind, results[i].attempt, job_.limits);
    is_again = is_again || !is_recorded[i] || is_tried_again;
  }
  for (std::size_t i = 0; i < results.size() && is_again; ++i) {
    if (results[i].failure) continue;
    is_recorded[i] = false;
    results[i].failure.emplace().message = "another process of its round is tried again";
  }
  settle_those(false);
  return is_recorded;
}

// Begins to wait for a quiet machine if the process will be measured again. The waits of a job are bounded, because a
// machine that is never quiet would make a long study endless.
void Runner::wait_for_quiet(const ProcessResult& disturbed, const work::Compiler& compiler) {
  constexpr int kMostWaits = 30;
  const work::Disturbance& rule = job_.limits.disturbance;
  if (quiet_wait_ || !is_disturbed(disturbed)) return;
  if (samples::is_final(FailureKind::disturbed, disturbed.attempt, job_.limits)) return;
  if (rule.wait_ns == 0 || ++quiet_waits_ > kMostWaits) return;
  std::vector<int> cpus = choose_cpus(surroundings_.cpus, cores_, work::needed_processors(compiler));
  quiet_wait_.emplace(std::move(cpus), rule.max_wait_ratio, system_clock().now(), Nanoseconds(rule.wait_ns));
}

// Replaces results that are too large for a record by failures, so that the device continues.
void Runner::drop_if_too_large(std::vector<samples::Event>& record) {
  constexpr std::size_t kSurelyFits = 100'000;
  std::size_t repetitions = 0;
  for (const samples::Event& event : record) repetitions += std::get<ProcessResult>(event.body).repetitions.size();
  if (repetitions < kSurelyFits || Journal::fits(record)) return;
  Failure failure;
  failure.kind = FailureKind::internal;
  failure.phase = samples::Phase::timed;
  failure.message = fmt::format("one record cannot hold its {} repetitions", repetitions);
  failure.advice = "ask for fewer repetitions (stop_when: max_repetitions), or for longer ones (min_repetition_ms)";
  for (samples::Event& event : record) {
    auto& result = std::get<ProcessResult>(event.body);
    result.repetitions.clear();
    result.latencies_ns.clear();
    if (!result.failure) result.failure = failure;
  }
}

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
// Starts the attempts at a process, or at all processes of a round that take turns, and records their results.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/runner.h"
#include "agent/workers/limits.h"
#include "base/processors.h"
#include "work/compiler.h"
#include "work/own_processors.h"

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

// Replaces results that are too large for a record by failures, so that the device continues.
void drop_if_too_large(std::vector<samples::Event>& record) {
  constexpr std::size_t kSurelyFits = 100'000;
  std::size_t repetitions = 0;
  std::size_t kernels = 0;
  for (const samples::Event& event : record) {
    const auto& result = std::get<ProcessResult>(event.body);
    repetitions += result.repetitions.size();
    if (result.profile) kernels += result.profile->kernels.size() + result.profile->graph.size();
  }
  if (repetitions + kernels < kSurelyFits || Journal::fits(record)) return;
  Failure failure;
  failure.kind = FailureKind::internal;
  failure.phase = samples::Phase::timed;
  failure.message =
      fmt::format("one record cannot hold its {} repetitions and {} kernels and nodes", repetitions, kernels);
  failure.advice =
      "ask for fewer repetitions (stop_when: max_repetitions), or for longer ones (min_repetition_ms); kernels of one "
      "process after the other fit rather: turns: 1";
  for (samples::Event& event : record) {
    auto& result = std::get<ProcessResult>(event.body);
    result.repetitions.clear();
    result.latencies_ns.clear();
    result.profile.reset();
    if (!result.failure) result.failure = failure;
  }
}

}  // namespace

Status Runner::begin_processes() {
  if (const std::optional<Failure> changed = changed_file()) return fail_group(*changed);
  std::vector<AttemptPlan> plans;
  for (const work::Step* step : schedule_.steps()) {
    const bool has_no_file = provided_.file->no_file.has_value();
    if (has_no_file && needs_file(job_, model(), job_.compiler_of(job_.cell_of(*step)))) {
      return fail_cell_without_file(*step);
    }
    plans.push_back(plan_for(request_for(*step)));
  }
  if (!plans.empty()) start(std::move(plans));
  return Done{};
}

void Runner::make_reference(const GroupReference::Making& making) {
  WorkerRequest request = request_for(*making.by);
  request.task = work::Task::make_references;
  request.cell_id = "reference";
  request.attempt = making.attempt;
  request.is_for_agreement = needs_exact();
  request.reference_path = file::partial_path(making.path).string();
  request.unconfirmed_outputs = making.unconfirmed;
  std::vector<AttemptPlan> plans{plan_for(std::move(request))};
  std::int64_t& compile_ns = plans.front().timeouts.compile_ns;
  if (making.stands_in) compile_ns = std::min(compile_ns, kMostOfAStandInNs);
  start(std::move(plans));
}

WorkerRequest Runner::request_for(const work::Step& step) {
  const work::Cell& cell = job_.cell_of(step);
  WorkerRequest request = request_for(job_.compiler_of(cell));
  request.cell_id = cell.id;
  request.process_index = step.process_index;
  request.attempt = *schedule_.next_attempt(step);
  request.reference_path = provided_.judge->path.string();
  request.reference_reason = provided_.judge->reason;
  request.reference_is_given = job_.reference && reference().is_given();
  request.has_load = !job_.load_of(cell).is_none();
  request.max_wait_ratio = job_.limits.disturbance.max_wait_ratio;
  compilation_.prepare(request, schedule_.origin_of(cell));
  return request;
}

WorkerRequest Runner::request_for(const work::Compiler& compiler) {
  const ModelFile& file = *provided_.file;
  WorkerRequest request;
  request.place = job_.place_of(compiler);
  if (request.place.host != "python") {
    request.plugin_path = (surroundings_.lib / "compilers" / compiler.name / (compiler.name + ".so")).string();
  }
  request.model_path = file.path.string();
  request.model = model_for_request();
  if (request.model.inputs.empty()) {
    request.model.inputs = file.facts.inputs;
    request.model.open_inputs = file.facts.open_inputs;
  } else if (!file.facts.inputs.empty()) {
    work::put_in_order(request.model, file.facts.inputs);
  }
  const bool needs_exporter = request.model.is_module() || work::converts_modules(request.place);
  if (needs_exporter && job_.exporter) request.module_site = job_.place_of(*job_.exporter).toolchain_dir;
  request.compiler = compiler;
  request.protocol = job_.protocol;
  request.cache_dir = (caches().path() / "tuning").string();
  if (!job_.reference) return request;
  request.reference_name = reference_name(reference().compiler());
  request.reference_key = reference().key();
  return request;
}

// Returns the model at hand. A variant has its exact model with all that is known of its inputs.
work::Model Runner::model_for_request() {
  work::Model handed = at_hand();
  if (auto* module = std::get_if<work::Module>(&handed.source)) module->json = source_here(at_hand());
  if (handed.exact.empty()) return handed;
  handed.exact.front() = exact();
  handed.exact.front().files.clear();  // they are among its own
  return handed;
}

// Returns the processors of the compiler's processes. The job was refused if its own ones are not there.
std::vector<int> Runner::cpus_of(const work::Compiler& compiler) const {
  return work::own_processors(compiler, processors_).value_or(surroundings_.cpus);
}

AttemptPlan Runner::plan_for(WorkerRequest request) const {
  AttemptPlan plan;
  plan.cpus = cpus_of(request.compiler);
  plan.memory_limit_bytes = memory_limit_bytes_;
  plan.log_name = name_of_log(request);
  plan.timeouts = job_.limits.timeouts;
  plan.disturbance = job_.limits.disturbance;
  if (request.has_load) plan.load = job_.load_of(schedule_.cell_of(request.cell_id));
  plan.request = std::move(request);
  return plan;
}

void Runner::start(std::vector<AttemptPlan> plans) {
  std::vector<Attempts::Member> members;
  std::set<const Launcher*> taken;
  std::vector<int> used;
  const bool takes_turns = job_.protocol.turns > 1 && plans.front().request.task == work::Task::measure;
  for (AttemptPlan& plan : plans) {
    used.insert(used.end(), plan.cpus.begin(), plan.cpus.end());
    Launcher& launcher = launchers_.of(plan.request.place, taken);
    taken.insert(&launcher);
    members.push_back({std::move(plan), &launcher});
  }
  confine(0, other_cpus(surroundings_.cpus, used));
  running_ = std::make_unique<Attempts>(surroundings_, children_, launchers_, std::move(members), takes_turns);
}

Status Runner::end_attempts() {
  std::vector<WorkerRequest> requests;
  std::vector<ProcessResult> results;
  std::vector<pid_t> left;
  for (const Attempt* attempt : running<Attempts>()->ended()) {
    requests.push_back(attempt->request());
    results.push_back(*attempt->result());
    left.insert(left.end(), attempt->left().begin(), attempt->left().end());
  }
  running_ = {};
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
    if (schedule_.is_done(schedule_.cell_of(request.cell_id))) compilation_.end_cell(request.cell_id);
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
  result.made_with = provenance_of(schedule_.cell_of(request.cell_id));
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
      const samples::Origin origin = schedule_.origin_of(schedule_.cell_of(requests[i].cell_id));
      const bool is_settled = compilation_.settle(requests[i], origin, results[i]);
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

bool Runner::asks_a_third(const std::vector<WorkerRequest>& requests, const std::vector<ProcessResult>& results) {
  const WorkerRequest& any = requests.front();
  if (!job_.reference || any.reference_path.empty() || any.reference_is_given) return false;
  const bool asks = reference().asks_a_third(requests, results);
  if (asks) provided_.judge.reset();
  return asks;
}

// Begins to wait for a quiet machine if the process will be measured again. The waits of a job are bounded, because a
// machine that is never quiet would make a long study endless.
void Runner::wait_for_quiet(const ProcessResult& disturbed, const work::Compiler& compiler) {
  constexpr int kMostWaits = 30;
  const work::Disturbance& rule = job_.limits.disturbance;
  if (running<QuietWait>() != nullptr || !is_disturbed(disturbed)) return;
  if (samples::is_final(FailureKind::disturbed, disturbed.attempt, job_.limits)) return;
  if (rule.wait_ns == 0 || ++quiet_waits_ > kMostWaits) return;
  running_ = std::make_unique<QuietWait>(cpus_of(compiler), rule.max_wait_ratio, system_clock().now(),
                                         Nanoseconds(rule.wait_ns));
}

}  // namespace ngb::agent

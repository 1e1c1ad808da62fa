// SPDX-License-Identifier: Apache-2.0
#include "agent/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "agent/limits.h"
#include "agent/placement.h"
#include "agent/reference.h"
#include "base/text.h"
#include "probe/probe.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;
using samples::WorkerRequest;

std::uint64_t memory_limit(const samples::Job& job) {
  const std::uint64_t of_device = job.limits.memory_bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  if (job.protocol.memory_limit_bytes) return std::min(*job.protocol.memory_limit_bytes, of_device);
  if (job.limits.memory_bytes) return of_device;
  const samples::Known<std::uint64_t> total = probe::memory_total_bytes();
  return total.value ? *total.value / 10 * 9 : std::numeric_limits<std::uint64_t>::max();
}

// Ids are hexadecimal digits; whatever else a job may hold, it names a file in our folder.
std::string file_name(std::string text) {
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

}  // namespace

Status check_job(const samples::Job& job) {
  std::map<std::string, int> models;
  std::map<std::string, int> cells;
  for (const samples::ModelWork& model : job.models) ++models[model.id];
  for (const samples::CellWork& cell : job.cells) ++cells[cell.id];
  const auto once = [](const std::map<std::string, int>& known, const std::string& id, const char* what) -> Status {
    const auto found = known.find(id);
    if (found != known.end() && found->second == 1) return Done{};
    return fail(fmt::format("{} \"{}\" is in the job {} times", what, id, found == known.end() ? 0 : found->second),
                "job");
  };
  if (job.only_references && !job.reference) return fail("nobody is to make the references", "job");
  for (const samples::Group& group : job.groups) {
    if (Status known = once(models, group.model_id, "model"); !known) return known;
    for (const samples::Step& step : group.steps) {
      if (Status known = once(cells, step.cell_id, "cell"); !known) return known;
    }
  }
  return Done{};
}

Runner::Runner(const Surroundings& surroundings, Children& children, const samples::Job& job, Journal& journal,
               Ledger& ledger, samples::Environment environment)
    : surroundings_(surroundings),
      children_(children),
      job_(job),
      journal_(journal),
      ledger_(ledger),
      environment_(std::move(environment)),
      environment_hash_(environment_.hash()),
      cores_(cores_of(surroundings.cpus)),
      memory_limit_bytes_(memory_limit(job)),
      launchers_(surroundings, children) {
  for (const samples::ModelWork& each : job.models) models_[each.id] = &each;
  for (const samples::CellWork& each : job.cells) cells_[each.id] = &each;
}

Runner::~Runner() { stop(); }

void Runner::stop() {
  attempt_.reset();
  writing_.reset();
  children_.end_all({});
}

Status Runner::advance() {
  launchers_.advance_idle(launcher_);
  while (!is_finished_) {
    if (attempt_) {
      attempt_->advance();
      if (!attempt_->result()) return Done{};
      if (Status done = end_attempt(); !done) return done;
    } else if (writing_) {
      writing_->advance();
      if (!writing_->outcome()) return Done{};
      if (Status done = end_writing(); !done) return done;
    } else if (Status begun = begin_next(); !begun) {
      return begun;
    }
  }
  return Done{};
}

Status Runner::begin_next() {
  while (group_ < job_.groups.size() && !ledger_.is_pending(group())) leave_group();
  if (group_ < job_.groups.size()) return begin_group();
  if (!ledger_.is_finished()) {
    if (Status recorded = record({0, samples::Finished{}}); !recorded) return recorded;
  }
  is_finished_ = true;
  return Done{};
}

void Runner::leave_group() {
  if (file_ && !model().recipe_json.empty()) remove_model(file_->path);
  file_.reset();
  reference_path_.reset();
  tries_ = 0;
  ++group_;
}

Status Runner::begin_group() {
  if (!is_environment_recorded_) {
    if (Status recorded = record({0, environment_}); !recorded) return recorded;
    is_environment_recorded_ = true;
  }
  const Nanoseconds taken = system_clock().now() - started_;
  if (Status may = may_begin(job_.limits, taken, surroundings_.work_folder); !may) return may;
  if (job_.only_references && is_reference_file(reference_file())) return record_reference();
  if (!file_) return begin_model();
  if (!reference_path_) return begin_reference();
  return begin_step();
}

Status Runner::begin_model() {
  const bool is_written = !model().recipe_json.empty();
  auto known = checked_files_.find(model().id);
  if (known == checked_files_.end() && (!is_written || !model().files.empty())) {
    const ModelWriting::Outcome checked = check_files(model());
    if (!checked) return fail_group(checked.error());
    known = checked_files_.emplace(model().id, *checked).first;
  }
  if (!is_written) return record_model(known->second);
  writing_ = std::make_unique<ModelWriting>(surroundings_, children_, model(), job_);
  return Done{};
}

Status Runner::end_writing() {
  const ModelWriting::Outcome outcome = *writing_->outcome();
  writing_.reset();
  if (outcome) return record_model(*outcome);
  if (const Status full = stop_when_disk_is_full(outcome.error()); !full) return full;
  const bool is_again = samples::is_worth_retrying(outcome.error().kind) && ++tries_ < job_.protocol.attempts;
  return is_again ? Status{} : fail_group(outcome.error());
}

// Once for each file, and again should a resumed run write another one than the first did.
Status Runner::record_model(const ModelFile& file) {
  file_ = file;
  tries_ = 0;
  if (ledger_.model_sha256(file.facts.model_id) == file.facts.file_sha256) return Done{};
  return record({0, file.facts});
}

// Where the group's reference outputs are kept that are made here.
std::filesystem::path Runner::reference_file() const {
  const std::filesystem::path folder = job_.reference_cache.empty() ? surroundings_.work_folder / "references"
                                                                    : std::filesystem::path(job_.reference_cache);
  return folder / (reference_key(model(), job_.protocol.seed, *job_.reference) + ".ref");
}

Status Runner::begin_reference() {
  if (!job_.reference) {
    reference_path_.emplace();
    return Done{};
  }
  if (!model().reference_path.empty()) {
    reference_path_ = model().reference_path;
    return Done{};
  }
  const std::filesystem::path path = reference_file();
  if (is_reference_file(path)) {
    reference_path_ = path;
    return Done{};
  }
  if (!model().no_reference.empty()) {
    Failure failure;
    failure.kind = FailureKind::no_reference;
    failure.message = fmt::format("{} is not installed on this device, and the client could not make its outputs: {}",
                                  reference_name(*job_.reference), model().no_reference);
    return fail_group(failure);
  }
  if (const Status made = file::make_folder(path.parent_path()); !made) return tl::unexpected(made.error());
  WorkerRequest request = request_for(*job_.reference);
  request.task = WorkerRequest::Task::make_reference;
  request.cell_id = "reference";
  request.attempt = tries_ + 1;
  request.reference_path = path.string() + fmt::format(".{}.partial", ::getpid());
  start(std::move(request), fmt::format("reference-{}-{}.log", path.stem().string().substr(0, 16), tries_ + 1));
  return Done{};
}

// That they are there is all that such a job is for.
Status Runner::record_reference() {
  for (const samples::Step& step : group().steps) {
    if (!ledger_.next_attempt(step)) continue;
    ProcessResult result = result_without_worker(step);
    result.facts[samples::kReferencePathFact] = reference_file().string();
    if (Status recorded = record({0, std::move(result)}); !recorded) return recorded;
  }
  return Done{};
}

Status Runner::end_reference(const ProcessResult& result) {
  const std::filesystem::path written = attempt_->request().reference_path;
  attempt_.reset();
  launcher_ = nullptr;
  std::optional<Failure> failure = result.failure;
  if (!failure) {
    const std::filesystem::path path = written.parent_path() / (written.stem().stem().string());
    const Status adopted = adopt_reference(written, path);
    if (adopted) {
      reference_path_ = path;
      return Done{};
    }
    failure.emplace();
    failure->message = text::to_utf8(adopted.error().text());
  }
  std::error_code code;
  std::filesystem::remove(written, code);
  if (const Status full = stop_when_disk_is_full(*failure); !full) return full;
  if (samples::is_worth_retrying(failure->kind) && ++tries_ < job_.protocol.attempts) return Done{};
  failure->message = fmt::format("{} could not make the reference outputs ({}): {}", reference_name(*job_.reference),
                                 samples::name(failure->kind), failure->message);
  failure->kind = FailureKind::no_reference;
  return fail_group(*failure);
}

Status Runner::begin_step() {
  for (const samples::Step& step : group().steps) {
    const std::optional<int> attempt = ledger_.next_attempt(step);
    if (!attempt) continue;
    const samples::CellWork& cell = *cells_.at(step.cell_id);
    WorkerRequest request = request_for(cell.compiler);
    request.cell_id = cell.id;
    request.process_index = step.process_index;
    request.attempt = *attempt;
    request.reference_path = reference_path_->string();
    start(std::move(request), fmt::format("{}-{}-{}.log", file_name(cell.id), step.process_index, *attempt));
    return Done{};
  }
  return Done{};
}

WorkerRequest Runner::request_for(const samples::CompilerWork& compiler) const {
  WorkerRequest request;
  if (compiler.host != "python") {
    request.plugin_path = (surroundings_.lib / "compilers" / compiler.name / (compiler.name + ".so")).string();
  }
  request.model_path = file_->path.string();
  request.model = model();
  request.model.recipe_json = recipe_here(model());
  if (!file_->facts.inputs.empty()) {
    request.model.inputs = file_->facts.inputs;
    request.model.open_inputs = file_->facts.open_inputs;
  }
  request.compiler = compiler;
  request.protocol = job_.protocol;
  const std::filesystem::path caches = job_.reference_cache.empty()
                                           ? surroundings_.work_folder
                                           : std::filesystem::path(job_.reference_cache).parent_path();
  request.cache_dir = (caches / "tuning").string();
  if (!job_.reference) return request;
  request.reference_name = reference_name(*job_.reference);
  request.reference_key = reference_key(model(), job_.protocol.seed, *job_.reference);
  return request;
}

void Runner::start(WorkerRequest request, const std::string& log_name) {
  AttemptPlan plan;
  plan.cpus = choose_cpus(surroundings_.cpus, cores_, request.compiler.threads);
  plan.memory_limit_bytes = memory_limit_bytes_;
  plan.log_name = log_name;
  launcher_ = &launchers_.of(request.compiler);
  plan.spared = [this] {
    std::set<pid_t> others = launchers_.own_processes();
    for (const pid_t pid : launcher_->own_processes()) others.erase(pid);
    return others;
  }();
  plan.request = std::move(request);
  confine(0, other_cpus(surroundings_.cpus, plan.cpus));
  attempt_ = std::make_unique<Attempt>(surroundings_, children_, *launcher_, std::move(plan));
}

Status Runner::end_attempt() {
  ProcessResult result = *attempt_->result();
  if (attempt_->request().task == WorkerRequest::Task::make_reference) return end_reference(result);
  attempt_.reset();
  launcher_ = nullptr;
  result.environment_hash = environment_hash_;
  return record({0, std::move(result)});
}

// Every cell of the group that has something left to do fails for this reason. It counts as the last attempt.
Status Runner::fail_group(const Failure& failure) {
  for (const samples::Step& step : group().steps) {
    if (!ledger_.next_attempt(step)) continue;
    ProcessResult result = result_without_worker(step);
    result.failure = failure;
    if (Status recorded = record({0, std::move(result)}); !recorded) return recorded;
  }
  return Done{};
}

// As of a last attempt.
ProcessResult Runner::result_without_worker(const samples::Step& step) const {
  ProcessResult result;
  result.cell_id = step.cell_id;
  result.process_index = step.process_index;
  result.attempt = job_.protocol.attempts;
  result.environment_hash = environment_hash_;
  result.started_unix_ns = system_clock().unix_now().count();
  result.threads_used = samples::Known<int>::unknown("no worker was started");
  return result;
}

Status Runner::record(const samples::Event& event) {
  const Result<std::uint64_t> sequence = journal_.append(event);
  if (!sequence) return tl::unexpected(sequence.error());
  ledger_.add(event);
  return Done{};
}

Status Runner::stop_when_disk_is_full(const Failure& failure) const {
  if (failure.kind != FailureKind::disk_full) return Done{};
  return fail("the disk is full: " + failure.message, surroundings_.work_folder.string(),
              "free some space and run the same command again");
}

void Runner::look() {
  if (attempt_) attempt_->look();
}

samples::Progress Runner::progress() const {
  samples::Progress progress;
  if (writing_) progress.doing = fmt::format("write model {} batch {}", model().label, model().batch);
  if (!attempt_) return progress;
  const WorkerRequest& request = attempt_->request();
  progress.phase = attempt_->phase();
  progress.repetitions_done = attempt_->repetitions_done();
  progress.attempt = request.attempt;
  if (request.task == WorkerRequest::Task::make_reference) {
    progress.doing = fmt::format("reference outputs of {} batch {}", model().label, model().batch);
    return progress;
  }
  progress.cell_id = request.cell_id;
  progress.process_index = request.process_index;
  progress.remark = text::to_utf8(attempt_->remark());
  return progress;
}

std::vector<int> Runner::poll_fds() const {
  if (!attempt_) return {};
  return {attempt_->result_fd(), attempt_->launcher_fd()};
}

std::optional<Nanoseconds> Runner::deadline() const {
  if (attempt_) return attempt_->deadline();
  if (writing_) return writing_->deadline();
  return std::nullopt;
}

}  // namespace ngb::agent

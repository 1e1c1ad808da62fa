// SPDX-License-Identifier: Apache-2.0
#include "agent/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <system_error>

#include "agent/workers/limits.h"
#include "base/hash.h"
#include "base/processors.h"
#include "base/text.h"
#include "probe/probe.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;
using work::WorkerRequest;

std::uint64_t memory_limit(const work::Job& job) {
  const std::optional<std::uint64_t>& of_device = job.device_limits.memory_bytes;
  const std::optional<std::uint64_t>& of_study = job.limits.memory_bytes;
  if (of_device && of_study) return std::min(*of_device, *of_study);
  if (of_device || of_study) return of_study ? *of_study : *of_device;
  const Known<std::uint64_t> total = probe::memory_total_bytes();
  return total.value ? *total.value / 10 * 9 : std::numeric_limits<std::uint64_t>::max();
}

// Stays free on a device's disk if its limits say nothing.
constexpr std::uint64_t kFreeDiskBytes = 64U << 20U;

}  // namespace

Runner::Runner(const Surroundings& surroundings, Children& children, const work::Job& job, Journal& journal,
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
      launchers_(surroundings, children),
      builds_(surroundings),
      compilation_(job.protocol.compile, surroundings.work_folder / "artifacts",
                   job.device_limits.free_disk_bytes.value_or(kFreeDiskBytes)),
      steps_(job.groups.size(), 0),
      last_round_(job.order == work::Order::groups ? std::numeric_limits<int>::max() : 0) {}

Runner::~Runner() { stop(); }

void Runner::stop() {
  attempts_.reset();
  writing_.reset();
  const std::vector<pid_t> left = children_.end_all({});
  if (!left.empty()) std::fputs((describe_processes(left) + ": did not end after SIGKILL\n").c_str(), stderr);
}

Status Runner::advance() {
  launchers_.advance_idle(attempts_ ? attempts_->launchers() : std::set<const Launcher*>{});
  while (!is_finished_) {
    if (attempts_) {
      attempts_->advance();
      if (!attempts_->are_over()) return Done{};
      if (Status done = end_attempts(); !done) return done;
    } else if (writing_) {
      writing_->advance();
      if (!writing_->outcome()) return Done{};
      if (Status done = end_writing(); !done) return done;
    } else if (quiet_wait_) {
      if (!quiet_wait_->is_over(system_clock().now())) return Done{};
      quiet_wait_.reset();
    } else if (Status begun = begin_next(); !begun) {
      return begun;
    }
  }
  return Done{};
}

Status Runner::begin_next() {
  if (ledger_.is_finished()) group_ = job_.groups.size();
  while (group_ < job_.groups.size() && !has_something_left()) {
    if (Status ended = end_rounds(); !ended) return ended;
    leave_group();
  }
  if (group_ < job_.groups.size()) return begin_group();
  if (!ledger_.is_finished()) {
    if (Status recorded = record({0, samples::Finished{}}); !recorded) return recorded;
  }
  compilation_.end_job();
  is_finished_ = true;
  return Done{};
}

// Returns whether the group has a step, or reference outputs, left to do.
bool Runner::has_something_left() { return is_for_references() ? !ledger_.has_reference(model().key) : find_step(); }

// Advances to the group's first step that is not decided. Returns false if there is none in the rounds of this visit. A
// decided step stays decided, so none is examined twice: a group may have a million steps.
bool Runner::find_step() {
  const std::vector<work::Step>& steps = group().steps;
  for (std::size_t& at = steps_[group_]; at < steps.size() && steps[at].process_index <= last_round_; ++at) {
    if (next_attempt(steps[at]) && is_needed(steps[at])) return true;
  }
  return false;
}

void Runner::leave_group() {
  const bool is_kept = model().is_module() && !job_.reference_cache.empty();
  if (file_ && model().is_made() && !is_kept) remove_model(file_->path);
  file_.reset();
  reference_path_.reset();
  reference_sha256_.clear();
  reference_reason_.clear();
  tries_ = 0;
  choose_group();
}

Status Runner::begin_group() {
  if (!is_environment_recorded_) {
    if (Status recorded = record({0, environment_}); !recorded) return recorded;
    is_environment_recorded_ = true;
  }
  const Nanoseconds taken = system_clock().now() - started_;
  if (Status may = may_begin(job_.device_limits, taken, surroundings_.work_folder); !may) return may;
  if (Status unchanged = builds_.check_unchanged(); !unchanged) return unchanged;
  if (is_for_references() && reference_path_) return record_reference(reference_path_->string());
  if (is_for_references() && !file_) {
    const Result<ReferenceFile> made = references_.look(reference_file());
    if (made && made->doubt_kind.empty()) return record_reference(reference_file().string());
  }
  if (!file_) return begin_model();
  if (!reference_path_) return begin_reference();
  return begin_step();
}

Status Runner::begin_model() {
  const bool is_written = model().is_made();
  if (!is_written || !model().files.empty()) {
    const ModelWriting::Outcome checked = check_files(model(), model_files_);
    if (!checked) return fail_group(checked.error());
    if (!is_written) return record_model(*checked);
  }
  writing_ =
      std::make_unique<ModelWriting>(surroundings_, children_, model(), job_,
                                     WritingBounds{memory_limit_bytes_, launchers_.own_processes()}, exporting());
  return Done{};
}

Status Runner::end_writing() {
  const ModelWriting::Outcome outcome = *writing_->outcome();
  const std::vector<pid_t> left = writing_->left();
  writing_.reset();
  if (!left.empty()) {
    if (!outcome) {
      if (Status failed = fail_group(outcome.error()); !failed) return failed;
    }
    return check_all_ended(left);
  }
  if (outcome) return record_model(*outcome);
  if (const Status full = stop_when_disk_is_full(outcome.error()); !full) return full;
  const bool is_again = !samples::is_final(outcome.error().kind, ++tries_, job_.limits);
  return is_again ? Status{} : fail_group(outcome.error());
}

// Records each model file once. A resumed run that writes a different file records it again.
Status Runner::record_model(const ModelFile& file) {
  file_ = file;
  tries_ = 0;
  steps_[group_] = 0;  // steps that were decided without the model's hash are examined again
  looked_at_round_.reset();
  for (const std::filesystem::path& each : files_of(model(), file)) {
    const Result<std::string> watched = model_files_.add(each);
    if (!watched) return error_of(watched);
  }
  if (ledger_.model_sha256(file.facts.model) == file.facts.file_sha256) return Done{};
  return record({0, file.facts});
}

// Returns the folder that keeps things between the runs of this device.
std::filesystem::path Runner::caches() const {
  return job_.reference_cache.empty() ? surroundings_.work_folder
                                      : std::filesystem::path(job_.reference_cache).parent_path();
}

WorkerRequest Runner::request_for(const work::Compiler& compiler) const {
  WorkerRequest request;
  request.place = job_.place_of(compiler);
  if (request.place.host != "python") {
    request.plugin_path = (surroundings_.lib / "compilers" / compiler.name / (compiler.name + ".so")).string();
  }
  request.model_path = file_->path.string();
  request.model = model();
  if (auto* module = std::get_if<work::Module>(&request.model.source)) module->json = source_here(model());
  if (!file_->facts.inputs.empty()) {
    request.model.inputs = file_->facts.inputs;
    request.model.open_inputs = file_->facts.open_inputs;
  }
  if (model().is_module() && job_.exporter) request.module_site = job_.place_of(*job_.exporter).toolchain_dir;
  request.compiler = compiler;
  request.protocol = job_.protocol;
  request.cache_dir = (caches() / "tuning").string();
  if (!job_.reference) return request;
  request.reference_name = reference_name(reference());
  request.reference_key = key_of_reference();
  return request;
}

// Returns an error that names `left`, if there are any: times measured beside processes that still run would be wrong.
Status Runner::check_all_ended(const std::vector<pid_t>& left) const {
  if (left.empty()) return Done{};
  return fail(fmt::format("nothing more is measured here: {} did not end after SIGKILL", describe_processes(left)),
              surroundings_.work_folder.string(),
              "check the device's kernel log, or restart the device; then run the same command again");
}

// Records this failure for every step of the group that is left to do. It counts as the last attempt.
Status Runner::fail_group(const Failure& failure) {
  if (is_for_references()) return record({0, samples::ReferenceMade{.model = model().key, .failure = failure}});
  for (const work::Step& step : group().steps) {
    if (!next_attempt(step)) continue;
    ProcessResult result = result_without_worker(step);
    result.failure = failure;
    if (Status recorded = record({0, std::move(result)}); !recorded) return recorded;
  }
  return Done{};
}

// Returns the result of a last attempt that starts no worker.
ProcessResult Runner::result_without_worker(const work::Step& step) const {
  const work::Cell& cell = job_.cell_of(step);
  ProcessResult result;
  result.cell_id = cell.id;
  result.process_index = step.process_index;
  result.attempt = job_.limits.attempts;
  result.environment_hash = environment_hash_;
  result.made_with = provenance_of(cell);
  result.started_unix_ns = system_clock().unix_now().count();
  result.threads_used = Known<int>::unknown("no worker was started");
  return result;
}

Status Runner::record(const std::vector<samples::Event>& events) {
  const Result<std::uint64_t> sequence = journal_.append(events);
  if (!sequence) return error_of(sequence);
  for (const samples::Event& event : events) ledger_.add(event);
  return Done{};
}

Status Runner::stop_when_disk_is_full(const Failure& failure) const {
  if (failure.kind != FailureKind::disk_full) return Done{};
  return fail("the disk is full: " + failure.message, surroundings_.work_folder.string(),
              "free some space and run the same command again");
}

void Runner::look() {
  if (attempts_) attempts_->look();
  if (writing_) writing_->look();
  if (quiet_wait_) quiet_wait_->look(system_clock().now());
}

samples::Progress Runner::progress() const {
  samples::Progress progress;
  if (writing_) progress.doing = fmt::format("write model {} batch {}", model().label, model().key.batch);
  if (quiet_wait_) progress.doing = quiet_wait_->text();
  if (!attempts_) return progress;
  const Attempt& attempt = attempts_->current();
  const WorkerRequest& request = attempt.request();
  progress.phase = attempt.phase();
  progress.repetitions_done = attempt.repetitions_done();
  progress.attempt = request.attempt;
  if (request.task == work::Task::make_references) {
    progress.doing = fmt::format("reference outputs of {} batch {}", model().label, model().key.batch);
    return progress;
  }
  progress.cell_id = request.cell_id;
  progress.process_index = request.process_index;
  progress.remark = text::to_utf8(attempt.remark());
  return progress;
}

std::vector<int> Runner::poll_fds() const {
  if (!attempts_) return {};
  return {attempts_->current().result_fd(), attempts_->current().launcher_fd()};
}

std::optional<Nanoseconds> Runner::deadline() const {
  if (attempts_) return attempts_->current().deadline();
  if (writing_) return writing_->deadline();
  if (quiet_wait_) return quiet_wait_->end();
  return std::nullopt;
}

}  // namespace ngb::agent

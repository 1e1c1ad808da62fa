// SPDX-License-Identifier: Apache-2.0
#include "agent/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <set>

#include "agent/workers/kept_exports.h"
#include "agent/workers/limits.h"
#include "base/hash.h"
#include "base/removal.h"
#include "base/text.h"
#include "probe/probe.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::ProcessResult;

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
      processors_(topology_of(surroundings.cpus)),
      memory_limit_bytes_(memory_limit(job)),
      launchers_(surroundings, children),
      builds_(surroundings, job),
      schedule_(job, ledger,
                [this](const work::Cell& cell) {
                  const std::string& build = builds_.of(job_.compiler_of(cell), job_.model_of(cell)).sha256;
                  return samples::Origin{build, {}, environment_hash_};
                }),
      compilation_(job.protocol.compile, surroundings.work_folder / "artifacts",
                   job.device_limits.free_disk_bytes.value_or(kFreeDiskBytes)) {}

Runner::~Runner() { stop(); }

void Runner::stop() {
  running_ = {};
  const std::vector<pid_t> left = children_.end_all({});
  if (!left.empty()) std::fputs((describe_processes(left) + ": did not end after SIGKILL\n").c_str(), stderr);
}

Status Runner::prepare() {
  if (Status known = builds_.learn(); !known) return known;
  return job_.accepts_new_build ? Status{} : refuse_other_builds();
}

// Returns an error if a cell was measured in part with another build: a run has one build, unless the job accepts a new
// one.
Status Runner::refuse_other_builds() const {
  if (ledger_.is_finished()) return Done{};
  for (const work::Group& group : job_.groups) {
    for (const work::Step& step : group.steps) {
      const work::Cell& cell = job_.cell_of(step);
      const work::Compiler& compiler = job_.compiler_of(cell);
      const JobBuilds::Build& build = builds_.of(compiler, job_.model_of(group));
      const samples::Provenance* const other = ledger_.other_build(cell.id, build.sha256);
      const bool is_missing = !job_.place_of(compiler).why_missing.empty();
      if (other == nullptr || is_missing || !schedule_.next_attempt(step)) continue;
      return fail(fmt::format("{} is another build than the one that cells of this run were measured with: {}",
                              reference_name(compiler), differing_parts(*other, build.with)),
                  job_.device,
                  "ngb run --new-build STUDY measures these cells anew (their results so far are stored, but no longer "
                  "count); or install the former build again");
    }
  }
  return Done{};
}

Status Runner::advance() {
  const Attempts* const attempts = running<Attempts>();
  launchers_.advance_idle(attempts != nullptr ? attempts->launchers() : std::set<const Launcher*>{});
  while (!is_finished_) {
    if (!has_ended()) return Done{};
    if (Status done = is_busy() ? end_running() : begin_next(); !done) return done;
  }
  return Done{};
}

// Advances what runs. Returns whether it has ended; true if nothing runs.
bool Runner::has_ended() {
  if (auto* const attempts = running<Attempts>()) {
    attempts->advance();
    return attempts->are_over();
  }
  if (auto* const writing = running<ModelWriting>()) {
    writing->advance();
    return writing->outcome().has_value();
  }
  const auto* const wait = running<QuietWait>();
  return wait == nullptr || wait->is_over(system_clock().now());
}

Status Runner::end_running() {
  if (running<Attempts>() != nullptr) return end_attempts();
  if (running<ModelWriting>() != nullptr) return end_writing();
  running_ = {};
  return Done{};
}

Status Runner::begin_next() {
  switch (schedule_.next()) {
    case Schedule::Next::visit:
      return visit_group();
    case Schedule::Next::leave:
      return leave_group();
    case Schedule::Next::finish:
      break;
  }
  return finish();
}

Status Runner::finish() {
  if (!ledger_.is_finished()) {
    if (Status recorded = record({0, samples::Finished{}}); !recorded) return recorded;
  }
  compilation_.end_job();
  is_finished_ = true;
  return Done{};
}

Status Runner::leave_group() {
  remove_file();
  provided_ = {};
  schedule_.leave();
  samples::RoundsEnded judged = schedule_.ended_rounds();
  return judged.is_empty() ? Status{} : record({0, std::move(judged)});
}

// Removes the file that was made of the model at hand, unless it is kept for later runs.
void Runner::remove_file() {
  const bool is_kept = at_hand().is_module() && !job_.reference_cache.empty();
  if (provided_.file && at_hand().is_made() && !is_kept) remove_model(provided_.file->path);
  provided_.file.reset();
}

// Starts the first of what the group lacks: its model file, its reference outputs, its next processes.
Status Runner::visit_group() {
  if (!is_environment_recorded_) {
    if (Status recorded = record({0, environment_}); !recorded) return recorded;
    is_environment_recorded_ = true;
  }
  const Nanoseconds taken = system_clock().now() - started_;
  if (Status may = may_begin(job_.device_limits, taken, surroundings_.work_folder); !may) return may;
  if (Status unchanged = builds_.check_unchanged(); !unchanged) return unchanged;
  if (is_for_references() && provided_.judge) return record_reference(provided_.judge->path.string());
  if (!provided_.file) {
    const std::optional<std::string> kept = is_for_references() ? reference().kept() : std::nullopt;
    if (kept) return record_reference(*kept);
    return has_exact_outputs() ? Status{} : begin_model();
  }
  return provided_.judge ? begin_processes() : begin_reference();
}

work::Model& Runner::exact() {
  const auto [place, is_new] = exacts_.try_emplace(schedule_.group_index());
  if (is_new) place->second = work::exact_of(model());
  return place->second;
}

// Returns whether the exact model's outputs are there already, so that its file is not needed. They judge then.
bool Runner::has_exact_outputs() {
  if (!needs_exact() || exact().inputs.empty()) return false;
  const GroupReference::Next next = reference().next({});
  const auto* const judge = std::get_if<GroupReference::Judge>(&next);
  if (judge != nullptr) use_judge(*judge);
  return judge != nullptr;
}

Status Runner::begin_model() {
  const bool is_written = at_hand().is_made();
  if (!is_written || !at_hand().files.empty()) {
    const ModelWriting::Outcome checked = check_files(at_hand(), model_files_);
    if (!checked) return fail_group(checked.error());
    if (!is_written) return record_model(*checked);
  }
  const WritingBounds bounds{memory_limit_bytes_, launchers_.own_processes()};
  running_ = std::make_unique<ModelWriting>(surroundings_, children_, at_hand(), job_, bounds, exporting());
  return Done{};
}

Status Runner::end_writing() {
  const ModelWriting::Outcome outcome = *running<ModelWriting>()->outcome();
  const std::vector<pid_t> left = running<ModelWriting>()->left();
  running_ = {};
  if (!left.empty()) {
    if (!outcome) {
      if (Status failed = fail_group(outcome.error()); !failed) return failed;
    }
    return check_all_ended(left);
  }
  if (outcome) return record_model(*outcome);
  if (const Status full = stop_when_disk_is_full(outcome.error()); !full) return full;
  const bool is_again = !samples::is_final(outcome.error().kind, ++provided_.tries, job_.limits);
  return is_again ? Status{} : fail_group(outcome.error());
}

// Records each model file once, the exact model's with its own cells. A resumed run that writes a different file
// records it again.
Status Runner::record_model(const ModelFile& file) {
  provided_ = {.file = file, .judge = provided_.judge};
  if (!needs_exact()) schedule_.use_model(file.facts.file_sha256);
  for (const std::filesystem::path& each : files_of(at_hand(), file)) {
    const Result<std::string> watched = model_files_.add(each);
    if (!watched) return error_of(watched);
  }
  if (needs_exact() || ledger_.model_sha256(file.facts.model) == file.facts.file_sha256) return Done{};
  return record({0, file.facts});
}

// Decides how the PyTorch module at hand is exported. Of an exact model, only the reference reads the file.
Exporting Runner::exporting() {
  const work::Model& module = at_hand();
  if (!module.is_module()) return {};
  Exporting exporting;
  const auto reads_file = [&](const work::Step& step) {
    return needs_file(job_, module, job_.compiler_of(job_.cell_of(step)));
  };
  const std::vector<work::Step>& steps = schedule_.group().steps;
  exporting.needs_file = (!needs_exact() && std::any_of(steps.begin(), steps.end(), reads_file)) ||
                         (job_.reference && needs_file(job_, module, *job_.reference));
  if (job_.reference_cache.empty() || !job_.exporter) return exporting;
  const work::Compiler& any = job_.reference ? *job_.reference : job_.compilers.front();
  exporting.cache = caches();
  exporting.name = export_name(module, exporting.needs_file, builds_.of(any, module).with);
  return exporting;
}

// Returns what provides the group's reference outputs. Precondition: the job has a reference.
GroupReference& Runner::reference() {
  return references_
      .try_emplace(schedule_.group_index(), job_, schedule_.group(), builds_, reference_files_,
                   surroundings_.work_folder / "references")
      .first->second;
}

Status Runner::begin_reference() {
  if (!job_.reference) {
    provided_.judge.emplace();
    return Done{};
  }
  const GroupReference::Next next = reference().next(provided_.file->no_file);
  if (const auto* const failure = std::get_if<Failure>(&next)) return fail_group(*failure);
  if (const auto* const judge = std::get_if<GroupReference::Judge>(&next)) {
    use_judge(*judge);
    return Done{};
  }
  const auto& making = std::get<GroupReference::Making>(next);
  if (const auto made = CacheFolder(making.path.parent_path()).make(""); !made) return error_of(made);
  make_reference(making);
  return Done{};
}

// From now on the group's own model is at hand.
void Runner::use_judge(const GroupReference::Judge& judge) {
  if (needs_exact()) {
    if (provided_.file && !provided_.file->facts.inputs.empty()) exact().inputs = provided_.file->facts.inputs;
    remove_file();
    provided_.tries = 0;
  }
  provided_.judge = judge;
}

Status Runner::end_reference(const std::filesystem::path& written, const ProcessResult& result) {
  if (const std::optional<Failure> changed = changed_file()) {
    file::remove(written);
    return fail_group(*changed);
  }
  const std::optional<Failure> failure = reference().adopt(written, result);
  if (!failure) return Done{};
  if (const Status full = stop_when_disk_is_full(*failure); !full) return full;
  reference().has_failed(result, *failure);
  return Done{};
}

// Records the path of the reference outputs: a job for references needs nothing else of a group.
Status Runner::record_reference(std::string path) {
  return record({0, samples::ReferenceMade{.model = model().key, .path = std::move(path), .key = reference().key()}});
}

// Returns the folder that keeps things between the runs of this device.
CacheFolder Runner::caches() const {
  return CacheFolder(job_.reference_cache.empty() ? surroundings_.work_folder
                                                  : std::filesystem::path(job_.reference_cache).parent_path());
}

void Runner::look() {
  if (auto* const attempts = running<Attempts>()) attempts->look();
  if (auto* const writing = running<ModelWriting>()) writing->look();
  if (auto* const wait = running<QuietWait>()) wait->look(system_clock().now());
}

samples::Progress Runner::progress() {
  samples::Progress progress;
  if (running<ModelWriting>() != nullptr) {
    progress.doing = fmt::format("write model {} batch {}", at_hand().label, at_hand().key.batch);
  }
  if (const auto* const wait = running<QuietWait>()) progress.doing = wait->text();
  const auto* const attempts = running<Attempts>();
  if (attempts == nullptr) return progress;
  const Attempt& attempt = attempts->current();
  const work::WorkerRequest& request = attempt.request();
  progress.phase = attempt.phase();
  progress.repetitions_done = attempt.repetitions_done();
  progress.attempt = request.attempt;
  if (request.task == work::Task::make_references) {
    progress.doing = fmt::format("reference outputs of {} batch {}", at_hand().label, at_hand().key.batch);
    return progress;
  }
  progress.cell_id = request.cell_id;
  progress.process_index = request.process_index;
  progress.remark = text::to_utf8(attempt.remark());
  return progress;
}

std::vector<int> Runner::poll_fds() const {
  const auto* const attempts = running<Attempts>();
  if (attempts == nullptr) return {};
  return {attempts->current().result_fd(), attempts->current().launcher_fd()};
}

std::optional<Nanoseconds> Runner::deadline() const {
  if (const auto* const attempts = running<Attempts>()) return attempts->current().deadline();
  if (const auto* const writing = running<ModelWriting>()) return writing->deadline();
  if (const auto* const wait = running<QuietWait>()) return wait->end();
  return std::nullopt;
}

}  // namespace ngb::agent

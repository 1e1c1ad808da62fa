// SPDX-License-Identifier: Apache-2.0
// Records what became of a job's processes, with what they were made with.
#include <fmt/format.h>

#include "agent/runner.h"
#include "base/hash.h"
#include "base/text.h"

namespace ngb::agent {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;

Status Runner::record(const std::vector<samples::Event>& events) {
  const Result<std::uint64_t> sequence = journal_.append(events);
  if (!sequence) return error_of(sequence);
  for (const samples::Event& event : events) ledger_.add(event);
  return Done{};
}

// Records this failure for every step of the group that is left to do. It counts as the last attempt.
Status Runner::fail_group(const Failure& failure) {
  if (is_for_references()) return record({0, samples::ReferenceMade{.model = model().key, .failure = failure}});
  for (const work::Step& step : schedule_.group().steps) {
    if (Status recorded = fail_step(step, failure); !recorded) return recorded;
  }
  return Done{};
}

// Records that the cell has no number because its compiler reads ONNX and the module has no such file.
Status Runner::fail_cell_without_file(const work::Step& step) {
  for (const work::Step& each : schedule_.group().steps) {
    if (each.cell_index != step.cell_index) continue;
    if (Status recorded = fail_step(each, *provided_.file->no_file); !recorded) return recorded;
  }
  return Done{};
}

// Records the failure as the last attempt at the process, without a worker, if the process is left to do.
Status Runner::fail_step(const work::Step& step, const Failure& failure) {
  if (!schedule_.next_attempt(step)) return Done{};
  const work::Cell& cell = job_.cell_of(step);
  ProcessResult result;
  result.cell_id = cell.id;
  result.process_index = step.process_index;
  result.attempt = job_.limits.attempts;
  result.environment_hash = environment_hash_;
  result.made_with = provenance_of(cell);
  result.started_unix_ns = system_clock().unix_now().count();
  result.threads_used = Known<int>::unknown("no worker was started");
  result.failure = failure;
  return record({0, std::move(result)});
}

samples::Provenance Runner::provenance_of(const work::Cell& cell) {
  samples::Provenance made_with = builds_.of(job_.compiler_of(cell), model()).with;
  std::string lines;
  for (const work::UserFile& file : model().files) lines += file.sha256 + " " + file.name + "\n";
  if (!lines.empty()) made_with.files_sha256 = hash::sha256(lines);
  if (provided_.file && !needs_exact()) made_with.model_sha256 = provided_.file->facts.file_sha256;
  if (provided_.judge && !provided_.judge->path.empty()) {
    made_with.reference_key = reference().key();
    made_with.reference_sha256 = provided_.judge->sha256;
  }
  return made_with;
}

// Returns a failure that names a changed file among those that the group is measured with; nothing if none changed.
std::optional<Failure> Runner::changed_file() {
  if (!provided_.file) return std::nullopt;
  for (const std::filesystem::path& each : files_of(at_hand(), *provided_.file)) {
    if (!model_files_.has_changed(each)) continue;
    Failure failure;
    failure.kind = FailureKind::invalid_model;
    failure.message = text::to_utf8(each.string()) + " has changed while it was measured";
    failure.advice = "run the study again, and do not change the file until the run has ended";
    return failure;
  }
  return std::nullopt;
}

// Returns an error that names `left`, if there are any: times measured beside processes that still run would be wrong.
Status Runner::check_all_ended(const std::vector<pid_t>& left) const {
  if (left.empty()) return Done{};
  return fail(fmt::format("nothing more is measured here: {} did not end after SIGKILL", describe_processes(left)),
              surroundings_.work_folder.string(),
              "check the device's kernel log, or restart the device; then run the same command again");
}

Status Runner::stop_when_disk_is_full(const Failure& failure) const {
  if (failure.kind != FailureKind::disk_full) return Done{};
  return fail("the disk is full: " + failure.message, surroundings_.work_folder.string(),
              "free some space and run the same command again");
}

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
// Finds out what the processes of a job are made with, and which recorded processes were made alike.
#include <fmt/format.h>

#include "agent/runner.h"
#include "base/hash.h"
#include "base/text.h"

namespace ngb::agent {

Status Runner::prepare() {
  bool has_modules = false;
  for (const work::Model& model : job_.models) has_modules = has_modules || model.is_module();
  std::vector<const work::Compiler*> compilers;
  for (const work::Compiler& compiler : job_.compilers) compilers.push_back(&compiler);
  if (job_.reference) compilers.push_back(&*job_.reference);
  for (const work::Compiler& compiler : job_.other_references) compilers.push_back(&compiler);
  for (const work::Compiler* const compiler : compilers) {
    for (const bool exported : {false, true}) {
      if (exported && !has_modules) continue;
      if (Status known = learn_build(*compiler, exported); !known) return known;
    }
  }
  return job_.accepts_new_build ? Status{} : refuse_other_builds();
}

Status Runner::learn_build(const work::Compiler& compiler, bool is_exported) {
  const work::Place& place = job_.place_of(compiler);
  const std::tuple key{compiler.name, place.manifest_sha256, is_exported};
  if (known_builds_.contains(key)) return Done{};
  const bool has_exporter = is_exported && job_.exporter;
  Result<samples::Provenance> made_with = builds_.of(place, has_exporter ? &job_.place_of(*job_.exporter) : nullptr);
  if (!made_with) return error_of(made_with);
  known_builds_[key] = {*made_with, made_with->build()};
  return Done{};
}

const Runner::Build& Runner::build_of(const work::Compiler& compiler, const work::Model& model) const {
  return known_builds_.at({compiler.name, job_.place_of(compiler).manifest_sha256, model.is_module()});
}

samples::Origin Runner::origin_of(const work::Cell& cell) const {
  const std::string& build = build_of(job_.compiler_of(cell), job_.model_of(cell)).sha256;
  return {build, file_ ? file_->facts.file_sha256 : "", environment_hash_};
}

samples::Provenance Runner::provenance_of(const work::Cell& cell) const {
  samples::Provenance made_with = build_of(job_.compiler_of(cell), model()).with;
  std::string lines;
  for (const work::UserFile& file : model().files) lines += file.sha256 + " " + file.name + "\n";
  if (!lines.empty()) made_with.files_sha256 = hash::sha256(lines);
  if (file_) made_with.model_sha256 = file_->facts.file_sha256;
  if (job_.reference && reference_path_ && !reference_path_->empty()) {
    made_with.reference_key = key_of_reference();
    made_with.reference_sha256 = reference_sha256_;
  }
  return made_with;
}

std::optional<int> Runner::next_attempt(const work::Step& step) const {
  const work::Cell& cell = job_.cell_of(step);
  // Without its toolchain a process cannot be run again, so its recorded result counts whatever it was made with.
  const bool is_missing = !job_.place_of(job_.compiler_of(cell)).why_missing.empty();
  if (is_missing && ledger_.has_completed(cell.id, step.process_index)) return std::nullopt;
  return ledger_.next_attempt(cell.id, step.process_index, origin_of(cell));
}

bool Runner::is_done(const work::Cell& cell) const {
  for (int process = 0; process < work::planned_processes(job_.protocol); ++process) {
    if (ledger_.next_attempt(cell.id, process, origin_of(cell))) return false;
  }
  return true;
}

// Returns an error if a cell was measured in part with another build: a run has one build, unless the job accepts a new
// one.
Status Runner::refuse_other_builds() const {
  if (ledger_.is_finished()) return Done{};
  for (const work::Group& group : job_.groups) {
    for (const work::Step& step : group.steps) {
      const work::Cell& cell = job_.cell_of(step);
      const work::Compiler& compiler = job_.compiler_of(cell);
      const Build& build = build_of(compiler, job_.model_of(group));
      const samples::Provenance* const other = ledger_.other_build(cell.id, build.sha256);
      if (other == nullptr || !job_.place_of(compiler).why_missing.empty() || !next_attempt(step)) continue;
      return fail(fmt::format("{} is another build than the one that cells of this run were measured with: {}",
                              reference_name(compiler), differing_parts(*other, build.with)),
                  job_.device,
                  "ngb run --new-build STUDY measures these cells anew (their results so far are stored, but no longer "
                  "count); or install the former build again");
    }
  }
  return Done{};
}

// Returns a failure that names a changed file among those that the group is measured with; nothing if none changed.
std::optional<samples::Failure> Runner::changed_file() {
  if (!file_) return std::nullopt;
  for (const std::filesystem::path& each : files_of(model(), *file_)) {
    if (!model_files_.has_changed(each)) continue;
    samples::Failure failure;
    failure.kind = samples::FailureKind::invalid_model;
    failure.message = text::to_utf8(each.string()) + " has changed while it was measured";
    failure.advice = "run the study again, and do not change the file until the run has ended";
    return failure;
  }
  return std::nullopt;
}

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string>

#include "base/hash.h"
#include "dispatch/make_job.h"

namespace ngb::dispatch {
namespace {

std::int64_t to_ns(double seconds) { return std::llround(seconds * 1e9); }

samples::Protocol protocol_of(const config::Study& study) {
  samples::Protocol protocol;
  protocol.processes = study.processes;
  protocol.repetitions = study.repetitions;
  protocol.fixed_warm_up = study.warm_up;
  protocol.min_repetition_ns = to_ns(study.min_repetition_ms / 1e3);
  protocol.max_transient_ns = to_ns(study.max_transient_s);
  if (study.stop_when) {
    protocol.stop_when =
        samples::Protocol::Precision{study.stop_when->half_width_percent / 100, study.stop_when->min_repetitions,
                                     study.stop_when->max_repetitions, to_ns(study.stop_when->max_s)};
  }
  protocol.absolute_tolerance = study.absolute_tolerance;
  protocol.relative_tolerance = study.relative_tolerance;
  protocol.seed = study.seed;
  protocol.compile_timeout_ns = to_ns(study.compile_timeout_s);
  protocol.run_timeout_ns = to_ns(study.run_timeout_s);
  protocol.memory_limit_bytes = study.memory_limit_bytes;
  protocol.attempts = study.attempts;
  return protocol;
}

// A plan has one model for each (model, batch); so has a job.
std::string model_id(const plan::Plan& plan, int index) {
  const plan::Model& model = plan.models[static_cast<std::size_t>(index)];
  return fmt::format("{}-{}-b{}", index, model.hash.substr(0, 16), model.batch);
}

Result<samples::ModelWork> model_work(const plan::Plan& plan, int index) {
  const plan::Model& model = plan.models[static_cast<std::size_t>(index)];
  samples::ModelWork work;
  work.id = model_id(plan, index);
  work.hash = model.hash;
  work.label = model.label;
  work.batch = model.batch;
  work.recipe_json = model.recipe_json;
  work.path = model.path;
  work.inputs = model.inputs;
  if (model.path.empty()) return work;
  Result<std::string> hash = hash::sha256_of_file(model.path);
  if (!hash) return tl::unexpected(hash.error());
  work.file_sha256 = *std::move(hash);
  return work;
}

// The study's own answer (a parsed study always has one); else the version that it names for the reference's compiler.
std::string reference_version(const config::Study& study) {
  if (!study.reference_version.empty()) return study.reference_version;
  const auto entry = std::find_if(study.compilers.begin(), study.compilers.end(),
                                  [&](const auto& candidate) { return candidate.name == study.reference; });
  return entry == study.compilers.end() ? "" : entry->version;
}

}  // namespace

Result<samples::Job> make_job(const plan::Plan& plan, const std::string& device, const std::string& run_id,
                              const FindCompiler& compiler, const std::string& reference_cache) {
  samples::Job job;
  job.run_id = run_id;
  job.device = device;
  job.protocol = protocol_of(plan.study);
  job.reference_cache = reference_cache;
  int threads = 1;
  std::set<int> models;
  for (const plan::Cell& cell : plan.cells) {
    if (cell.device != device) continue;
    Result<samples::CompilerWork> work = compiler(cell.compiler, cell.compiler_version);
    if (!work) return tl::unexpected(work.error());
    work->precision = cell.precision;
    work->threads = cell.threads;
    work->options = cell.options;
    job.cells.push_back({cell.id, model_id(plan, cell.model_index), *std::move(work)});
    models.insert(cell.model_index);
    threads = std::max(threads, cell.threads);
  }
  for (const int index : models) {
    Result<samples::ModelWork> work = model_work(plan, index);
    if (!work) return tl::unexpected(work.error());
    job.models.push_back(*std::move(work));
  }
  for (const plan::Group& group : plan.groups) {
    if (group.device != device) continue;
    samples::Group& added = job.groups.emplace_back();
    added.model_id = model_id(plan, group.model_index);
    for (const plan::Step& step : group.steps) {
      added.steps.push_back({plan.cells[static_cast<std::size_t>(step.cell_index)].id, step.process_index});
    }
  }
  if (plan.study.reference == "none") return job;
  Result<samples::CompilerWork> reference = compiler(plan.study.reference, reference_version(plan.study));
  if (!reference) return tl::unexpected(reference.error());
  reference->precision = "f32";
  reference->threads = threads;
  job.reference = *std::move(reference);
  return job;
}

}  // namespace ngb::dispatch

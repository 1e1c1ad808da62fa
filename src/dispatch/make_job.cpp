// SPDX-License-Identifier: Apache-2.0
#include "dispatch/make_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>

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

// Not found in a study that was planned before: without limits.
void describe_device(const config::Study& study, samples::Job& job) {
  const auto device = std::find_if(study.devices.begin(), study.devices.end(),
                                   [&](const config::DeviceEntry& each) { return each.name == job.device; });
  if (device == study.devices.end()) return;
  job.limits = limits_of(*device);
  job.environment = device->environment;
}

// A plan has one model for each (model, batch); so has a job.
samples::ModelWork model_work(const plan::Plan& plan, std::size_t index) {
  const plan::Model& model = plan.models[index];
  samples::ModelWork work;
  work.id = fmt::format("{}-{}-b{}", index, model.hash.substr(0, 16), model.batch);
  work.hash = model.hash;
  work.label = model.label;
  work.batch = model.batch;
  work.recipe_json = model.recipe_json;
  work.files = model.files;
  work.values = model.values;
  work.inputs = model.inputs;
  work.open_inputs = model.open_inputs;
  work.dynamic_batch = model.dynamic_batch;
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

samples::Limits limits_of(const config::DeviceEntry& device) {
  constexpr std::uint64_t kFreeDiskBytes = 64U << 20U;  // for everybody else there
  samples::Limits limits;
  if (device.kind != "local") limits.free_disk_bytes = kFreeDiskBytes;
  limits.memory_bytes = device.limits.memory_bytes;
  if (device.limits.free_disk_bytes) limits.free_disk_bytes = *device.limits.free_disk_bytes;
  if (device.limits.time_s) limits.time_ns = to_ns(*device.limits.time_s);
  return limits;
}

Result<Jobs> Jobs::begin(const plan::Plan& plan, std::string run_id) {
  Jobs jobs;
  jobs.plan_ = &plan;
  jobs.run_id_ = std::move(run_id);
  for (std::size_t i = 0; i < plan.models.size(); ++i) {
    jobs.models_.push_back(model_work(plan, i));
  }
  for (const plan::Cell& cell : plan.cells) jobs.parts_[cell.device].cells.push_back(&cell);
  for (const plan::Group& group : plan.groups) jobs.parts_[group.device].groups.push_back(&group);
  return jobs;
}

std::vector<samples::ModelWork> Jobs::files() const {
  std::vector<samples::ModelWork> files;
  std::copy_if(models_.begin(), models_.end(), std::back_inserter(files),
               [](const samples::ModelWork& model) { return !model.files.empty(); });
  return files;
}

Result<samples::Job> Jobs::of(const std::string& device, const FindCompiler& compiler,
                              const std::string& reference_cache) const {
  samples::Job job;
  job.run_id = run_id_;
  job.device = device;
  job.protocol = protocol_of(plan_->study);
  job.reference_cache = reference_cache;
  describe_device(plan_->study, job);
  const auto found = parts_.find(device);
  const Part part = found == parts_.end() ? Part{} : found->second;
  const auto model = [this](int index) -> const samples::ModelWork& {
    return models_[static_cast<std::size_t>(index)];
  };
  int threads = 1;
  std::set<int> models;
  for (const plan::Cell* cell : part.cells) {
    Result<samples::CompilerWork> work = compiler(cell->compiler, cell->compiler_version);
    if (!work) return tl::unexpected(work.error());
    work->precision = cell->precision;
    work->threads = cell->threads;
    work->options = cell->options;
    job.cells.push_back({cell->id, model(cell->model_index).id, *std::move(work)});
    models.insert(cell->model_index);
    threads = std::max(threads, cell->threads);
  }
  for (const int index : models) job.models.push_back(model(index));
  for (const plan::Group* group : part.groups) {
    samples::Group& added = job.groups.emplace_back();
    added.model_id = model(group->model_index).id;
    for (const plan::Step& step : group->steps) {
      added.steps.push_back({plan_->cells[static_cast<std::size_t>(step.cell_index)].id, step.process_index});
    }
  }
  const config::Study& study = plan_->study;
  const bool has_module = std::any_of(job.models.begin(), job.models.end(),
                                      [](const samples::ModelWork& each) { return plan::is_module(each.recipe_json); });
  if (has_module) {
    Result<samples::CompilerWork> exporter = compiler(config::kExporter, study.exporter_version);
    if (!exporter) return tl::unexpected(exporter.error());
    job.exporter = *std::move(exporter);
  }
  if (study.reference == "none") return job;
  Result<samples::CompilerWork> reference = compiler(study.reference, reference_version(study));
  if (!reference) return tl::unexpected(reference.error());
  reference->precision = "f32";
  reference->threads = threads;
  job.reference = *std::move(reference);
  return job;
}

}  // namespace ngb::dispatch

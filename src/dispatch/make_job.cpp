// SPDX-License-Identifier: Apache-2.0
#include "dispatch/make_job.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "work/compiler.h"

namespace ngb::dispatch {
namespace {

// Gives the plan's items their numbers in a job. A job contains only the items that the device needs, in the order in
// which their numbers are first requested.
class Renumbered {
 public:
  int operator()(int index_in_plan) {
    return numbers_.emplace(index_in_plan, static_cast<int>(numbers_.size())).first->second;
  }
  // Returns the items of the job, in the order of their new numbers.
  template <class T>
  std::vector<T> chosen(const std::vector<T>& all) const {
    std::vector<T> items(numbers_.size());
    for (const auto& [before, now] : numbers_)
      items[static_cast<std::size_t>(now)] = all[static_cast<std::size_t>(before)];
    return items;
  }

 private:
  std::map<int, int> numbers_{};
};

// Adds the device's limits and variables. There are none if the study no longer contains the device that was planned.
void describe_device(const config::Study& study, work::Job& job) {
  const auto device = std::find_if(study.devices.begin(), study.devices.end(),
                                   [&](const config::DeviceEntry& each) { return each.name == job.device; });
  if (device == study.devices.end()) return;
  job.device_limits = limits_of(*device);
  job.environment = worker_variables(study, *device);
}

// Returns the study's version of the reference (a parsed study always has one), otherwise the version that the study
// names for the reference's compiler.
std::string reference_version(const config::Study& study) {
  if (!study.reference_version.empty()) return study.reference_version;
  const auto entry = std::find_if(study.compilers.begin(), study.compilers.end(),
                                  [&](const auto& candidate) { return candidate.name == study.reference; });
  return entry == study.compilers.end() ? "" : entry->version;
}

// Removes the estimates: only the device knows the number that a word means there.
void leave_threads_to_the_device(work::Job& job) {
  for (work::Compiler& compiler : job.compilers) {
    if (!compiler.threads_asked.empty()) compiler.threads = 1;
  }
}

// The reference computes with as many threads as the cell with the most threads, as far as the plan knows. The agent
// raises the number to what words mean on the device.
void add_reference(const config::Study& study, work::Job& job) {
  if (study.reference == "none") return;
  job.reference = {.name = study.reference, .version = reference_version(study)};
  for (const work::Cell& cell : job.cells) {
    job.reference->threads = std::max(job.reference->threads, job.compiler_of(cell).threads);
  }
}

// Users' models may have what the reference lacks. The zoo's have nothing that it lacks.
void add_other_references(const config::Study& study, work::Job& job) {
  const bool has_users = std::any_of(job.models.begin(), job.models.end(), [](const work::Model& model) {
    return !std::holds_alternative<work::Recipe>(model.source);
  });
  if (!has_users || !job.reference) return;
  job.other_references = study.other_references;
  for (work::Compiler& other : job.other_references) other.threads = job.reference->threads;
}

// Precondition: the job has the places of its compilers.
void add_exporter(const config::Study& study, work::Job& job) {
  const bool is_needed = std::any_of(job.models.begin(), job.models.end(), work::has_module) ||
                         std::any_of(job.places.begin(), job.places.end(), work::converts_modules);
  if (is_needed) job.exporter = {.name = config::kExporter, .version = study.exporter_version};
}

Status add_places(const FindPlace& place_of, work::Job& job) {
  std::vector<work::Compiler*> compilers;
  for (work::Compiler& compiler : job.compilers) compilers.push_back(&compiler);
  if (job.reference) compilers.push_back(&*job.reference);
  for (work::Compiler& other : job.other_references) compilers.push_back(&other);
  if (job.exporter) compilers.push_back(&*job.exporter);
  for (work::Compiler* const compiler : compilers) {
    const bool is_known = std::any_of(job.places.begin(), job.places.end(),
                                      [&](const work::Place& place) { return place.is_of(*compiler); });
    if (is_known) continue;
    Result<work::Place> place = place_of(compiler->name, compiler->version);
    if (!place) return error_of(place);
    compiler->version = place->version;
    job.places.push_back(*std::move(place));
  }
  return Done{};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> worker_variables(const config::Study& study,
                                                                  const config::DeviceEntry& device) {
  std::map<std::string, std::string> variables;
  if (study.allocator == "steady") {
    variables = {{"MALLOC_MMAP_MAX_", "0"}, {"MALLOC_TOP_PAD_", "67108864"}, {"MALLOC_TRIM_THRESHOLD_", "17179869184"}};
  }
  for (const auto& [name, value] : device.environment) variables[name] = value;
  return {variables.begin(), variables.end()};
}

work::DeviceLimits limits_of(const config::DeviceEntry& device) {
  constexpr std::uint64_t kFreeDiskBytes = 64U << 20U;  // for other users of the device
  work::DeviceLimits limits = device.limits;
  if (!limits.free_disk_bytes && !config::is_here(device)) limits.free_disk_bytes = kFreeDiskBytes;
  return limits;
}

Jobs::Jobs(const plan::Plan& plan, std::string run_id) : plan_(plan), run_id_(std::move(run_id)) {
  for (std::size_t i = 0; i < plan.cells.size(); ++i) parts_[plan.cells[i].device].cells.push_back(static_cast<int>(i));
  for (const work::Group& group : plan.groups) parts_[group.device].groups.push_back(&group);
}

std::vector<work::Model> Jobs::files() const {
  std::vector<work::Model> files;
  std::copy_if(plan_.models.begin(), plan_.models.end(), std::back_inserter(files),
               [](const work::Model& model) { return !model.files.empty(); });
  return files;
}

Result<work::Job> Jobs::of(const std::string& device, const FindPlace& place_of,
                           const std::string& reference_cache) const {
  work::Job job;
  job.run_id = run_id_;
  job.device = device;
  job.order = plan_.study.order;
  job.protocol = plan_.study.protocol;
  job.limits = plan_.study.limits;
  job.verdicts_of_gate = plan_.verdicts_of_gate;
  job.decided_by = plan_.decided_by;
  job.reference_cache = reference_cache;
  describe_device(plan_.study, job);
  const auto found = parts_.find(device);
  static const Part kNothing;
  const Part& part = found == parts_.end() ? kNothing : found->second;
  Renumbered compilers, models, cells;
  job.loads = plan_.loads;
  for (const int index : part.cells) {
    const work::Cell& cell = plan_.cells[static_cast<std::size_t>(index)];
    job.cells.push_back({.id = cell.id,
                         .compiler_index = compilers(cell.compiler_index),
                         .model_index = models(cell.model_index),
                         .load_index = cell.load_index});
    cells(index);
  }
  for (const work::Group* const group : part.groups) {
    work::Group& added = job.groups.emplace_back();
    added.model_index = models(group->model_index);
    added.saved_bits = group->saved_bits;
    for (const work::Step& step : group->steps) added.steps.push_back({cells(step.cell_index), step.process_index});
    for (const work::Question& each : group->questions) {
      added.questions.push_back({cells(each.cell_index), cells(each.baseline_index)});
    }
  }
  job.compilers = compilers.chosen(plan_.compilers);
  job.models = models.chosen(plan_.models);
  leave_threads_to_the_device(job);
  add_reference(plan_.study, job);
  add_other_references(plan_.study, job);
  if (const Status placed = add_places(place_of, job); !placed) return error_of(placed);
  add_exporter(plan_.study, job);
  if (const Status placed = add_places(place_of, job); !placed) return error_of(placed);
  return job;
}

}  // namespace ngb::dispatch

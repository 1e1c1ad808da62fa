// SPDX-License-Identifier: Apache-2.0
#include "worker/profiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "userfiles/onnx_graph.h"

namespace ngb::worker {
namespace {

// Returns the indices of the middle half of the values.
std::vector<std::size_t> middle_half(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const std::size_t quarter = order.size() / 4;
  return {order.begin() + static_cast<std::ptrdiff_t>(quarter), order.end() - static_cast<std::ptrdiff_t>(quarter)};
}

double mean_of(const std::vector<double>& values, const std::vector<std::size_t>& chosen) {
  double sum = 0;
  for (const std::size_t each : chosen) sum += values[each];
  return chosen.empty() ? 0 : sum / static_cast<double>(chosen.size());
}

// Returns whether two kernels are the same one: sessions of one library may number their names anew.
bool are_alike(const samples::Kernel& a, const samples::Kernel& b) {
  return a.kind == b.kind && a.nodes == b.nodes && a.outputs == b.outputs && a.found_by == b.found_by;
}

// Kernels that are alike have the same key.
std::string key_of(const samples::Kernel& kernel) {
  std::string key = kernel.kind + '\n' + kernel.found_by;
  for (const std::string& node : kernel.nodes) key += '\n' + node;
  for (const std::string& output : kernel.outputs) key += "\n>" + output;
  return key;
}

samples::Failure too_unlike(std::size_t first, std::size_t all) {
  samples::Failure failure;
  failure.kind = samples::FailureKind::no_profile;
  failure.message = fmt::format(
      "inferences have unlike kernels: the first one {}, and all together more than {}, so their times have no "
      "mean",
      first, all);
  return failure;
}

}  // namespace

std::size_t ProfilingRepeater::repeat(std::uint32_t inferences, const Times& times,
                                      std::span<std::int64_t> latencies_ns) {
  if (!is_on_) return repeater_.repeat(inferences, times, latencies_ns);
  const std::size_t completed = repeater_.repeat(inferences, times, latencies_ns);
  if (completed < times.walls_ns.size()) return completed;
  return profile(inferences, times) ? completed : 0;
}

bool ProfilingRepeater::profile(std::uint32_t inferences, const Times& plain) {
  if (const Attempt<Done> begun = session_.begin_profile(); !begun) {
    failure_ = begun.error();
    return false;
  }
  const std::size_t count = plain.walls_ns.size();
  std::vector<std::int64_t> walls_ns(count);
  std::vector<std::int64_t> begins_ns(count);
  ngb_status status = NGB_OK;
  if (run_repetitions(session_.target(&uncounted_), inferences, {walls_ns, begins_ns}, &status) < count) {
    failure_ = session_.failure(status);
    return false;
  }
  Sample sample{.plain_begin_ns = plain.begins_ns.front(),
                .inferences = inferences * static_cast<std::uint32_t>(count)};
  for (const std::int64_t each : walls_ns) sample.wall_ns += each;
  Attempt<Session::Kernels> told = session_.end_profile(sample.inferences);
  if (!told) {
    failure_ = told.error();
    return false;
  }
  if (samples_.empty()) {
    kernels_ = std::move(told->kernels);
    first_count_ = kernels_.size();
    sample.kernel_ns = std::move(told->ns);
  } else if (!add(std::move(*told), sample.kernel_ns)) {
    failure_ = too_unlike(first_count_, kernels_.size());
    return false;
  }
  samples_.push_back(std::move(sample));
  return true;
}

bool ProfilingRepeater::add(Session::Kernels told, std::vector<double>& kernel_ns) {
  if (std::equal(told.kernels.begin(), told.kernels.end(), kernels_.begin(), kernels_.end(), are_alike)) {
    kernel_ns = std::move(told.ns);
    return true;
  }
  std::map<std::string, std::vector<std::size_t>>
      unused;  // places in kernels_ of the kernels of each key, the last first
  for (std::size_t i = kernels_.size(); i-- > 0;) unused[key_of(kernels_[i])].push_back(i);
  std::vector<std::size_t> places;
  for (samples::Kernel& kernel : told.kernels) {
    std::vector<std::size_t>& alike = unused[key_of(kernel)];
    if (!alike.empty()) {
      places.push_back(alike.back());
      alike.pop_back();
      continue;
    }
    if (kernels_.size() >= 2 * first_count_) return false;
    const std::size_t at = places.empty() ? 0 : places.back() + 1;
    const auto here = static_cast<std::ptrdiff_t>(at);
    const auto move_on = [at](std::size_t& place) { place += place >= at ? 1U : 0U; };
    std::for_each(places.begin(), places.end(), move_on);
    for (auto& [key, others] : unused) std::for_each(others.begin(), others.end(), move_on);
    kernels_.insert(kernels_.begin() + here, std::move(kernel));
    for (Sample& each : samples_) each.kernel_ns.insert(each.kernel_ns.begin() + here, 0);
    places.push_back(at);
  }
  kernel_ns.assign(kernels_.size(), 0);
  for (std::size_t i = 0; i < places.size(); ++i) kernel_ns[places[i]] = told.ns[i];
  return true;
}

double ProfilingRepeater::least_of(const std::vector<const Sample*>& samples, std::size_t kernel) {
  double least_ns = 0;
  for (const Sample* const each : samples) {
    const double ns = each->kernel_ns[kernel];
    if (ns > 0 && (least_ns == 0 || ns < least_ns)) least_ns = ns;  // one that a turn did not call has no time
  }
  return least_ns;
}

Result<samples::KernelProfile> ProfilingRepeater::profile(std::span<const samples::Repetition> repetitions,
                                                          const std::string& model_path,
                                                          std::span<const TensorSignature> inputs) const {
  std::set<std::int64_t> begins;
  std::vector<double> plain_ns;
  for (const samples::Repetition& each : repetitions) {
    if (each.is_warm_up || !each.started_ns) continue;
    begins.insert(*each.started_ns);
    plain_ns.push_back(static_cast<double>(each.wall_ns) / each.inferences);
  }
  std::vector<const Sample*> used;
  std::vector<double> walls_ns;
  for (const Sample& each : samples_) {
    if (!begins.contains(each.plain_begin_ns)) continue;
    used.push_back(&each);
    walls_ns.push_back(static_cast<double>(each.wall_ns) / each.inferences);
  }
  const std::vector<std::size_t> middle = middle_half(walls_ns);
  samples::KernelProfile made{.kernels = kernels_, .kernel_ns = std::vector<double>(kernels_.size(), 0)};
  made.profiled_ns = mean_of(walls_ns, middle);
  made.plain_ns = mean_of(plain_ns, middle_half(plain_ns));
  for (const std::size_t each : middle) {
    made.inferences += used[each]->inferences;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      made.kernel_ns[i] += used[each]->kernel_ns[i] / static_cast<double>(middle.size());
    }
  }
  for (std::size_t i = 0; i < kernels_.size(); ++i) made.least_ns.push_back(least_of(used, i));
  if (model_path.empty()) return made;
  auto graph = userfiles::read_graph(model_path, inputs);
  if (!graph) return error_of(graph);
  if (std::max(graph->size(), kernels_.size()) > samples::kMostKernels) {
    return fail(fmt::format("a profile holds {} kernels and nodes at most, and the model has {} and {}",
                            samples::kMostKernels, kernels_.size(), graph->size()));
  }
  made.graph = *std::move(graph);
  return made;
}

}  // namespace ngb::worker

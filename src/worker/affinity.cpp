// SPDX-License-Identifier: Apache-2.0
#include "worker/affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/processors.h"
#include "probe/probe.h"

namespace ngb::worker {

std::string cpu_list(std::span<const int> cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end - 1]);
    i = end;
  }
  return text;
}

Result<std::string> pin_to_cpus(int threads, int instance, int instances) {
  const std::vector<int> allowed = probe::allowed_cpus();
  // If the agent has already chosen the processors of a worker with one instance, nothing is read from /sys within the
  // open phase.
  const bool are_chosen = allowed.size() <= static_cast<std::size_t>(std::max(threads, 1));
  std::vector<int> chosen = are_chosen ? allowed : choose_cpus(allowed, cores_of(allowed), threads * instances);
  if (instances > 1) chosen = part_of_cpus(chosen, cores_of(chosen), instance, instances);
  if (chosen.empty()) return fail("no processor is allowed", "affinity");
  if (!confine(0, chosen)) {
    return tl::unexpected(file::from_errno("pin to processors " + cpu_list(chosen), "affinity", errno));
  }
  return cpu_list(probe::allowed_cpus());
}

std::optional<Error> too_few_processors(const work::Compiler& compiler, std::size_t processors) {
  if (static_cast<std::size_t>(work::needed_processors(compiler)) <= processors) return std::nullopt;
  const std::string more = fmt::format("more than the {} processors that the device lets a process use", processors);
  if (compiler.instances == 1) {
    return Error{fmt::format("{} threads are {}", compiler.threads, more), "threads",
                 fmt::format("give at most {} threads in the study, or threads: all", processors)};
  }
  return Error{fmt::format("{} instances of {} thread{} need {} processors, {}", compiler.instances, compiler.threads,
                           compiler.threads == 1 ? "" : "s", work::needed_processors(compiler), more),
               "instances", "give fewer instances or threads in the study"};
}

}  // namespace ngb::worker

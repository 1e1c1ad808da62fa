// SPDX-License-Identifier: Apache-2.0
// How many threads a compiler has on a device, and how many processors its instances need.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/keys/value.h"
#include "config/sections.h"
#include "work/own_processors.h"

namespace ngb::config {

void set_threads(work::Compiler& compiler, const nlohmann::json& value, const std::optional<Processors>& processors) {
  compiler.threads_asked = value.is_string() ? value.get<std::string>() : "";
  if (value.is_number()) {
    compiler.threads = value.get<int>();
  } else {
    const Processors here = processors.value_or(Processors{});
    int count = value == work::kAllThreads ? here.all : here.physical;
    if (!here.each.empty() && compiler.processors != work::kChosenProcessors)
      count = work::threads_meant(compiler.threads_asked, work::usable_by(compiler, here.each), here.all);
    compiler.threads = work::threads_of_each(count, compiler);
  }
}

work::Compiler on_device(const Study& study, const DeviceEntry& device, const work::Compiler& compiler) {
  work::Compiler there = compiler;
  const bool has_own = device.threads.empty() || study.own_threads.contains(compiler.label);
  if (!has_own) set_threads(there, json_of(device.threads), study.processors);
  return there;
}

std::optional<std::string> too_many_threads(const Study& study, const DeviceEntry& device,
                                            const work::Compiler& compiler) {
  const auto& chosen = device.compilers;
  if (std::find(chosen.begin(), chosen.end(), compiler.label) == chosen.end()) return std::nullopt;
  const work::Compiler there = on_device(study, device, compiler);
  if (compiler.processors != work::kChosenProcessors && !study.processors->each.empty()) {
    const Result<std::vector<int>> own = work::own_processors(there, study.processors->each);
    return own ? std::nullopt : std::optional(own.error().what + "; " + own.error().next);
  }
  const int threads = there.threads;
  const int processors = study.processors->all;
  if (work::needed_processors(there) <= processors) return std::nullopt;
  if (there.instances > 1) {
    return fmt::format(
        "{} instances of {} thread{} need {} processors, more than the {} that {} lets a process use; give fewer "
        "instances or threads",
        there.instances, threads, threads == 1 ? "" : "s", work::needed_processors(there), processors, device.name);
  }
  return fmt::format("{} threads are more than the {} processors that {} lets a process use; give at most {}, or all",
                     threads, processors, device.name, processors);
}

}  // namespace ngb::config

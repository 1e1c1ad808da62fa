// SPDX-License-Identifier: Apache-2.0
#include "work/own_processors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/processors.h"

namespace ngb::work {
namespace {

Result<std::vector<int>> chosen_by_study(const Compiler& compiler, const std::vector<LogicalProcessor>& allowed) {
  const Result<ProcessorChoice> choice = parse_processor_choice(compiler.processors);
  return choice ? processors_meant(*choice, allowed) : error_of(choice);
}

std::vector<int> chosen_for_threads(int threads, const std::vector<LogicalProcessor>& allowed) {
  std::vector<int> numbers;
  std::vector<int> cores;
  for (const LogicalProcessor& each : allowed) {
    numbers.push_back(each.number);
    cores.push_back(each.core);
  }
  return choose_cpus(numbers, cores, threads);
}

}  // namespace

Result<std::vector<int>> own_processors(const Compiler& compiler, const std::vector<LogicalProcessor>& allowed) {
  const int needed = needed_processors(compiler);
  if (compiler.processors == kChosenProcessors) return chosen_for_threads(needed, allowed);
  Result<std::vector<int>> own = chosen_by_study(compiler, allowed);
  if (!own || own->size() >= static_cast<std::size_t>(needed)) return own;
  const std::string several = compiler.instances > 1 ? fmt::format("{} instances of ", compiler.instances) : "";
  return fail(fmt::format("{}{} thread{} need {} processors, and {} means {} here: {}", several, compiler.threads,
                          compiler.threads == 1 ? "" : "s", needed, compiler.processors, own->size(), cpu_list(*own)),
              "processors", "give fewer threads or instances, or more processors");
}

int threads_meant(std::string_view word, const std::vector<LogicalProcessor>& on, int most) {
  std::set<int> cores;
  for (const LogicalProcessor& each : on) cores.insert(each.core);
  const std::size_t count = word == kAllThreads ? on.size() : cores.size();
  return std::max(1, std::min(static_cast<int>(count), most));
}

std::vector<LogicalProcessor> usable_by(const Compiler& compiler, const std::vector<LogicalProcessor>& allowed) {
  if (compiler.processors == kChosenProcessors) return allowed;
  const Result<std::vector<int>> own = chosen_by_study(compiler, allowed);
  if (!own) return allowed;
  std::vector<LogicalProcessor> usable;
  std::copy_if(allowed.begin(), allowed.end(), std::back_inserter(usable),
               [&](const LogicalProcessor& each) { return std::binary_search(own->begin(), own->end(), each.number); });
  return usable;
}

}  // namespace ngb::work

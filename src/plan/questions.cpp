// SPDX-License-Identifier: Apache-2.0
#include "plan/questions.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace ngb::plan {
namespace {

using work::Compiler;
using Fits = std::function<bool(const Compiler&)>;

// Says which compilers the baseline's words mean. A label comes before a version, and a version before a name.
struct MeantBaseline {
  Fits fits{};
  bool is_label = false;
};

MeantBaseline baseline_meant_by(const std::string& words, const std::vector<Compiler>& compilers) {
  const std::array<Fits, 3> kinds{[&](const Compiler& each) { return each.label == words; },
                                  [&](const Compiler& each) { return each.name + "@" + each.version == words; },
                                  [&](const Compiler& each) { return each.name == words; }};
  for (std::size_t i = 0; i + 1 < kinds.size(); ++i) {
    if (std::any_of(compilers.begin(), compilers.end(), kinds[i])) return {kinds[i], i == 0};
  }
  return {kinds.back(), false};
}

std::string device_option(const Compiler& compiler) {
  const auto option = std::find_if(compiler.options.begin(), compiler.options.end(),
                                   [](const auto& each) { return each.first == "device"; });
  return option == compiler.options.end() ? "" : option->second;
}

std::set<int> cells_in(const work::Group& group) {
  std::set<int> cells;
  for (const work::Step& step : group.steps) cells.insert(step.cell_index);
  return cells;
}

// Returns the cell's baselines, which have its load: the first of each device.
std::vector<int> baselines_of(int cell, const std::set<int>& candidates, const work::Lists& lists, bool is_label) {
  const auto compiler = [&](int index) -> const Compiler& {
    return lists.compiler_of(lists.cells[static_cast<std::size_t>(index)]);
  };
  const auto load = [&](int index) { return lists.cells[static_cast<std::size_t>(index)].load_index; };
  enum class Alike { threads_and_instances, threads, neither };
  for (const Alike alike : {Alike::threads_and_instances, Alike::threads, Alike::neither}) {
    if (alike == Alike::neither && !is_label) break;
    std::map<std::string, int> first;
    for (const int each : candidates) {
      if (load(each) != load(cell)) continue;
      const bool has_threads = asked_threads(compiler(each)) == asked_threads(compiler(cell));
      const bool has_instances = compiler(each).instances == compiler(cell).instances;
      if (alike != Alike::neither && !has_threads) continue;
      if (alike == Alike::threads_and_instances && !has_instances) continue;
      first.emplace(device_option(compiler(each)), each);
    }
    std::vector<int> found;
    for (const auto& [device, each] : first) found.push_back(each);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

void add_questions(work::Lists& lists, const std::string& baseline) {
  const MeantBaseline meant = baseline_meant_by(baseline, lists.compilers);
  for (work::Group& group : lists.groups) {
    const std::set<int> cells = cells_in(group);
    std::set<int> candidates;
    for (const int cell : cells) {
      if (meant.fits(lists.compiler_of(lists.cells[static_cast<std::size_t>(cell)]))) candidates.insert(cell);
    }
    for (const int cell : cells) {
      const std::vector<int> baselines = baselines_of(cell, candidates, lists, meant.is_label);
      const bool is_one_itself = std::find(baselines.begin(), baselines.end(), cell) != baselines.end();
      for (const int each : baselines) {
        if (!is_one_itself) group.questions.push_back({cell, each});
      }
    }
  }
}

}  // namespace ngb::plan

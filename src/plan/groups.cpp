// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>

#include "base/hash.h"
#include "base/random.h"
#include "plan/groups.h"
#include "work/baseline.h"

namespace ngb::plan {

namespace {

std::uint64_t seed_of(const work::Group& group, const work::Model& model, std::uint64_t seed) {
  const std::string text = fmt::format("{} {} {} {}", seed, group.device, model.key.hash, model.key.batch);
  return std::strtoull(hash::sha256(text).substr(0, 16).c_str(), nullptr, 16);
}

void add_rounds(work::Group& group, const std::vector<int>& cells, int processes, std::uint64_t seed) {
  SplitMix64 random(seed);
  for (int process = 0; process < processes; ++process) {
    std::vector<int> round = cells;
    shuffle(round, random);
    for (const int cell : round) group.steps.push_back({.cell_index = cell, .process_index = process});
  }
}

}  // namespace

std::vector<work::Group> order(const std::vector<work::Model>& models, const std::vector<work::Cell>& cells,
                               int processes, std::uint64_t seed) {
  std::vector<work::Group> groups;
  for (std::size_t begin = 0; begin < cells.size();) {
    work::Group group{.device = cells[begin].device, .model_index = cells[begin].model_index};
    std::vector<int> members;
    std::size_t end = begin;
    for (; end < cells.size() && cells[end].device == group.device && cells[end].model_index == group.model_index;
         ++end) {
      members.push_back(static_cast<int>(end));
    }
    const work::Model& model = models[static_cast<std::size_t>(group.model_index)];
    add_rounds(group, members, processes, seed_of(group, model, seed));
    groups.push_back(std::move(group));
    begin = end;
  }
  SplitMix64 random(seed);
  shuffle(groups, random);
  return groups;
}

namespace {

using work::Compiler;

// Returns the device that the options name, JSON text; "" without one. Which compute device that is will be known once
// the cell was measured.
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

// The cells of a group that the baseline's words mean.
class Baselines {
 public:
  Baselines(const work::Lists& lists, const std::set<int>& cells, const std::string& words, work::BaselineKind kind)
      : lists_(lists), is_one_setting_(kind == work::BaselineKind::label) {
    for (const int cell : cells) {
      const work::Configuration of = configuration_of(cell);
      if (!work::is_called(kind, words, of.compiler)) continue;
      const std::string device = device_option(of.compiler);
      candidates_.add(of, {&device, 1}, static_cast<std::size_t>(cell));
      devices_.insert(device);
    }
  }

  // Returns the cell's baselines: the best of each device.
  [[nodiscard]] std::set<int> of(int cell) const {
    std::set<int> found;
    for (const std::string& device : devices_) {
      const auto best = candidates_.best_for(configuration_of(cell), {&device, 1}, is_one_setting_);
      if (best) found.insert(static_cast<int>(*best));
    }
    return found;
  }

 private:
  [[nodiscard]] work::Configuration configuration_of(int cell) const {
    return lists_.configuration_of(lists_.cells[static_cast<std::size_t>(cell)]);
  }

  const work::Lists& lists_;
  bool is_one_setting_;
  work::BaselineCandidates candidates_{};
  std::set<std::string> devices_{};
};

}  // namespace

void add_questions(work::Lists& lists, const std::string& baseline) {
  const work::BaselineKind kind = work::kind_of_baseline(baseline, lists.compilers, std::identity());
  for (work::Group& group : lists.groups) {
    const std::set<int> cells = cells_in(group);
    const Baselines baselines(lists, cells, baseline, kind);
    for (const int cell : cells) {
      const std::set<int> found = baselines.of(cell);
      if (found.contains(cell)) continue;
      for (const int each : found) group.questions.push_back({cell, each});
    }
  }
}

void keep_cells(work::Lists& lists, const std::set<std::string>& ids) {
  constexpr int kGone = -1;
  std::vector<int> places;  // of each cell, among those that are kept
  std::vector<work::Cell> kept;
  for (work::Cell& cell : lists.cells) {
    const bool stays = ids.contains(cell.id);
    places.push_back(stays ? static_cast<int>(kept.size()) : kGone);
    if (stays) kept.push_back(std::move(cell));
  }
  lists.cells = std::move(kept);
  const auto place_of = [&places](int cell) { return places[static_cast<std::size_t>(cell)]; };
  for (work::Group& group : lists.groups) {
    std::erase_if(group.steps, [&](const work::Step& step) { return place_of(step.cell_index) == kGone; });
    for (work::Step& step : group.steps) step.cell_index = place_of(step.cell_index);
    std::erase_if(group.questions, [&](const work::Question& question) {
      return place_of(question.cell_index) == kGone || place_of(question.baseline_index) == kGone;
    });
    for (work::Question& question : group.questions) {
      question = {place_of(question.cell_index), place_of(question.baseline_index)};
    }
  }
  std::erase_if(lists.groups, [](const work::Group& group) { return group.steps.empty(); });
}

}  // namespace ngb::plan

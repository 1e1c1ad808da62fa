// SPDX-License-Identifier: Apache-2.0
#include "plan/order.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/hash.h"
#include "base/random.h"

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

}  // namespace ngb::plan

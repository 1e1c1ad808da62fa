// SPDX-License-Identifier: Apache-2.0
#include "explain/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "explain/difference.h"
#include "explain/fusions.h"
#include "explain/ownership.h"
#include "metrics/comparison.h"
#include "metrics/series/workload.h"
#include "metrics/settings.h"

namespace ngb::explain {

namespace {

using samples::KernelProfile;
using store::CellData;

constexpr std::string_view kWithinBlock = "Conv+BatchNormalization+Relu";

// Returns the block in which a node is: its name up to the first part that is a number ("blocks.3" of
// "blocks.3.conv"); "" if it has none.
std::string block_in(const std::string& node) {
  std::string path;
  std::string separated = node;
  std::replace(separated.begin(), separated.end(), '/', '.');
  for (const std::string& part : text::split(separated, '.')) {
    path += (path.empty() ? "" : ".") + part;
    const bool is_number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) return path;
  }
  return {};
}

std::size_t count_across(const KernelProfile& profile) {
  const Graph graph = graph_of(profile);
  const Ownership owners = find_owners(graph, profile.kernels);
  return static_cast<std::size_t>(
      std::count_if(owners.nodes.begin(), owners.nodes.end(), [&](const std::vector<std::size_t>& nodes) {
        std::set<std::string> blocks;
        for (const std::size_t node : nodes) {
          const std::string block = is_light(graph[node].type) ? std::string() : block_in(graph[node].name);
          if (!block.empty()) blocks.insert(block);
        }
        return blocks.size() > 1;
      }));
}

std::optional<DepthPoint> point_of(const CellData& cell, int depth) {
  DepthPoint point{.cell = &cell, .depth = depth};
  double profiled_ns = 0;
  for (const store::RecordedProcess& process : cell.processes) {
    if (!process.profile) continue;
    const KernelProfile& profile = *process.profile;
    if (point.plain_ns.empty()) {
      const Fusions fusions = fusions_of(profile);
      point.kernels = fusions.kernels;
      point.with_nodes = fusions.with_nodes;
      point.across_blocks = count_across(profile);
      for (const PatternCount& each : fusions.patterns) {
        if (each.pattern != kWithinBlock) continue;
        point.fused = each.fused;
        point.there = each.there;
      }
    }
    const double in_kernels = std::accumulate(profile.kernel_ns.begin(), profile.kernel_ns.end(), 0.0);
    point.outside_ns.push_back(profile.profiled_ns - in_kernels);
    point.plain_ns.push_back(profile.plain_ns);
    profiled_ns += profile.profiled_ns;
  }
  const double plain_ns = std::accumulate(point.plain_ns.begin(), point.plain_ns.end(), 0.0);
  if (plain_ns > 0) point.cost_ratio = profiled_ns / plain_ns - 1;
  return point.plain_ns.empty() ? std::nullopt : std::optional(std::move(point));
}

statistics::Contrast for_a_block(const std::vector<double>& values_ns, int depth) {
  const statistics::Part part{values_ns, 1.0 / depth};
  return statistics::contrast({&part, 1});
}

}  // namespace

statistics::Contrast DepthPoint::outside_ns_per_block() const { return for_a_block(outside_ns, depth); }
statistics::Contrast DepthPoint::plain_ns_per_block() const { return for_a_block(plain_ns, depth); }

std::vector<Stack> stacks_of(std::span<const CellData* const> cells) {
  using namespace metrics::series;
  const metrics::Settings settings(cells);
  std::vector<Stack> stacks;
  for (const CellData* const cell : cells) {
    const std::optional<Block> block = block_of(*cell);
    if (!block || block->depth < 1) continue;
    std::optional<DepthPoint> point = point_of(*cell, block->depth);
    if (!point) continue;
    Stack stack{.name = block->name,
                .family = cell->of.model.family,
                .device = name_of_place(*cell),
                .compiler = metrics::compiler_of(*cell),
                .setting = place_of(*cell) + '\n' + settings.of(*cell),
                .batch = cell->of.model.key.batch};
    auto place = std::find_if(stacks.begin(), stacks.end(), [&](const Stack& each) {
      return each.name == stack.name && each.batch == stack.batch && each.setting == stack.setting;
    });
    if (place == stacks.end()) place = stacks.insert(stacks.end(), std::move(stack));
    place->depths.push_back(*std::move(point));
  }
  for (Stack& each : stacks) {
    std::stable_sort(each.depths.begin(), each.depths.end(),
                     [](const DepthPoint& a, const DepthPoint& b) { return a.depth < b.depth; });
  }
  return stacks;
}

}  // namespace ngb::explain

// SPDX-License-Identifier: Apache-2.0
#include "report/explain/pictures.h"

#include <algorithm>
#include <map>

#include "explain/ownership.h"

namespace ngb::report {
namespace {

std::vector<OperatorTime> sorted(const std::map<std::string, double>& times) {
  std::vector<OperatorTime> all;
  for (const auto& [type, ns] : times) all.push_back({type, ns});
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return all;
}

}  // namespace

std::vector<OperatorTime> times_by_operator(const samples::KernelProfile& profile) {
  const explain::Graph graph = explain::graph_of(profile);
  const explain::Ownership owners = explain::find_owners(graph, profile.kernels);
  std::map<std::string, double> times;
  double outside_ns = profile.profiled_ns;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const std::vector<std::size_t>& nodes = owners.nodes[i];
    std::string type = "no node";
    if (!nodes.empty()) {
      const auto heavy = std::find_if(nodes.begin(), nodes.end(),
                                      [&](std::size_t node) { return !explain::is_light(graph[node].type); });
      type = graph[heavy == nodes.end() ? nodes.front() : *heavy].type;
    }
    times[type.empty() ? "module" : type] += profile.kernel_ns[i];
    outside_ns -= profile.kernel_ns[i];
  }
  if (outside_ns > 0) times[kOutsideOperators] = outside_ns;
  return sorted(times);
}

std::vector<std::string> operators_by_time(const std::vector<std::vector<OperatorTime>>& lists) {
  std::map<std::string, double> sums;
  for (const std::vector<OperatorTime>& list : lists) {
    for (const OperatorTime& each : list) sums[each.type] += each.ns;
  }
  std::vector<std::string> types;
  for (const OperatorTime& each : sorted(sums)) types.push_back(each.type);
  return types;
}

std::vector<WaterfallStep> waterfall_of(const explain::Explanation& found, std::size_t most) {
  std::vector<WaterfallStep> steps;
  double sum = 0;
  for (const explain::RegionDifference& region : found.regions) {
    if (steps.size() == most) break;
    steps.push_back({region.label, sum, sum + region.difference.estimate, &region});
    sum += region.difference.estimate;
  }
  steps.push_back({"other regions, outside operators, not explained", sum, found.plain.estimate});
  return steps;
}

}  // namespace ngb::report

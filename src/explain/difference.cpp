// SPDX-License-Identifier: Apache-2.0
#include "explain/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "base/text.h"
#include "explain/ownership.h"
#include "explain/regions.h"
#include "explain/side_profiles.h"
#include "explain/work.h"
#include "statistics/distributions.h"
#include "statistics/verdict.h"

namespace ngb::explain {
namespace {

using samples::KernelProfile;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double mean_over(const std::vector<const KernelProfile*>& profiles,
                 const std::function<double(const KernelProfile&)>& value) {
  std::vector<double> values;
  for (const KernelProfile* const each : profiles) values.push_back(value(*each));
  return statistics::mean(values);
}

SideTimes times_of_side(const SideProfiles& side) {
  const auto& profiles = side.profiles();
  return {.plain = mean_over(profiles, [](const KernelProfile& each) { return each.plain_ns; }),
          .profiled = mean_over(profiles, [](const KernelProfile& each) { return each.profiled_ns; }),
          .operators = mean_over(profiles, [](const KernelProfile& each) { return sum(each.kernel_ns); }),
          .kernels = profiles.front()->kernels.size()};
}

statistics::Contrast contrast_of(std::vector<double> differences) {
  const statistics::Part part{std::move(differences)};
  return statistics::contrast({&part, 1});
}

// Returns the contrast of candidate - baseline over rounds.
statistics::Contrast difference_of(std::span<const Round> rounds,
                                   const std::function<double(const KernelProfile&)>& value) {
  std::vector<double> differences;
  for (const Round& round : rounds) differences.push_back(value(*round.candidate) - value(*round.baseline));
  return contrast_of(std::move(differences));
}

// Returns the p value of the two-sided t test; 0 or 1 if nothing varies.
std::optional<double> p_of(const statistics::Contrast& found) {
  if (!found.standard_error) return std::nullopt;
  if (*found.standard_error == 0) return found.estimate == 0 ? 1 : 0;
  const double t = std::fabs(found.estimate) / *found.standard_error;
  return std::min(1.0, 2 * statistics::students_t_exceeds(found.degrees.value_or(0), t).value_or(0.5));
}

void adjust(std::vector<RegionDifference>& regions) {
  std::vector<double> p_values;
  std::vector<double> undisturbed;
  for (const RegionDifference& region : regions) {
    if (const auto p = p_of(region.difference)) p_values.push_back(*p);
    if (const auto p = region.undisturbed ? p_of(*region.undisturbed) : std::nullopt) undisturbed.push_back(*p);
  }
  const auto set = [&regions](const std::vector<double>& values, std::optional<double> RegionDifference::* p) {
    if (values.size() < regions.size()) return;
    const std::vector<double> adjusted = statistics::holm_adjusted(values);
    for (std::size_t i = 0; i < regions.size(); ++i) regions[i].*p = adjusted[i];
  };
  set(p_values, &RegionDifference::p);
  set(undisturbed, &RegionDifference::undisturbed_p);
}

KernelUse& find_or_add(std::vector<KernelUse>& uses, const std::string& name, const std::string& kind) {
  const auto use = std::find_if(uses.begin(), uses.end(),
                                [&](const KernelUse& each) { return each.name == name && each.kind == kind; });
  return use == uses.end() ? uses.emplace_back(KernelUse{name, kind}) : *use;
}

// Adds the kernels of the side's first round to the regions' lists. Their times are means over the rounds that have the
// same kernels.
void add_kernels(const SideProfiles& side, const Regions& regions, std::vector<RegionDifference>& differences,
                 std::vector<KernelUse> RegionDifference::* list) {
  const KernelProfile& first = *side.profiles().front();
  for (std::size_t i = 0; i < first.kernels.size(); ++i) {
    const auto region = regions.of_kernel(side.owners_of(0), i);
    if (!region) continue;
    std::vector<double> times;
    for (const KernelProfile* const each : side.profiles()) {
      if (each->kernels == first.kernels) times.push_back(each->kernel_ns[i]);
    }
    KernelUse& use = find_or_add(differences[*region].*list, first.kernels[i].name, first.kernels[i].kind);
    ++use.calls;
    use.ns += statistics::mean(times);
  }
}

// Returns how many nodes it has without those that a quantised file has around every operator.
std::size_t size_without_scales(const Graph& graph) {
  std::size_t count = 0;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    count += graph[node].type == "QuantizeLinear" || graph[node].type == "DequantizeLinear" ? 0U : 1U;
  }
  return count;
}

// Sides whose models share fewer names of nodes than half of either cannot be compared node by node. A quantised file
// has its exact model's normalisations and activations in its operators and scales, so that half of its own nodes will
// do.
Status check_graphs(const Graph& baseline, const Graph& candidate, const SideNames& names) {
  const std::size_t shared = shared_nodes(baseline, candidate);
  const std::size_t of_baseline = size_without_scales(baseline);
  const std::size_t of_candidate = size_without_scales(candidate);
  const bool is_quantised = of_baseline < baseline.size() || of_candidate < candidate.size();
  const auto [smaller, larger] = std::minmax(of_baseline, of_candidate);
  if (2 * shared >= (is_quantised ? smaller : larger)) return Done{};
  return fail(fmt::format("{} and {} are not of one graph: of {} and {} nodes, {} have the same names", names.baseline,
                          names.candidate, baseline.size(), candidate.size(), shared),
              {}, "compare two sides that have the same model, or one that was changed in a few nodes");
}

Status check_shares(const Regions& regions, const std::vector<std::vector<double>>& rounds, const std::string& side) {
  for (std::size_t i = 0; i < regions.all.size(); ++i) {
    double of_region = 0;
    double of_all = 0;
    for (const std::vector<double>& times : rounds) {
      of_region += times[i];
      of_all += sum(times);
    }
    const std::size_t nodes = regions.all[i].nodes.size();
    if (nodes <= kMostNodes || of_region <= kMostShare * of_all) continue;
    return fail(
        fmt::format("{:.0f} % of the time of {} is in one region of {} nodes ({}), so a table would explain nothing",
                    100 * of_region / of_all, side, nodes, regions.all[i].label),
        {}, "the kernels of one side stand for too many nodes; compare it with another compiler");
  }
  return Done{};
}

// Returns the graph of one side. A side whose model has no file is looked up in the other side's; without any file,
// the paths that either of them names are the nodes.
Graph graph_of_side(std::span<const Round> rounds, const KernelProfile* Round::* side,
                    const KernelProfile* Round::* other) {
  const KernelProfile& own = *(rounds.front().*side);
  const KernelProfile& others = *(rounds.front().*other);
  if (!own.graph.empty() || !others.graph.empty()) return Graph(own.graph.empty() ? others.graph : own.graph);
  Graph graph = graph_of(*rounds.front().baseline);
  for (const Round& round : rounds) {
    for (const KernelProfile* const each : {round.baseline, round.candidate}) {
      for (const samples::Kernel& kernel : each->kernels) {
        for (const std::string& path : kernel.nodes) graph.add_path(path);
      }
    }
  }
  return graph;
}

// Returns the nodes of which the work is told: those of the baseline's file, or none if the candidate has another
// model.
std::span<const work::GraphNode> nodes_of(const Round& round) {
  const auto& own = round.baseline->graph;
  const auto& others = round.candidate->graph;
  if (own.empty()) return others;
  return others.empty() || others == own ? std::span<const work::GraphNode>(own) : std::span<const work::GraphNode>();
}

// Regions of which the times are added.
struct Group {
  std::string label{};
  std::vector<std::size_t> regions{};
};

std::vector<Group> each_alone(const Regions& regions) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < regions.all.size(); ++i) groups.push_back({regions.all[i].label, {i}});
  return groups;
}

// "MatMul+Add+Gelu ×12"; of more than four operators "MatMul+Add+Reshape+Transpose+8 ×12".
std::string label_of_alike(const std::string& operators, std::size_t count) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> types = text::split(operators, '+');
  if (const std::size_t all = types.size(); all > kNamed) {
    types.resize(kNamed);
    types.push_back(std::to_string(all - kNamed));
  }
  return fmt::format("{} ×{}", text::join(types, "+"), count);
}

std::vector<Group> with_like_operators(const Regions& regions) {
  std::map<std::string, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < regions.all.size(); ++i) {
    if (!regions.all[i].operators.empty()) found[regions.all[i].operators].push_back(i);
  }
  std::vector<Group> groups;
  for (auto& [operators, members] : found) {
    if (members.size() < 2) continue;
    std::string label = label_of_alike(operators, members.size());
    groups.push_back({std::move(label), std::move(members)});
  }
  return groups;
}

double sum_of(const std::vector<double>& times, const std::vector<std::size_t>& regions) {
  double total = 0;
  for (const std::size_t region : regions) total += times[region];
  return total;
}

// A side's times of each region, in each round.
using TimesOfRounds = std::vector<std::vector<double>>;

// Those of both sides.
struct RegionTimes {
  TimesOfRounds baseline{};
  TimesOfRounds candidate{};
  TimesOfRounds least_of_baseline{};  // none if a profile has none
  TimesOfRounds least_of_candidate{};

  RegionTimes(const Regions& regions, const SideProfiles& of_baseline, const SideProfiles& of_candidate)
      : baseline(of_baseline.times(regions, &KernelProfile::kernel_ns)),
        candidate(of_candidate.times(regions, &KernelProfile::kernel_ns)),
        least_of_baseline(of_baseline.times(regions, &KernelProfile::least_ns)),
        least_of_candidate(of_candidate.times(regions, &KernelProfile::least_ns)) {}
};

std::vector<double> sums_of(const TimesOfRounds& rounds, const std::vector<std::size_t>& regions) {
  std::vector<double> sums;
  for (const std::vector<double>& times : rounds) sums.push_back(sum_of(times, regions));
  return sums;
}

statistics::Contrast contrast_of_rounds(const std::vector<double>& before, const std::vector<double>& after) {
  std::vector<double> differences;
  for (std::size_t round = 0; round < before.size(); ++round) differences.push_back(after[round] - before[round]);
  return contrast_of(std::move(differences));
}

std::vector<RegionDifference> differences_of(const Graph& graph, const WorkOfNodes& work, const Regions& regions,
                                             const std::vector<Group>& groups, const RegionTimes& times) {
  std::vector<RegionDifference> found;
  for (const Group& group : groups) {
    RegionDifference made{.label = group.label};
    std::vector<std::size_t> nodes;
    for (const std::size_t region : group.regions) {
      nodes.insert(nodes.end(), regions.all[region].nodes.begin(), regions.all[region].nodes.end());
    }
    for (const std::size_t node : nodes) made.nodes.push_back(graph[node].name);
    const std::vector<double> before = sums_of(times.baseline, group.regions);
    const std::vector<double> after = sums_of(times.candidate, group.regions);
    made.baseline_ns = statistics::mean(before);
    made.candidate_ns = statistics::mean(after);
    made.difference = contrast_of_rounds(before, after);
    if (!times.least_of_baseline.empty() && !times.least_of_candidate.empty()) {
      made.undisturbed = contrast_of_rounds(sums_of(times.least_of_baseline, group.regions),
                                            sums_of(times.least_of_candidate, group.regions));
    }
    made.work = work.of(nodes);
    found.push_back(std::move(made));
  }
  adjust(found);
  return found;
}

// Gives groups the kernels of their regions.
void add_kernels_of_groups(const std::vector<Group>& groups, const std::vector<RegionDifference>& regions,
                           std::vector<RegionDifference>& differences,
                           std::vector<KernelUse> RegionDifference::* list) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<KernelUse>& uses = differences[i].*list;
    for (const std::size_t region : groups[i].regions) {
      for (const KernelUse& each : regions[region].*list) {
        KernelUse& use = find_or_add(uses, each.name, each.kind);
        use.calls += each.calls;
        use.ns += each.ns;
      }
    }
  }
}

void put_largest_first(std::vector<RegionDifference>& differences) {
  std::stable_sort(differences.begin(), differences.end(), [](const RegionDifference& a, const RegionDifference& b) {
    return std::fabs(a.difference.estimate) > std::fabs(b.difference.estimate);
  });
}

}  // namespace

double Explanation::gap_ratio() const {
  const double slower = std::max(baseline.plain, candidate.plain);
  return slower <= 0 ? 0 : std::fabs(operators.estimate - plain.estimate) / slower;
}

bool Explanation::is_same() const {
  const bool is_plain_same = !plain.interval || (plain.interval->low <= 0 && plain.interval->high >= 0);
  return is_plain_same && std::none_of(regions.begin(), regions.end(), [](const auto& each) { return each.is_told(); });
}

Graph graph_of(const KernelProfile& profile) {
  return profile.graph.empty() ? Graph::of_paths(profile.kernels) : Graph(profile.graph);
}

Result<Explanation> explain(std::span<const Round> rounds, const SideNames& names) {
  if (rounds.empty()) {
    return fail(fmt::format("{} and {} have no round in which both were profiled", names.baseline, names.candidate), {},
                "measure both in one study: ngb explain STUDY --baseline A --candidate B");
  }
  const Graph graph = graph_of_side(rounds, &Round::baseline, &Round::candidate);
  const Graph changed = graph_of_side(rounds, &Round::candidate, &Round::baseline);
  if (const Status alike = check_graphs(graph, changed, names); !alike) return error_of(alike);
  std::vector<const KernelProfile*> of_baseline;
  std::vector<const KernelProfile*> of_candidate;
  for (const Round& round : rounds) {
    of_baseline.push_back(round.baseline);
    of_candidate.push_back(round.candidate);
  }
  const SideProfiles baseline(graph, graph, std::move(of_baseline));
  const SideProfiles candidate(changed, graph, std::move(of_candidate));
  for (const auto& [side, name] : {std::pair(&baseline, &names.baseline), std::pair(&candidate, &names.candidate)}) {
    if (side->has_nodes()) continue;
    return fail(fmt::format("{} tells of none of its {} kernels for which node of the model it stands", *name,
                            side->profiles().front()->kernels.size()),
                {}, "ngb explain --fusions lists its kernels");
  }
  std::vector<const Ownership*> all;
  for (const SideProfiles* const side : {&baseline, &candidate}) {
    for (const Ownership& owners : side->owners()) all.push_back(&owners);
  }
  const Regions regions = join(graph, all);
  const RegionTimes times(regions, baseline, candidate);
  if (const Status fine = check_shares(regions, times.baseline, names.baseline); !fine) return error_of(fine);
  if (const Status fine = check_shares(regions, times.candidate, names.candidate); !fine) return error_of(fine);
  const std::vector<Group> alike = with_like_operators(regions);
  const WorkOfNodes work(nodes_of(rounds.front()));
  Explanation made{.rounds = rounds.size(),
                   .regions = differences_of(graph, work, regions, each_alone(regions), times),
                   .alike = differences_of(graph, work, regions, alike, times),
                   .baseline = times_of_side(baseline),
                   .candidate = times_of_side(candidate),
                   .work = work.of_all()};
  for (const Region& region : regions.all) made.nodes += region.nodes.size();
  add_kernels(baseline, regions, made.regions, &RegionDifference::baseline_kernels);
  add_kernels(candidate, regions, made.regions, &RegionDifference::candidate_kernels);
  for (const auto list : {&RegionDifference::baseline_kernels, &RegionDifference::candidate_kernels}) {
    add_kernels_of_groups(alike, made.regions, made.alike, list);
  }
  made.plain = difference_of(rounds, [](const KernelProfile& each) { return each.plain_ns; });
  made.operators = difference_of(rounds, [](const KernelProfile& each) { return sum(each.kernel_ns); });
  made.outside =
      difference_of(rounds, [](const KernelProfile& each) { return each.profiled_ns - sum(each.kernel_ns); });
  made.cost = difference_of(rounds, [](const KernelProfile& each) { return each.profiled_ns - each.plain_ns; });
  put_largest_first(made.regions);
  put_largest_first(made.alike);
  return made;
}

}  // namespace ngb::explain

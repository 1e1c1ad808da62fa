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
#include "metrics/ratios.h"
#include "metrics/series/workload.h"
#include "metrics/settings.h"
#include "statistics/verdict.h"

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

namespace {

using metrics::series::Claim;
using metrics::series::ClaimRow;
using metrics::series::ClaimStatus;
using statistics::Question;
using Stacks = std::vector<const Stack*>;

constexpr const char* kConvolutions = "conv_block";
constexpr const char* kAttention = "mha_block";

// Returns the stacks of each compiler on each device, in the order of their first ones.
std::vector<Stacks> by_setting(std::span<const Stack> stacks) {
  std::vector<Stacks> settings;
  for (const Stack& each : stacks) {
    const auto place = std::find_if(settings.begin(), settings.end(),
                                    [&](const Stacks& known) { return known.front()->setting == each.setting; });
    if (place == settings.end())
      settings.push_back({&each});
    else
      place->push_back(&each);
  }
  return settings;
}

void add_cell(DepthClaimRow& to, const DepthPoint& point) { to.row.cell_ids.push_back(point.cell->cell_id); }

DepthClaimRow not_measured(const Claim& claim, std::string reason) {
  return {.row = {.claim = &claim, .value = {.reason = std::move(reason)}}};
}

DepthClaimRow begun(const Claim& claim, const Stacks& stacks) {
  return {.row = {.claim = &claim, .device = stacks.front()->device, .compiler = stacks.front()->compiler}};
}

// Returns nothing if there is no stack of convolutions, or none of attention with two blocks.
std::optional<DepthClaimRow> fuse_alone(const Claim& claim, const Stacks& stacks) {
  DepthClaimRow made = begun(claim, stacks);
  int fused = 0;
  int there = 0;
  std::size_t across = 0;
  std::size_t kernels = 0;
  for (const Stack* const each : stacks) {
    const DepthPoint& deepest = each->deepest();
    const bool is_attention = each->family == kAttention && deepest.depth > 1;
    if (each->family == kConvolutions) {
      fused += deepest.fused;
      there += deepest.there;
    }
    if (is_attention) {
      across += deepest.across_blocks;
      kernels += deepest.with_nodes;
    }
    if (each->family == kConvolutions || is_attention) add_cell(made, deepest);
  }
  if (there == 0 || kernels == 0) return std::nullopt;
  made.row.value.value = static_cast<double>(fused) / there;
  made.numbers = fmt::format(
      "{} of {} blocks of convolutions are one kernel; {} of {} kernels stand for two blocks of "
      "attention or more",
      fused, there, across, kernels);
  made.row.status = ClaimStatus::undecided;
  if (across > 0 || fused == 0) made.row.status = ClaimStatus::does_not;
  if (across == 0 && fused == there) made.row.status = ClaimStatus::holds;
  if (made.row.status == ClaimStatus::undecided) made.row.value.reason = "some blocks are one kernel, others are not";
  return made;
}

// weight · log(time outside of kernels for a block) of each process.
statistics::Part log_outside(const DepthPoint& point, double weight) {
  statistics::Part part{.weight = weight};
  for (const double each : point.outside_ns) part.values.push_back(std::log(each / point.depth));
  return part;
}

// Returns why the time outside of kernels is not that of a compiler; "" if it is.
std::string why_no_overhead(const DepthPoint& point) {
  if (point.cost_ratio > kMostCostRatio) {
    return fmt::format(
        "profiling costs {:.0f} % of an inference, so most of what is outside of kernels is its own work",
        100 * point.cost_ratio);
  }
  if (std::all_of(point.outside_ns.begin(), point.outside_ns.end(), [](double each) { return each > 0; })) return {};
  return "kernels of a stack take as long as its inference or longer, so nothing is outside of them";
}

// Returns the stacks of two depths and more of which the overhead is known, or sets the reason.
Stacks with_overhead(const Stacks& stacks, std::string& reason) {
  Stacks found;
  for (const Stack* const each : stacks) {
    if (each->depths.size() < 2) continue;
    std::string why_not = why_no_overhead(each->shallowest());
    if (why_not.empty()) why_not = why_no_overhead(each->deepest());
    if (why_not.empty())
      found.push_back(each);
    else
      reason = fmt::format("{}, {}: {}", each->compiler, each->name, why_not);
  }
  return found;
}

Question overhead_of(const Stacks& stacks) {
  const double weight = 1.0 / static_cast<double>(stacks.size());
  Question parts;
  for (const Stack* const each : stacks) {
    parts.push_back(log_outside(each->deepest(), weight));
    parts.push_back(log_outside(each->shallowest(), -weight));
  }
  return parts;
}

void add_numbers(DepthClaimRow& to, const Stacks& stacks) {
  for (const Stack* const each : stacks) {
    const DepthPoint& first = each->shallowest();
    const DepthPoint& last = each->deepest();
    to.numbers += fmt::format("{}{}, batch {}: {:.3g} µs at depth {}, {:.3g} µs at depth {}",
                              to.numbers.empty() ? "outside of kernels for a block: " : "; ", each->name, each->batch,
                              first.outside_ns_per_block().estimate / 1e3, first.depth,
                              last.outside_ns_per_block().estimate / 1e3, last.depth);
    add_cell(to, first);
    add_cell(to, last);
  }
}

std::vector<DepthClaimRow> overhead_rows(const Claim& claim, const std::vector<Stacks>& settings) {
  std::vector<DepthClaimRow> rows;
  std::vector<Question> questions;
  std::string reason = "no stack of blocks was profiled at two depths";
  for (const Stacks& all : settings) {
    const Stacks stacks = with_overhead(all, reason);
    if (stacks.empty()) continue;
    DepthClaimRow& row = rows.emplace_back(begun(claim, stacks));
    add_numbers(row, stacks);
    questions.push_back(overhead_of(stacks));
  }
  if (rows.empty()) return {not_measured(claim, reason)};
  const statistics::VerdictRules rules;
  const std::vector<statistics::Judgement> judgements = statistics::judge(questions, rules);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ClaimRow& row = rows[i].row;
    row.status = metrics::series::status_of(judgements[i], rules);
    row.adjusted_p = judgements[i].adjusted_p;
    row.value = metrics::ratio_of(judgements[i].contrast);
    if (row.status == ClaimStatus::undecided) row.value.reason = judgements[i].reason;
  }
  return rows;
}

}  // namespace

std::vector<DepthClaimRow> test_depth_claims(std::span<const Stack> stacks) {
  const std::span<const Claim> claims = metrics::series::profile_claims();
  const std::vector<Stacks> settings = by_setting(stacks);
  std::vector<DepthClaimRow> rows;
  for (const Stacks& each : settings) {
    if (auto row = fuse_alone(claims[0], each)) rows.push_back(*std::move(row));
  }
  if (rows.empty()) {
    rows.push_back(not_measured(
        claims[0], "needs profiles of conv_block and of mha_block with two blocks or more, with one compiler"));
  }
  for (DepthClaimRow& each : overhead_rows(claims[1], settings)) rows.push_back(std::move(each));
  return rows;
}

}  // namespace ngb::explain

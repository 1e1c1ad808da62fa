// SPDX-License-Identifier: Apache-2.0
// Tests what the paper supposes behind its tables VII and VIII on profiles of stacks of blocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "metrics/ratios.h"
#include "paper/claims.h"
#include "statistics/verdict.h"

namespace ngb::paper {
namespace {

using explain::DepthPoint;
using explain::Stack;
using metrics::series::Claim;
using metrics::series::ClaimRow;
using metrics::series::ClaimStatus;
using report::StackClaimRow;
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

void add_cell(StackClaimRow& to, const DepthPoint& point) { to.row.cell_ids.push_back(point.cell->cell_id); }

StackClaimRow not_measured_row(const Claim& claim, std::string reason) {
  return {.row = {.claim = &claim, .value = {.reason = std::move(reason)}}};
}

StackClaimRow begun(const Claim& claim, const Stacks& stacks) {
  return {.row = {.claim = &claim, .device = stacks.front()->device, .compiler = stacks.front()->compiler}};
}

// Returns nothing if there is no stack of convolutions, or none of attention with two blocks.
std::optional<StackClaimRow> fuse_alone(const Claim& claim, const Stacks& stacks) {
  StackClaimRow made = begun(claim, stacks);
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
  if (point.cost_ratio > explain::kMostCostRatio) {
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

void add_numbers(StackClaimRow& to, const Stacks& stacks) {
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

std::vector<StackClaimRow> overhead_rows(const Claim& claim, const std::vector<Stacks>& settings) {
  std::vector<StackClaimRow> rows;
  std::vector<Question> questions;
  std::string reason = "no stack of blocks was profiled at two depths";
  for (const Stacks& all : settings) {
    const Stacks stacks = with_overhead(all, reason);
    if (stacks.empty()) continue;
    StackClaimRow& row = rows.emplace_back(begun(claim, stacks));
    add_numbers(row, stacks);
    questions.push_back(overhead_of(stacks));
  }
  if (rows.empty()) return {not_measured_row(claim, reason)};
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

constexpr std::array kProfileClaims{
    Claim{
        "blocks_fuse_alone",
        "Compilers fuse convolution, normalisation and activation within a block, and no attention blocks with each "
        "other.",
        "blocks of the deepest conv_block whose Conv+BatchNormalization+Relu are one kernel / all; claimed to be all, "
        "while no kernel of the deepest mha_block stands for two blocks",
        "paper, V-E, tables VII and VIII"},
    Claim{"overhead_falls", "The overhead of a block falls with depth.",
          "time outside of kernels for a block of the deepest stack / of the shallowest one, geometric mean over "
          "stacks; claimed to be below 1",
          "paper, V-E, tables VII and VIII"},
};

}  // namespace

std::span<const Claim> profile_claims() { return kProfileClaims; }

std::vector<StackClaimRow> test_stacks(std::span<const Stack> stacks) {
  const std::span<const Claim> tested = profile_claims();
  const std::vector<Stacks> settings = by_setting(stacks);
  std::vector<StackClaimRow> rows;
  for (const Stacks& each : settings) {
    if (auto row = fuse_alone(tested[0], each)) rows.push_back(*std::move(row));
  }
  if (rows.empty()) {
    rows.push_back(not_measured_row(
        tested[0], "needs profiles of conv_block and of mha_block with two blocks or more, with one compiler"));
  }
  for (StackClaimRow& each : overhead_rows(tested[1], settings)) rows.push_back(std::move(each));
  return rows;
}

}  // namespace ngb::paper

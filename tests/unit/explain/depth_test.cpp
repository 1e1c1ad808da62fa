// SPDX-License-Identifier: Apache-2.0
// Stacks of blocks with kernels that are made up: what one kernel computes and how long is written here.
#include "explain/depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "made_up.h"

namespace ngb::explain {
namespace {

using metrics::series::ClaimStatus;
using testing::HasSubstr;
using testing::SizeIs;

constexpr double kUs = 1000;

// Returns a convolution block: blocks.N.conv, .bn, .act.
void add_convolution(int block, std::vector<work::GraphNode>& nodes) {
  const std::string name = "blocks." + std::to_string(block);
  nodes.push_back(node(name + ".conv", "Conv", {nodes.empty() ? "input" : nodes.back().name}));
  nodes.push_back(node(name + ".bn", "BatchNormalization", {name + ".conv"}));
  nodes.push_back(node(name + ".act", "Relu", {name + ".bn"}));
}

// Returns an attention block: two products and an activation.
void add_attention(int block, std::vector<work::GraphNode>& nodes) {
  const std::string name = "blocks." + std::to_string(block);
  nodes.push_back(node(name + ".in", "MatMul", {nodes.empty() ? "input" : nodes.back().name}));
  nodes.push_back(node(name + ".out", "MatMul", {name + ".in"}));
  nodes.push_back(node(name + ".act", "Relu", {name + ".out"}));
}

class Depths : public testing::Test {
 protected:
  // Adds a cell of a stack whose kernels stand for `parts`, each 10 µs long. Of inferences, each process spends so many
  // microseconds outside of them.
  void add(const std::string& family, int depth, const std::vector<std::vector<std::string>>& parts,
           const std::vector<double>& outside_us, const std::string& compiler = "fast") {
    store::CellData& cell = cells_.emplace_back();
    cell.cell_id = family + std::to_string(depth) + compiler;
    cell.of.device = "local";
    cell.of.compiler.name = cell.of.compiler.label = compiler;
    cell.of.model.family = cell.of.model.label = family;
    cell.recipe_parameters = {{"width", 8}, {"depth", depth}};
    samples::KernelProfile profile;
    std::vector<work::GraphNode> graph;
    std::vector<samples::Kernel> kernels;
    for (int i = 0; i < depth; ++i) {
      (family == "conv_block" ? add_convolution : add_attention)(i, graph);
    }
    for (const auto& nodes : parts) {
      kernels.push_back(kernel("k", nodes));
      profile.kernel_ns.push_back(10 * kUs);
    }
    profile.graph = graph;
    profile.kernels = kernels;
    for (const double us : outside_us) {
      store::RecordedProcess& process = cell.processes.emplace_back();
      profile.profiled_ns = (10 * static_cast<double>(parts.size()) + us) * kUs;
      profile.plain_ns = profile.profiled_ns - 0.5 * kUs;
      process.profile = profile;
    }
  }
  // Adds a stack in which each block is one kernel.
  void add_fused(const std::string& family, int depth, const std::vector<double>& outside_us,
                 const std::string& compiler = "fast") {
    std::vector<std::vector<std::string>> parts;
    for (int i = 0; i < depth; ++i) {
      const std::string name = "blocks." + std::to_string(i);
      const bool is_convolution = family == "conv_block";
      parts.push_back(
          {name + (is_convolution ? ".conv" : ".in"), name + (is_convolution ? ".bn" : ".out"), name + ".act"});
    }
    add(family, depth, parts, outside_us, compiler);
  }
  std::vector<Stack> stacks() {
    std::vector<const store::CellData*> all;
    for (const store::CellData& each : cells_) all.push_back(&each);
    return stacks_of(all);
  }
  std::vector<DepthClaimRow> claims() { return test_depth_claims(stacks()); }

  std::deque<store::CellData> cells_{};
};

TEST_F(Depths, AreAscendingWithKernelsAndTimesForABlock) {
  add_fused("conv_block", 4, {8, 12});
  add("conv_block", 1, {{"blocks.0.conv"}, {"blocks.0.bn", "blocks.0.act"}}, {5});
  const std::vector<Stack> found = stacks();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].name, "conv_block width=8");
  ASSERT_THAT(found[0].depths, SizeIs(2));
  const DepthPoint& single = found[0].shallowest();
  EXPECT_EQ(single.kernels, 2U);
  EXPECT_EQ(single.fused, 0);
  EXPECT_EQ(single.there, 1);
  EXPECT_NEAR(single.plain_ns_per_block().estimate, 24.5 * kUs,
              1e-6);  // two kernels, 5 µs outside, 0.5 µs of profiling
  const DepthPoint& deepest = found[0].deepest();
  EXPECT_EQ(deepest.depth, 4);
  EXPECT_EQ(deepest.fused, 4);
  EXPECT_NEAR(deepest.outside_ns_per_block().estimate, 2.5 * kUs, 1e-6);         // 10 µs over 4 blocks
  EXPECT_NEAR(deepest.plain_ns_per_block().estimate, 12.375 * kUs, 1e-6);        // 4 kernels of 10 µs, and 9.5 µs
  EXPECT_NEAR(*deepest.outside_ns_per_block().standard_error, 0.5 * kUs, 1e-6);  // sd 2.83 µs / √2 / 4 blocks
}

TEST_F(Depths, AKernelOfTwoProductsOfUnlikeBlocksIsAcrossBlocks) {
  add("mha_block", 2,
      {{"blocks.0.in"}, {"blocks.0.out", "blocks.0.act", "blocks.1.in"}, {"blocks.1.out", "blocks.1.act"}}, {5});
  EXPECT_EQ(stacks()[0].deepest().across_blocks, 1U);
  EXPECT_EQ(stacks()[0].deepest().with_nodes, 3U);
}

TEST_F(Depths, AKernelThatDoesANeighboursActivationIsNotAcrossBlocks) {
  add("mha_block", 2,
      {{"blocks.0.in"}, {"blocks.0.out"}, {"blocks.0.act", "blocks.1.in"}, {"blocks.1.out", "blocks.1.act"}}, {5});
  EXPECT_EQ(stacks()[0].deepest().across_blocks, 0U);
}

TEST_F(Depths, BlocksFuseAloneIfEveryConvolutionIsOneKernelAndNoAttentionIsShared) {
  add_fused("conv_block", 3, {5});
  add_fused("mha_block", 2, {5});
  const DepthClaimRow found = claims().front();
  EXPECT_EQ(found.row.status, ClaimStatus::holds);
  EXPECT_EQ(found.row.value.value, 1);
  EXPECT_EQ(found.numbers,
            "3 of 3 blocks of convolutions are one kernel; 0 of 2 kernels stand for two blocks of attention or more");
  EXPECT_THAT(found.row.cell_ids, testing::ElementsAre("conv_block3fast", "mha_block2fast"));
}

TEST_F(Depths, BlocksDoNotFuseAloneIfAttentionBlocksShareAKernel) {
  add_fused("conv_block", 3, {5});
  add("mha_block", 2, {{"blocks.0.in", "blocks.0.out", "blocks.0.act", "blocks.1.in", "blocks.1.out", "blocks.1.act"}},
      {5});
  EXPECT_EQ(claims().front().row.status, ClaimStatus::does_not);
}

TEST_F(Depths, FusionOfSomeBlocksIsUndecided) {
  add("conv_block", 2,
      {{"blocks.0.conv", "blocks.0.bn", "blocks.0.act"}, {"blocks.1.conv"}, {"blocks.1.bn"}, {"blocks.1.act"}}, {5});
  add_fused("mha_block", 2, {5});
  const DepthClaimRow found = claims().front();
  EXPECT_EQ(found.row.status, ClaimStatus::undecided);
  EXPECT_EQ(found.row.value.value, 0.5);
}

TEST_F(Depths, FusionIsNotMeasuredWithoutAttention) {
  add_fused("conv_block", 2, {5});
  EXPECT_EQ(claims().front().row.status, ClaimStatus::not_measured);
  EXPECT_THAT(claims().front().row.value.reason, HasSubstr("needs profiles of conv_block and of mha_block"));
}

TEST_F(Depths, OverheadFallsIfABlockOfTheDeepestStackHasLessOfIt) {
  add_fused("conv_block", 1, {10, 10.1, 9.9});
  add_fused("conv_block", 8, {20, 20.2, 19.8});  // 2.5 µs for a block: a quarter
  const DepthClaimRow found = claims().back();
  EXPECT_EQ(std::string(found.row.claim->name), "overhead_falls");
  EXPECT_EQ(found.row.status, ClaimStatus::holds);
  EXPECT_NEAR(*found.row.value.value, 0.25, 1e-9);
  EXPECT_LT(*found.row.value.high, 0.26);
  EXPECT_EQ(found.numbers,
            "outside of kernels for a block: conv_block width=8, batch 1: 10 µs at depth 1, 2.5 µs at depth 8");
}

TEST_F(Depths, OverheadDoesNotFallIfABlockHasAsMuchOrMore) {
  add_fused("conv_block", 1, {10, 10.1, 9.9});
  add_fused("conv_block", 4, {40, 40.4, 39.6});
  add_fused("conv_block", 1, {10, 10.1, 9.9}, "slow");
  add_fused("conv_block", 4, {80, 80.8, 79.2}, "slow");
  const auto rows = claims();
  EXPECT_EQ(rows[1].row.status, ClaimStatus::does_not) << "the same, within 3 %";
  EXPECT_NEAR(*rows[1].row.value.value, 1, 1e-9);
  EXPECT_EQ(rows[2].row.status, ClaimStatus::does_not);
  EXPECT_NEAR(*rows[2].row.value.value, 2, 1e-9);
}

TEST_F(Depths, OverheadIsUndecidedWithTwoProcessesAndNotMeasuredWithOneDepthOrWithoutAny) {
  add_fused("conv_block", 1, {10, 11});
  add_fused("conv_block", 4, {20, 21});
  EXPECT_EQ(claims().back().row.status, ClaimStatus::undecided);
  cells_.pop_back();
  EXPECT_EQ(claims().back().row.value.reason, "no stack of blocks was profiled at two depths");
  add_fused("conv_block", 4, {0, 21});
  EXPECT_THAT(claims().back().row.value.reason, HasSubstr("nothing is outside of them"));
}

TEST_F(Depths, OverheadIsNotMeasuredWhereTheProfileCostsTooMuch) {
  add_fused("conv_block", 1, {10, 10.1, 9.9});
  add_fused("conv_block", 4, {20, 21, 22});
  for (store::RecordedProcess& each : cells_.back().processes) each.profile->plain_ns = each.profile->profiled_ns / 1.2;
  EXPECT_EQ(claims().back().row.status, ClaimStatus::not_measured);
  EXPECT_THAT(claims().back().row.value.reason,
              HasSubstr("conv_block width=8: profiling costs 20 % of an inference, so most of what is outside"));
}

}  // namespace
}  // namespace ngb::explain

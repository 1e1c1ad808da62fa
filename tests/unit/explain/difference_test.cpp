// SPDX-License-Identifier: Apache-2.0
// Expected intervals and p values by hand: with two degrees of freedom Student's t has the closed form
// P(|T| > t) = 1 - t / sqrt(t² + 2), and its 97.5 % quantile is 4.3026527.
#include "explain/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_up.h"

namespace ngb::explain {
namespace {

using samples::Kernel;
using samples::KernelProfile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const SideNames kNames{"left", "right"};

const std::vector<Kernel> kTwo{kernel("c1", {"b.conv1", "b.bn1", "b.act1"}),
                               kernel("c2", {"b.conv2", "b.bn2", "b.add", "b.act2"})};

KernelProfile profile(std::vector<Kernel> kernels, std::vector<double> kernel_ns, double profiled_ns, double plain_ns) {
  return {.graph = block(),
          .kernels = std::move(kernels),
          .kernel_ns = std::move(kernel_ns),
          .profiled_ns = profiled_ns,
          .plain_ns = plain_ns,
          .inferences = 10};
}

std::vector<Round> rounds_of(const std::vector<KernelProfile>& baseline, const std::vector<KernelProfile>& candidate) {
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < baseline.size(); ++i) rounds.push_back({&baseline[i], &candidate[i]});
  return rounds;
}

std::vector<work::GraphNode> with(std::vector<work::GraphNode> graph, const std::vector<work::GraphNode>& more) {
  graph.insert(graph.end(), more.begin(), more.end());
  return graph;
}

// Three rounds. Region 1 of the candidate takes 10, 12, 14 longer, region 2 in all rounds as long.
const std::vector<KernelProfile> kBaseline{profile(kTwo, {100, 200}, 310, 300), profile(kTwo, {110, 220}, 340, 330),
                                           profile(kTwo, {90, 180}, 280, 270)};
const std::vector<KernelProfile> kCandidate{profile(kTwo, {110, 200}, 322, 310), profile(kTwo, {122, 220}, 354, 342),
                                            profile(kTwo, {104, 180}, 296, 284)};

TEST(Explanation, ListsTheRegionsThatDifferMostFirst) {
  const Explanation found = explain(rounds_of(kBaseline, kCandidate), kNames).value();
  ASSERT_EQ(found.regions.size(), 2U);
  const RegionDifference& first = found.regions[0];
  EXPECT_EQ(first.label, "b.conv1+bn1+act1");
  EXPECT_THAT(first.nodes, ElementsAre("b.conv1", "b.bn1", "b.act1"));
  EXPECT_DOUBLE_EQ(first.baseline_ns, 100);
  EXPECT_DOUBLE_EQ(first.candidate_ns, 112);
  EXPECT_DOUBLE_EQ(first.difference.estimate, 12);
  // deviation 2, standard error 2 / sqrt(3)
  EXPECT_NEAR(first.difference.interval->low, 12 - 4.3026527 * 1.1547005, 1e-5);
  EXPECT_NEAR(first.difference.interval->high, 12 + 4.3026527 * 1.1547005, 1e-5);
  EXPECT_DOUBLE_EQ(found.regions[1].difference.estimate, 0);
}

TEST(Explanation, AddsRegionsWithTheSameOperatorsTogether) {
  const auto with_norms = [](double first, double second, double other) {
    return KernelProfile{.graph = {node("norm1", "LayerNormalization", {"input"}), node("mm", "MatMul", {"norm1"}),
                                   node("norm2", "LayerNormalization", {"mm"})},
                         .kernels = {kernel("n", {"norm1"}), kernel("m", {"mm"}), kernel("n", {"norm2"})},
                         .kernel_ns = {first, other, second},
                         .profiled_ns = first + second + other,
                         .plain_ns = first + second + other,
                         .inferences = 10};
  };
  const std::vector<KernelProfile> before{with_norms(10, 20, 100), with_norms(12, 20, 90)};
  const std::vector<KernelProfile> after{with_norms(60, 90, 100), with_norms(62, 94, 90)};
  const Explanation found = explain(rounds_of(before, after), kNames).value();
  ASSERT_EQ(found.regions.size(), 3U);
  ASSERT_EQ(found.alike.size(), 1U) << "one product is alone";
  EXPECT_EQ(found.alike[0].label, "LayerNormalization ×2");
  EXPECT_THAT(found.alike[0].nodes, ElementsAre("norm1", "norm2"));
  EXPECT_DOUBLE_EQ(found.alike[0].baseline_ns, 31);           // 30 and 32
  EXPECT_DOUBLE_EQ(found.alike[0].candidate_ns, 153);         // 150 and 156
  EXPECT_DOUBLE_EQ(found.alike[0].difference.estimate, 122);  // 120 and 124
  ASSERT_EQ(found.alike[0].candidate_kernels.size(), 1U);
  EXPECT_EQ(found.alike[0].candidate_kernels[0].calls, 2);
  EXPECT_DOUBLE_EQ(found.alike[0].candidate_kernels[0].ns, 153);
}

TEST(Explanation, AdjustsForTheNumberOfRegions) {
  const Explanation found = explain(rounds_of(kBaseline, kCandidate), kNames).value();
  // t = 12 / 1.1547005 = 10.392305, and Holm doubles the smaller of two p values.
  EXPECT_NEAR(found.regions[0].p.value(), 2 * (1 - 10.392305 / std::sqrt(10.392305 * 10.392305 + 2)), 1e-6);
  EXPECT_TRUE(found.regions[0].is_told());
  EXPECT_DOUBLE_EQ(found.regions[1].p.value(), 1) << "it does not vary, and is the same";
  EXPECT_FALSE(found.is_same());
}

TEST(Explanation, AddsUpToTheDifferenceOfThePlainTimes) {
  const Explanation found = explain(rounds_of(kBaseline, kCandidate), kNames).value();
  EXPECT_DOUBLE_EQ(found.plain.estimate, 12);
  EXPECT_DOUBLE_EQ(found.operators.estimate, 12);
  EXPECT_DOUBLE_EQ(found.baseline.operators, 300);
  EXPECT_DOUBLE_EQ(found.baseline.outside(), 10);
  EXPECT_DOUBLE_EQ(found.candidate.outside(), 12);
  EXPECT_DOUBLE_EQ(found.baseline.cost(), 10);
  EXPECT_DOUBLE_EQ(found.outside.estimate, 2);
  EXPECT_DOUBLE_EQ(found.cost.estimate, 2);
  // plain = operators + outside - cost, in every table
  EXPECT_DOUBLE_EQ(found.plain.estimate, found.operators.estimate + found.outside.estimate - found.cost.estimate);
  EXPECT_DOUBLE_EQ(found.gap_ratio(), 0);
  EXPECT_TRUE(found.is_explained());
}

TEST(Explanation, SaysByHowMuchTheRegionsMissThePlainTimes) {
  // The operators are 12 slower, the plain times 32: 20 of 332 are missing.
  std::vector<KernelProfile> candidate = kCandidate;
  for (KernelProfile& each : candidate) each.plain_ns += 20;
  const Explanation found = explain(rounds_of(kBaseline, candidate), kNames).value();
  EXPECT_NEAR(found.gap_ratio(), 20.0 / 332.0, 1e-12);
  EXPECT_FALSE(found.is_explained());
}

TEST(Explanation, NamesTheKernelsOfARegionWithTheirCalls) {
  const std::vector<Kernel> kernels{kernel("reorder", {}), kTwo[0], kernel("reorder", {}), kTwo[0], kTwo[1]};
  const std::vector<KernelProfile> right{profile(kernels, {1, 50, 3, 60, 200}, 330, 320),
                                         profile(kernels, {3, 50, 5, 60, 200}, 330, 320)};
  const std::vector<KernelProfile> left{kBaseline[0], kBaseline[0]};
  const Explanation found = explain(rounds_of(left, right), kNames).value();
  ASSERT_EQ(found.regions[0].label, "b.conv1+bn1+act1");
  const std::vector<KernelUse>& uses = found.regions[0].candidate_kernels;
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].name, "reorder");
  EXPECT_EQ(uses[0].calls, 2);
  EXPECT_DOUBLE_EQ(uses[0].ns, 6);
  EXPECT_EQ(uses[1].calls, 2);
  EXPECT_DOUBLE_EQ(uses[1].ns, 110);
  EXPECT_EQ(found.candidate.kernels, 5U);
}

TEST(Explanation, SaysThatNothingDiffersWhereNothingDoes) {
  // Differences of 1, -1 and 0: mean 0.
  const std::vector<KernelProfile> same{profile(kTwo, {101, 200}, 311, 301), profile(kTwo, {109, 220}, 339, 329),
                                        profile(kTwo, {90, 180}, 280, 270)};
  EXPECT_TRUE(explain(rounds_of(kBaseline, same), kNames)->is_same());
}

// Three rounds beside other work: the means of region 1 differ by 900, -700 and 120 (mean 106.67, t 0.23), its least
// times by 11, 12 and 13 (mean 12, standard error 0.57735, t 20.785).
TEST(Explanation, HasAnEstimateOfLeastTimesBesideTheMeans) {
  std::vector<KernelProfile> before = kBaseline;
  std::vector<KernelProfile> after = kBaseline;
  const std::vector<double> differences{900, -700, 120};
  for (std::size_t i = 0; i < 3; ++i) {
    before[i].kernel_ns[0] += 800;
    after[i].kernel_ns[0] = before[i].kernel_ns[0] + differences[i];
    before[i].least_ns = {90, 180};
    after[i].least_ns = {101 + static_cast<double>(i), 180};
  }
  const Explanation found = explain(rounds_of(before, after), kNames).value();
  const RegionDifference& first = found.regions[0];
  EXPECT_FALSE(first.is_told());
  EXPECT_DOUBLE_EQ(first.undisturbed->estimate, 12);
  EXPECT_NEAR(first.undisturbed->interval->low, 12 - 4.3026527 * 0.5773503, 1e-5);
  EXPECT_NEAR(first.undisturbed_p.value(), 2 * (1 - 20.784610 / std::sqrt(20.784610 * 20.784610 + 2)), 1e-6);
  EXPECT_TRUE(first.is_told_undisturbed());
  EXPECT_FALSE(found.regions[1].is_told_undisturbed());
  before[1].least_ns.clear();  // recorded by an older version
  EXPECT_FALSE(explain(rounds_of(before, after), kNames)->regions[0].undisturbed);
}

TEST(Explanation, OfOneRoundTellsNothingFromChance) {
  const Explanation found = explain(rounds_of({kBaseline[0]}, {kCandidate[0]}), kNames).value();
  EXPECT_FALSE(found.regions[0].p);
  EXPECT_FALSE(found.regions[0].difference.interval);
  EXPECT_FALSE(found.regions[0].is_told());
}

TEST(Explanation, ComparesModulesWithoutAFileByPath) {
  const auto by_path = [](std::vector<double> times) {
    KernelProfile made{.kernels = {kernel("a", {"layer1"}, "module path"), kernel("b", {"layer2"}, "module path")},
                       .kernel_ns = std::move(times),
                       .profiled_ns = 100,
                       .plain_ns = 100};
    return made;
  };
  const std::vector<KernelProfile> left{by_path({40, 60})};
  const std::vector<KernelProfile> right{by_path({40, 65})};
  const Explanation found = explain(rounds_of(left, right), kNames).value();
  EXPECT_EQ(found.regions[0].label, "layer2");
  EXPECT_DOUBLE_EQ(found.regions[0].difference.estimate, 5);
}

TEST(Explanation, IsRefusedWithoutACommonRound) {
  EXPECT_THAT(explain({}, kNames).error().what, HasSubstr("no round in which both were profiled"));
}

TEST(Explanation, IsRefusedForModelsThatAreNotOneGraph) {
  std::vector<KernelProfile> other = kCandidate;
  for (KernelProfile& each : other) each.graph = {node("fc", "MatMul", {"input"}), node("b.act2", "Relu", {"fc"})};
  EXPECT_THAT(explain(rounds_of(kBaseline, other), kNames).error().what,
              HasSubstr("left and right are not of one graph: of 7 and 2 nodes, 1 have the same names"));
}

TEST(Explanation, DoesNotCountTheScalesAroundEveryOperatorOfAQuantisedFile) {
  std::vector<KernelProfile> quantised = kCandidate;
  for (KernelProfile& each : quantised) {
    for (const std::string number : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
      each.graph = with(each.graph, {node("q" + number, "QuantizeLinear", {"input"}),
                                     node("dq" + number, "DequantizeLinear", {"q" + number})});
    }
  }
  EXPECT_TRUE(explain(rounds_of(kBaseline, quantised), kNames));  // 7 of 23 nodes are shared, of those that compute all
}

TEST(Explanation, ComparesAQuantisedFileWhoseConvolutionsHaveItsNormalisations) {
  std::vector<KernelProfile> exact = kBaseline;
  for (KernelProfile& each : exact) {
    for (const std::string number : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
      each.graph = with(each.graph, {node("bn" + number, "BatchNormalization", {"input"})});
    }
  }
  EXPECT_FALSE(explain(rounds_of(exact, kCandidate), kNames)) << "7 of 15 nodes";
  std::vector<KernelProfile> quantised = kCandidate;
  for (KernelProfile& each : quantised) each.graph = with(each.graph, {node("q", "QuantizeLinear", {"input"})});
  EXPECT_TRUE(explain(rounds_of(exact, quantised), kNames)) << "all 7 that the quantised file has without its scales";
}

TEST(Explanation, AddsTheTimeOfNodesThatOnlyOneSideHasToTheNodeBehindThem) {
  // The candidate's file computes b.act1 by three nodes, the last of which has its name.
  std::vector<KernelProfile> changed = kCandidate;
  for (KernelProfile& each : changed) {
    std::vector<work::GraphNode> graph = each.graph;
    graph.insert(graph.begin() + 2, {node("erf", "Erf", {"b.bn1"}), node("sign", "Sign", {"erf"})});
    graph[4].inputs = {"sign:0"};
    each.graph = graph;
    each.kernels = {kernel("c1", {"b.conv1", "b.bn1"}), kernel("slow", {"erf", "sign"}), kernel("act", {"b.act1"}),
                    kTwo[1]};
    each.kernel_ns = {90, 25, 7, 200};
  }
  const Explanation found = explain(rounds_of(kBaseline, changed), kNames).value();
  EXPECT_EQ(found.regions[0].label, "b.conv1+bn1+act1");
  EXPECT_DOUBLE_EQ(found.regions[0].candidate_ns, 122);
  ASSERT_EQ(found.regions[0].candidate_kernels.size(), 3U);
  EXPECT_EQ(found.regions[0].candidate_kernels[1].name, "slow");
}

TEST(Explanation, IsRefusedIfASideDoesNotTellItsNodes) {
  const std::vector<KernelProfile> nameless{profile({kernel("kernel_0", {}), kernel("kernel_1", {})}, {1, 2}, 3, 3)};
  EXPECT_THAT(explain(rounds_of(nameless, {kCandidate[0]}), kNames).error().what,
              HasSubstr("left tells of none of its 2 kernels for which node"));
}

TEST(Explanation, IsRefusedIfOneRegionSwallowsTheModel) {
  std::vector<work::GraphNode> nodes;
  std::vector<std::string> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back("n" + std::to_string(i));
    nodes.push_back(node(all.back(), "MatMul", {i == 0 ? "input" : all[all.size() - 2]}));
  }
  KernelProfile whole{
      .graph = nodes, .kernels = {kernel("everything", all)}, .kernel_ns = {100}, .profiled_ns = 100, .plain_ns = 100};
  EXPECT_THAT(explain(rounds_of({whole}, {whole}), kNames).error().what,
              HasSubstr("100 % of the time of left is in one region of 30 nodes (n0+n1+n2+n3+26)"));
}

}  // namespace
}  // namespace ngb::explain

// SPDX-License-Identifier: Apache-2.0
#include "explain/fusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"

namespace ngb::explain {
namespace {

using samples::Kernel;
using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::string> patterns(const std::vector<work::GraphNode>& nodes, const std::vector<Kernel>& kernels) {
  const Fusions found =
      fusions_of({.graph = nodes, .kernels = kernels, .kernel_ns = std::vector<double>(kernels.size(), 1)});
  std::vector<std::string> lines;
  for (const PatternCount& each : found.patterns) {
    lines.push_back(each.pattern + ": " + std::to_string(each.fused) + " of " + std::to_string(each.there));
  }
  return lines;
}

TEST(Fusions, CountWhichPatternsBecameOneKernel) {
  EXPECT_THAT(patterns(block(), {kernel("c1", {"b.conv1", "b.bn1", "b.act1"}), kernel("c2", {"b.conv2", "b.bn2"}),
                                 kernel("add", {"b.add", "b.act2"})}),
              ElementsAre("Conv+BatchNormalization+Relu: 1 of 1", "Conv+BatchNormalization+Add+Relu: 0 of 1"));
}

TEST(Fusions, CountAnAddForOneOfTheBranchesThatEndInIt) {
  std::vector<work::GraphNode> nodes{
      node("conv", "Conv", {"input"}),       node("bn", "BatchNormalization", {"conv"}),
      node("down", "Conv", {"input"}),       node("down_bn", "BatchNormalization", {"down"}),
      node("add", "Add", {"bn", "down_bn"}), node("act", "Relu", {"add"})};
  const std::vector<Kernel> with_second{kernel("a", {"conv", "bn"}), kernel("b", {"down", "down_bn", "add", "act"})};
  EXPECT_THAT(patterns(nodes, with_second),
              ElementsAre("Conv+BatchNormalization+Add+Relu: 1 of 1", "Conv+BatchNormalization: 1 of 1"));
  const std::vector<Kernel> apart{kernel("a", {"conv", "bn"}), kernel("b", {"down"}), kernel("c", {"down_bn"}),
                                  kernel("d", {"add", "act"})};
  EXPECT_THAT(patterns(nodes, apart),
              ElementsAre("Conv+BatchNormalization+Add+Relu: 0 of 1", "Conv+BatchNormalization: 0 of 1"));
}

TEST(Fusions, CountAttentionAsOneKernelOnlyFromProductToProduct) {
  const std::vector<work::GraphNode> nodes{
      node("q", "MatMul", {"input"}),           node("k", "MatMul", {"input"}),
      node("v", "MatMul", {"input"}),           node("scores", "MatMul", {"q", "k"}),
      node("scaled", "Mul", {"scores"}),        node("weights", "Softmax", {"scaled"}),
      node("mixed", "MatMul", {"weights", "v"})};
  const std::vector<Kernel> apart{kernel("q", {"q"}),       kernel("k", {"k"}),
                                  kernel("v", {"v"}),       kernel("s", {"scores", "scaled"}),
                                  kernel("w", {"weights"}), kernel("m", {"mixed"})};
  EXPECT_THAT(patterns(nodes, apart), ElementsAre("attention: 0 of 1"));
  const std::vector<Kernel> fused{kernel("q", {"q"}), kernel("k", {"k"}), kernel("v", {"v"}),
                                  kernel("flash", {"scores", "scaled", "weights", "mixed"})};
  EXPECT_THAT(patterns(nodes, fused), ElementsAre("attention: 1 of 1"));
}

TEST(Fusions, TellKernelsNodesFoldedNodesAndCopies) {
  std::vector<work::GraphNode> nodes = block();
  nodes.push_back(node("axes", "Constant", {}));
  Kernel reorder = kernel("in_ReorderInput", {"b.add"});
  const Fusions found = fusions_of({.graph = nodes,
                                    .kernels = {kernel("to blocks", {}), kernel("c1", {"b.conv1", "b.bn1", "b.act1"}),
                                                kernel("c2", {"b.conv2", "b.bn2"}), reorder, kernel("r", {"b.act2"})},
                                    .kernel_ns = {1, 20, 30, 4, 5},
                                    .profiled_ns = 70});
  EXPECT_EQ(found.kernels, 5U);
  EXPECT_EQ(found.with_nodes, 4U);
  EXPECT_EQ(found.nodes, 7U);
  EXPECT_DOUBLE_EQ(found.nodes_per_kernel(), 1.75);
  EXPECT_EQ(found.folded, 1U);
  EXPECT_EQ(found.copies, 2U);
  EXPECT_DOUBLE_EQ(found.copies_ns, 5);
  EXPECT_DOUBLE_EQ(found.outside_ns, 10);
}

TEST(Fusions, TellHowNodesWereFound) {
  const Fusions found = fusions_of({.graph = block(),
                                    .kernels = {kernel("c1", {"b.conv1"}), kernel("c2", {"b.conv2"}, "location")},
                                    .kernel_ns = {1, 1}});
  EXPECT_THAT(found.how, ElementsAre(Pair("closure down", 5U), Pair("location", 1U), Pair("node name", 1U)));
}

}  // namespace
}  // namespace ngb::explain

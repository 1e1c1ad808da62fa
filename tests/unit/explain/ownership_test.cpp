// SPDX-License-Identifier: Apache-2.0
#include "explain/ownership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"

namespace ngb::explain {
namespace {

using samples::Kernel;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// "b.conv1: conv(told)", a line for each node with its kernels and how they were found.
std::vector<std::string> lines(const std::vector<work::GraphNode>& nodes, const std::vector<Kernel>& kernels) {
  const Graph graph(nodes);
  const Ownership owners = find_owners(graph, kernels);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::string line = graph[i].name + ":";
    for (const std::size_t each : owners.kernels[i]) line += " " + kernels[each].name;
    found.push_back(line + " (" + std::string(name(owners.how[i])) + ")");
  }
  return found;
}

TEST(Ownership, GivesToAKernelWhoseOutputIsKnownAllThatOnlyLeadsThere) {
  EXPECT_THAT(lines(block(), {writing("first", {"b.act1:0"}), writing("second", {"b.act2:0"})}),
              ElementsAre("b.conv1: first (closure up)", "b.bn1: first (closure up)", "b.act1: first (told)",
                          "b.conv2: second (closure up)", "b.bn2: second (closure up)", "b.add: second (closure up)",
                          "b.act2: second (told)"));
}

TEST(Ownership, GivesLightNodesBehindAKernelWithoutAKnownOutputToThatKernel) {
  EXPECT_THAT(lines(block(), {kernel("first", {"b.conv1"}), kernel("second", {"b.conv2"})}),
              ElementsAre("b.conv1: first (told)", "b.bn1: first (closure down)", "b.act1: first (closure down)",
                          "b.conv2: second (told)", "b.bn2: second (closure down)", "b.add: second (closure down)",
                          "b.act2: second (closure down)"));
}

// A straight line: conv1 - bn1 - act1 - conv2.
std::vector<work::GraphNode> line_of_two() {
  return {node("conv1", "Conv", {"input"}), node("bn1", "BatchNormalization", {"conv1"}), node("act1", "Relu", {"bn1"}),
          node("conv2", "Conv", {"act1"})};
}

TEST(Ownership, GivesAConvolutionToldByOrderTheLightNodesUntilTheNextKernel) {
  EXPECT_THAT(lines(line_of_two(), {kernel("first", {"conv1"}, "order"), kernel("second", {"conv2"}, "order")}),
              ElementsAre("conv1: first (told)", "bn1: first (closure down)", "act1: first (closure down)",
                          "conv2: second (told)"));
}

TEST(Ownership, GivesTheSameToOneToldByLocationOrWeights) {
  for (const char* const how : {"location", "weights"}) {
    EXPECT_THAT(lines(line_of_two(), {kernel("first", {"conv1"}, how), kernel("second", {"conv2"}, how)}),
                ElementsAre("conv1: first (told)", "bn1: first (closure down)", "act1: first (closure down)",
                            "conv2: second (told)"));
  }
}

TEST(Ownership, GivesItOnlyItsNormalisationIfAKernelWithoutANodeFollows) {
  // The Relu may be that kernel, whose time is added to the second one.
  EXPECT_THAT(lines(line_of_two(),
                    {kernel("first", {"conv1"}, "order"), kernel("relu", {}), kernel("second", {"conv2"}, "order")}),
              ElementsAre("conv1: first (told)", "bn1: first (closure down)", "act1: second (closure up)",
                          "conv2: second (told)"));
}

TEST(Ownership, DoesNotGiveItASumWhoseOtherPartIsComputedLater) {
  const std::vector<work::GraphNode> nodes{node("conv", "Conv", {"input"}), node("shortcut", "Conv", {"input"}),
                                           node("add", "Add", {"conv", "shortcut"})};
  EXPECT_THAT(lines(nodes, {kernel("first", {"conv"}, "order"), kernel("second", {"shortcut"}, "order")}),
              ElementsAre("conv: first (told)", "shortcut: second (told)", "add: second (closure down)"));
}

TEST(Ownership, EndsAtATensorThatAnotherKernelIsKnownToWrite) {
  const std::vector<work::GraphNode> nodes{node("conv", "Conv", {"input"}), node("act", "Relu", {"conv"}),
                                           node("pool", "MaxPool", {"act"})};
  // The first kernel writes the convolution's own result, so the Relu is not within it, and goes with the pool.
  EXPECT_THAT(lines(nodes, {writing("first", {"conv:0"}), kernel("second", {"pool"})}),
              ElementsAre("conv: first (told)", "act: second (closure up)", "pool: second (told)"));
}

TEST(Ownership, GivesAHeavyNodeThatNobodyNamesToTheKernelThatUsesItsResult) {
  const std::vector<work::GraphNode> nodes{node("fc", "MatMul", {"input"}), node("norm", "LayerNormalization", {"fc"}),
                                           node("a", "MatMul", {"norm"}), node("b", "MatMul", {"norm"})};
  EXPECT_THAT(lines(nodes, {kernel("fc", {"fc"}), kernel("a", {"a"}), kernel("b", {"b"})}),
              ElementsAre("fc: fc (told)", "norm: a (to consumer)", "a: a (told)", "b: b (told)"));
}

TEST(Ownership, GivesTheLastHeavyNodeToTheKernelBeforeIt) {
  const std::vector<work::GraphNode> nodes{node("fc", "MatMul", {"input"}), node("out", "Softmax", {"fc"})};
  EXPECT_THAT(lines(nodes, {kernel("fc", {"fc"})}), ElementsAre("fc: fc (told)", "out: fc (to producer)"));
}

TEST(Ownership, NeverFollowsConstantsThatFarPlacesOfAModelShare) {
  const std::vector<work::GraphNode> nodes{node("shape", "Constant", {}), node("half", "Div", {"shape"}),
                                           node("first", "Reshape", {"input", "half"}),
                                           node("last", "Reshape", {"first", "half"})};
  EXPECT_THAT(lines(nodes, {kernel("one", {"first", "half"}), kernel("two", {"last", "half"})}),
              ElementsAre("shape: (nowhere)", "half: (nowhere)", "first: one (told)", "last: two (told)"));
}

TEST(Ownership, LetsExactNamesShareANode) {
  EXPECT_THAT(lines({node("attention", "Attention", {"input"})},
                    {kernel("product", {"attention"}), kernel("softmax", {"attention"})}),
              ElementsAre("attention: product softmax (told)"));
}

TEST(Ownership, CountsNamesThatMayBeTooManyForTheFirstKernelOnly) {
  const std::vector<work::GraphNode> nodes{node("a", "MatMul", {"input"}), node("b", "MatMul", {"a"}),
                                           node("c", "MatMul", {"b"})};
  // Each kernel lists all operators since the beginning, as some libraries do.
  const std::vector<Kernel> kernels{kernel("k1", {"a"}, "location"), kernel("k2", {"a", "b"}, "location"),
                                    kernel("k3", {"a", "b", "c"}, "location"), kernel("k4", {"a", "b"}, "location")};
  EXPECT_THAT(lines(nodes, kernels), ElementsAre("a: k1 (told)", "b: k2 (told)", "c: k3 (told)"));
  const Ownership owners = find_owners(Graph(nodes), kernels);
  EXPECT_EQ(owners.attached_to[3], 1U) << "nothing is left for k4, so its time goes to its last node's kernel";
}

TEST(Ownership, AddsKernelsWithoutNodesToTheNextOneThatHasSome) {
  const std::vector<Kernel> kernels{kernel("reorder in", {}), kernel("conv", {"b.conv1"}), kernel("reorder", {}),
                                    kernel("conv", {"b.conv2"}), kernel("reorder out", {})};
  const Ownership owners = find_owners(Graph(block()), kernels);
  EXPECT_THAT(owners.attached_to, ElementsAre(1U, std::nullopt, 3U, std::nullopt, 3U));
}

TEST(Ownership, LeavesKernelsWithoutAnyNodeAlone) {
  const std::vector<Kernel> kernels{kernel("kernel_0", {}), kernel("kernel_1", {"a name that the model lacks"})};
  const Ownership owners = find_owners(Graph(block()), kernels);
  EXPECT_THAT(owners.nodes, ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(owners.attached_to, ElementsAre(std::nullopt, std::nullopt));
}

TEST(Ownership, GivesNodesToTheDeepestModuleWhosePathTheirNamesBeginWith) {
  const std::vector<work::GraphNode> nodes{
      node("layer1.conv1", "Conv", {"input"}), node("layer1/add", "Add", {"layer1.conv1"}),
      node("layer10.conv1", "Conv", {"layer1/add"}), node("flatten", "Flatten", {"layer10.conv1"})};
  EXPECT_THAT(lines(nodes, {kernel("conv", {"layer1.conv1"}, "module path"), kernel("block", {"layer1"}, "module path"),
                            kernel("other", {"layer10"}, "module path"), kernel("top", {""}, "module path")}),
              ElementsAre("layer1.conv1: conv (told)", "layer1/add: block (told)", "layer10.conv1: other (told)",
                          "flatten: top (told)"));
}

TEST(Ownership, OfAModuleWithoutAFileHasThePathsAsNodes) {
  const std::vector<Kernel> kernels{kernel("a", {"layer1"}, "module path"), kernel("b", {"layer2"}, "module path"),
                                    kernel("again", {"layer1"}, "module path")};
  const Graph graph = Graph::of_paths(kernels);
  ASSERT_EQ(graph.size(), 2U);
  EXPECT_THAT(find_owners(graph, kernels).nodes, ElementsAre(ElementsAre(0U), ElementsAre(1U), IsEmpty()));
}

TEST(Ownership, HandlesAHundredThousandKernels) {
  std::vector<work::GraphNode> nodes;
  std::vector<Kernel> kernels;
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "n" + std::to_string(i);
    nodes.push_back(node(name, "MatMul", {i == 0 ? "input" : "n" + std::to_string(i - 1)}));
    kernels.push_back(kernel("k", {name}));
  }
  EXPECT_THAT(find_owners(Graph(nodes), kernels).nodes, SizeIs(100'000));
}

}  // namespace
}  // namespace ngb::explain

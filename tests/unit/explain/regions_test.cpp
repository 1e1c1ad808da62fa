// SPDX-License-Identifier: Apache-2.0
#include "explain/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"

namespace ngb::explain {
namespace {

using samples::Kernel;
using ::testing::ElementsAre;

struct Joined {
  Graph graph;
  std::vector<Ownership> owners{};
  Regions regions{};

  Joined(const std::vector<work::GraphNode>& nodes, const std::vector<std::vector<Kernel>>& sides) : graph(nodes) {
    for (const std::vector<Kernel>& side : sides) owners.push_back(find_owners(graph, side));
    std::vector<const Ownership*> all;
    for (const Ownership& each : owners) all.push_back(&each);
    regions = join(graph, all);
  }
  [[nodiscard]] std::vector<std::string> labels() const {
    std::vector<std::string> found;
    for (const Region& region : regions.all) found.push_back(region.label);
    return found;
  }
};

const std::vector<Kernel> kTwoConvolutions{kernel("c1", {"b.conv1", "b.bn1", "b.act1"}),
                                           kernel("c2", {"b.conv2", "b.bn2", "b.add", "b.act2"})};

TEST(Regions, OfOneSideAreItsKernels) {
  EXPECT_THAT(Joined(block(), {kTwoConvolutions}).labels(), ElementsAre("b.conv1+bn1+act1", "b.conv2+bn2+add+act2"));
}

TEST(Regions, AreTheFinestOfWhichEveryKernelOfEverySideIsAUnion) {
  std::vector<Kernel> each;
  for (const work::GraphNode& one : block()) each.push_back(kernel(one.name, {one.name}));
  EXPECT_THAT(Joined(block(), {kTwoConvolutions, each}).labels(),
              ElementsAre("b.conv1+bn1+act1", "b.conv2+bn2+add+act2"));
  // One side has the Relu with the second convolution: neither cut is common to both.
  const std::vector<Kernel> shifted{kernel("c1", {"b.conv1", "b.bn1"}),
                                    kernel("c2", {"b.act1", "b.conv2", "b.bn2", "b.add", "b.act2"})};
  EXPECT_THAT(Joined(block(), {kTwoConvolutions, shifted}).labels(), ElementsAre("b.conv1+bn1+act1+conv2+3"));
}

TEST(Regions, HaveTheTimesOfTheirKernelsAndOfThoseThatAreAttached) {
  const std::vector<Kernel> kernels{kernel("reorder", {}), kTwoConvolutions[0], kTwoConvolutions[1], kernel("out", {})};
  const Joined joined(block(), {kernels});
  EXPECT_THAT(times_of(joined.regions, joined.owners[0], std::vector<double>{1, 20, 300, 4000}), ElementsAre(21, 4300));
}

TEST(Regions, LeaveOutNodesThatAreNowhere) {
  std::vector<work::GraphNode> nodes = block();
  nodes.push_back(node("constant", "Constant", {}));
  EXPECT_THAT(Joined(nodes, {kTwoConvolutions}).labels(), ElementsAre("b.conv1+bn1+act1", "b.conv2+bn2+add+act2"));
}

TEST(Regions, AreLabelledByTheWholeNameOfANodeElsewhere) {
  const std::vector<work::GraphNode> nodes{node("blocks.0/add", "Add", {"input"}),
                                           node("norm", "Mul", {"blocks.0/add"})};
  EXPECT_THAT(Joined(nodes, {{kernel("k", {"blocks.0/add", "norm"})}}).labels(), ElementsAre("blocks.0/add+norm"));
}

}  // namespace
}  // namespace ngb::explain

// SPDX-License-Identifier: Apache-2.0
// Work of regions, computed by hand.
#include "explain/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"

namespace ngb::explain {
namespace {

using testing::HasSubstr;

// input - conv1 - bn1 - act1 - conv2 - bn2 - add - act2, with a shortcut from act1 to add: every tensor has 100 bytes,
// a convolution 1000 multiply-adds and 40 bytes of weights, a normalisation 8 bytes of weights.
std::vector<work::GraphNode> counted() {
  std::vector<work::GraphNode> nodes = block();
  for (work::GraphNode& each : nodes) {
    each.macs = each.type == "Conv" ? 1000 : 0;
    each.weight_bytes = each.type == "Conv" ? 40 : each.type == "BatchNormalization" ? 8 : 0;
    each.input_bytes.assign(each.inputs.size(), 100);
    each.output_bytes.assign(each.outputs.size(), 100);
  }
  return nodes;
}

TEST(WorkOfNodes, CountsWeightsAndWhatComesFromOutsideAndLeavesOnce) {
  const std::vector<work::GraphNode> nodes = counted();
  const WorkOfNodes work(nodes);
  const std::vector<std::size_t> first{0, 1, 2};  // conv1, bn1, act1
  EXPECT_EQ(work.of(first).value->macs, 1000U);
  EXPECT_EQ(work.of(first).value->bytes, 40U + 8U + 100U + 100U) << "weights, the input, what act1 writes";
  const std::vector<std::size_t> second{3, 4, 5, 6};  // conv2, bn2, add, act2
  EXPECT_EQ(work.of(second).value->bytes, 40U + 8U + 100U + 100U) << "act1 is read by two nodes and counts once";
  EXPECT_EQ(work.of_all().value->macs, 2000U);
  EXPECT_EQ(work.of_all().value->bytes, 2 * 48U + 100U + 100U);
}

TEST(WorkOfNodes, CountsATensorThatIsUsedInsideAndOutsideAsLeaving) {
  const std::vector<work::GraphNode> nodes = counted();
  const std::vector<std::size_t> inner{0, 1, 2, 3};  // without bn2 and add, which read conv2 and act1
  EXPECT_EQ(WorkOfNodes(nodes).of(inner).value->bytes, 40U + 8U + 40U + 100U + 2 * 100U);
}

TEST(WorkOfNodes, IsUnknownWithTheNodeOrTensorThatIsNotKnown) {
  std::vector<work::GraphNode> nodes = counted();
  nodes[3].macs.reset();
  EXPECT_THAT(WorkOfNodes(nodes).of_all().reason, HasSubstr("multiply-adds of b.conv2 (Conv) are not counted"));
  nodes = counted();
  nodes[0].input_bytes[0].reset();
  EXPECT_EQ(WorkOfNodes(nodes).of_all().reason, "the file does not tell the size of the tensor \"input\"");
  nodes[0].input_bytes.clear();
  EXPECT_THAT(WorkOfNodes(nodes).of_all().reason, HasSubstr("a version of ngb that did not count the work of nodes"));
  EXPECT_THAT(WorkOfNodes({}).of_all().reason, HasSubstr("no file"));
}

}  // namespace
}  // namespace ngb::explain

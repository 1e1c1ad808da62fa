// SPDX-License-Identifier: Apache-2.0
#include "zoo/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::zoo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> constant_of(const Graph& graph, const std::string& name) {
  for (const Initializer& initializer : graph.initializers()) {
    if (initializer.tensor.name == name) return std::get<std::vector<std::int64_t>>(initializer.content);
  }
  return {};
}

TEST(Reshape, StatesTheWholeShape) {
  Graph graph;
  const Tensor x = graph.input("input", DataType::f32, {2, 6, 4});
  EXPECT_THAT(reshape(graph, "r", x, {2, 24}).shape, ElementsAre(2, 24));
  EXPECT_THAT(constant_of(graph, "r/shape"), ElementsAre(2, 24));
}

TEST(Reshape, LeavesADynamicBatchOpen) {
  Graph graph(BatchKind::dynamic);
  const Tensor x = graph.input("input", DataType::f32, {1, 6, 4});
  reshape(graph, "r", x, {3, 8});
  EXPECT_THAT(constant_of(graph, "r/shape"), ElementsAre(-1, 8));
}

TEST(Reshape, RefusesAnotherNumberOfElements) {
  Graph graph;
  reshape(graph, "r", graph.input("input", DataType::f32, {2, 6}), {5, 2});
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().text(), HasSubstr("[2, 6] cannot become [5, 2]"));
}

TEST(Transpose, PermutesTheExtents) {
  Graph graph;
  EXPECT_THAT(transpose(graph, "t", graph.input("input", DataType::f32, {2, 3, 4, 5}), {0, 2, 3, 1}).shape,
              ElementsAre(2, 4, 5, 3));
}

TEST(Split, GivesEqualPartsOfTheLastDimension) {
  Graph graph;
  const std::vector<Tensor> parts =
      split(graph, "qkv", graph.input("input", DataType::f32, {1, 4, 12}), {"q", "k", "v"});
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[1].name, "qkv/k");
  EXPECT_THAT(parts[1].shape, ElementsAre(1, 4, 4));
}

// torch.roll(x, -2) of five elements: 2 3 4 0 1.
TEST(Roll, CutsBeforeTheNewFirstElement) {
  Graph graph;
  const Tensor x = graph.input("input", DataType::f32, {1, 5});
  EXPECT_THAT(roll(graph, "left", x, 1, -2).shape, ElementsAre(1, 5));
  EXPECT_THAT(constant_of(graph, "left/tail/first"), ElementsAre(2));
  roll(graph, "right", x, 1, 2);
  EXPECT_THAT(constant_of(graph, "right/tail/first"), ElementsAre(3));
}

TEST(PadEnd, AddsZerosAfterEachAxis) {
  Graph graph;
  EXPECT_THAT(pad_end(graph, "pad", graph.input("input", DataType::f32, {1, 6, 6, 3}), {0, 1, 2, 0}).shape,
              ElementsAre(1, 7, 8, 3));
  EXPECT_THAT(constant_of(graph, "pad/pads"), ElementsAre(0, 0, 0, 0, 0, 1, 2, 0));
}

TEST(RepeatForBatch, AddsNoNodeForOneSample) {
  Graph graph;
  const Tensor x = graph.input("input", DataType::f32, {1, 4, 8});
  const Tensor row = graph.initializer("cls_token", {1, 1, 8}, {});
  EXPECT_EQ(repeat_for_batch(graph, "rows", row, x).name, "cls_token");
  EXPECT_TRUE(graph.nodes().empty());
}

TEST(RepeatForBatch, AsksADynamicBatchForItsSize) {
  Graph graph(BatchKind::dynamic);
  const Tensor x = graph.input("input", DataType::f32, {1, 4, 8});
  repeat_for_batch(graph, "rows", graph.initializer("cls_token", {1, 1, 8}, {}), x);
  std::vector<std::string> operators;
  for (const Node& node : graph.nodes()) operators.push_back(node.op_type);
  EXPECT_THAT(operators, ElementsAre("Shape", "Concat", "Expand"));
}

TEST(Constant, NeedsASlashInItsName) {
  Graph graph;
  graph.constant("mask", {2}, std::vector<float>{0, 1});
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().text(), HasSubstr("a name without a slash"));
}

}  // namespace
}  // namespace ngb::zoo

// SPDX-License-Identifier: Apache-2.0
#include "zoo/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "zoo/counting.h"

namespace ngb::zoo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor image(Graph& graph, std::int64_t batch, std::int64_t channels, std::int64_t size) {
  return graph.input("input", DataType::f32, {batch, channels, size, size});
}

TEST(Conv2d, HasTheShapeOfTorchsConv2d) {
  Graph graph;
  const Conv2d options{.channels = 64, .kernel = 7, .stride = 2, .padding = 3};
  EXPECT_THAT(conv2d(graph, "conv1", image(graph, 2, 3, 224), options).shape, ElementsAre(2, 64, 112, 112));
  EXPECT_EQ(graph.initializers().front().tensor.name, "conv1.weight");
  EXPECT_THAT(graph.initializers().front().tensor.shape, ElementsAre(64, 3, 7, 7));
}

TEST(Conv2d, CountsParametersAndMacs) {
  Graph graph;
  conv2d(graph, "conv", image(graph, 2, 3, 8), {.channels = 4, .kernel = 3, .padding = 1, .bias = true});
  const Layer& row = graph.layers().front();
  EXPECT_EQ(row.parameters, 3 * 3 * 3 * 4 + 4U);
  EXPECT_EQ(row.macs, 2 * 8 * 8 * 4 * 27U);
  EXPECT_EQ(row.macs_torchinfo, 2 * 8 * 8 * (27 * 4 + 4U));  // weight and bias at each output position
}

TEST(Conv2d, WithGroupsSeesOnlyTheChannelsOfAGroup) {
  Graph graph;
  conv2d(graph, "depthwise", image(graph, 1, 32, 10), {.channels = 32, .kernel = 3, .padding = 1, .groups = 32});
  EXPECT_THAT(graph.initializers().front().tensor.shape, ElementsAre(32, 1, 3, 3));
  EXPECT_EQ(graph.layers().front().macs, 10 * 10 * 32 * 9U);
}

TEST(Conv2d, RefusesGroupsThatDoNotDivideTheChannels) {
  Graph graph;
  conv2d(graph, "conv", image(graph, 1, 3, 8), {.channels = 4, .groups = 2});
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().text(), HasSubstr("2 groups do not divide 3 and 4 channels"));
}

TEST(Conv2d, RefusesAWindowLargerThanTheImage) {
  Graph graph;
  conv2d(graph, "conv", image(graph, 1, 3, 4), {.channels = 4, .kernel = 7});
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().text(), HasSubstr("[1, 4, 0, 0]"));
}

TEST(BatchNorm2d, HasTwoTrainableNumbersForEachChannelAndCountsOncePerImage) {
  Graph graph;
  batch_norm2d(graph, "bn1", image(graph, 4, 16, 8));
  EXPECT_EQ(graph.layers().front().parameters, 32U);
  EXPECT_EQ(graph.layers().front().macs, 0U);
  EXPECT_EQ(graph.layers().front().macs_torchinfo, 4 * 32U);
  EXPECT_THAT(graph.nodes().front().inputs,
              ElementsAre("input", "bn1.weight", "bn1.bias", "bn1.running_mean", "bn1.running_var"));
}

TEST(Linear, CountsTheBiasOnlyIfTorchinfoDoes) {
  Graph graph;
  const Tensor x = graph.input("input", DataType::f32, {8, 512});
  EXPECT_THAT(linear(graph, "fc", x, {.features = 1000}).shape, ElementsAre(8, 1000));
  EXPECT_EQ(graph.layers().front().parameters, 513000U);
  EXPECT_EQ(graph.layers().front().macs, 8 * 512000U);
  EXPECT_EQ(graph.layers().front().macs_torchinfo, 8 * 513000U);
}

TEST(Pooling, HasTheShapesOfTorchsPooling) {
  Graph graph;
  const Tensor x = max_pool2d(graph, "pool", image(graph, 1, 64, 112), {.kernel = 3, .stride = 2, .padding = 1});
  EXPECT_THAT(x.shape, ElementsAre(1, 64, 56, 56));
  const Tensor pooled = global_average_pool(graph, "average", x);
  EXPECT_THAT(pooled.shape, ElementsAre(1, 64, 1, 1));
  EXPECT_THAT(flatten(graph, "flatten", pooled).shape, ElementsAre(1, 64));
}

TEST(Add, RefusesUnequalShapes) {
  Graph graph;
  const Tensor x = image(graph, 1, 3, 8);
  add(graph, "add", x, max_pool2d(graph, "pool", x, {.kernel = 2, .stride = 2}));
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().text(), HasSubstr("[1, 3, 8, 8] and [1, 3, 4, 4] cannot be added"));
}

TEST(Graph, KeepsTheFirstErrorAndIgnoresLaterLayers) {
  Graph graph;
  Tensor x = conv2d(graph, "first", image(graph, 1, 3, 2), {.channels = 4, .kernel = 5});
  x = relu(graph, "act", batch_norm2d(graph, "bn", x));
  graph.output(linear(graph, "fc", flatten(graph, "flatten", x), {.features = 10}), "output");
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().where, "first");
  EXPECT_TRUE(graph.outputs().empty());
}

TEST(Graph, RefusesANameThatIsUsedTwice) {
  Graph graph;
  const Tensor x = image(graph, 1, 3, 8);
  relu(graph, "act", x);
  relu(graph, "act", x);
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().text(), HasSubstr("the name is given twice"));
}

TEST(Graph, RefusesATensorLargerThanAnyMemory) {
  Graph graph;
  conv2d(graph, "conv", image(graph, 1, 1000000000, 1), {.channels = 1000000000, .kernel = 3, .padding = 1});
  ASSERT_TRUE(graph.failed());
  EXPECT_THAT(graph.status().error().text(), HasSubstr("larger than any machine's memory"));
}

TEST(Graph, RenamesTheOutputWhereverItIsUsed) {
  Graph graph;
  const Tensor x = relu(graph, "a", image(graph, 1, 3, 8));
  relu(graph, "b", x);
  graph.output(x, "output");
  EXPECT_EQ(graph.nodes()[0].outputs[0].name, "output");
  EXPECT_THAT(graph.nodes()[1].inputs, ElementsAre("output"));
}

TEST(Counting, RefusesCountsBeyond64Bits) {
  EXPECT_EQ(product({3, 5, 7}), 105U);
  EXPECT_EQ(product({1LL << 40, 1LL << 40}), std::nullopt);
  EXPECT_FALSE(total({{.macs = ~0ULL}, {.macs = 1}}));
}

}  // namespace
}  // namespace ngb::zoo

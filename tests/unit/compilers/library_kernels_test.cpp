// SPDX-License-Identifier: Apache-2.0
// What plugins make of the profiles of their libraries.
#include "ngraphbench/plugin_boundary.h"
#include "onnx_nodes.h"
#include "onnxruntime/kernels.h"
#include "openvino/kernels.h"

#include <gtest/gtest.h>

namespace ngb {
namespace {

using plugin::OnnxNodes;
using Words = std::vector<std::string>;

// One field of a Protobuf message whose content is shorter than 128 bytes, or a message around such.
std::string field(int number, const std::string& content) {
  std::string bytes(1, static_cast<char>(number * 8 + 2));
  std::size_t size = content.size();
  for (; size >= 128; size /= 128) bytes += static_cast<char>(size % 128 + 128);
  return bytes + static_cast<char>(size) + content;
}

struct Node {
  std::string name, type;
  Words inputs, outputs;
  std::string activation{};
};

OnnxNodes nodes_of(const std::vector<Node>& nodes) {
  std::string graph;
  for (const Node& node : nodes) {
    std::string bytes;
    for (const std::string& input : node.inputs) bytes += field(1, input);
    for (const std::string& output : node.outputs) bytes += field(2, output);
    bytes += field(3, node.name) + field(4, node.type);
    if (!node.activation.empty()) bytes += field(5, field(1, "activation") + field(4, node.activation));
    graph += field(1, bytes);
  }
  return OnnxNodes(field(7, graph));
}

// The end of a residual block.
OnnxNodes block() {
  return nodes_of({{"conv", "Conv", {"x", "w"}, {"c"}},
                   {"bn", "BatchNormalization", {"c", "scale"}, {"b"}},
                   {"add", "Add", {"b", "x"}, {"a"}},
                   {"act", "Relu", {"a"}, {"r"}},
                   {"pool", "GlobalAveragePool", {"r"}, {"y"}}});
}

std::string event(const std::string& node, const std::string& type, int begin, int us) {
  return R"({"cat":"Node","name":")" + node + R"(_kernel_time","ts":)" + std::to_string(begin) + R"(,"dur":)" +
         std::to_string(us) + R"(,"args":{"op_name":")" + type + R"("}},)";
}

constexpr const char* kRun = R"({"cat":"Session","name":"model_run","dur":1},)";

std::string profile(const std::string& events) { return "[" + events + R"({"cat":"Session","name":"end"}])"; }

}  // namespace

TEST(OnnxNodesOfAFile, WithoutANameOrWithThatOfAnotherHaveTypeAndIndex) {
  const OnnxNodes nodes = nodes_of({{"", "Conv", {"x"}, {"a"}},
                                    {"twice", "Relu", {"a"}, {"b"}},
                                    {"twice", "Relu", {"b"}, {"c"}},
                                    {"once", "Add", {"c", "a"}, {"y"}}});
  Words names;
  for (const plugin::OnnxNode& node : nodes.all()) names.push_back(node.name);
  EXPECT_EQ(names, (Words{"Conv:0", "Relu:1", "Relu:2", "once"}));
  EXPECT_EQ(nodes.producer_of("b")->name, "Relu:1");
  EXPECT_EQ(nodes.consumer_of("a", "Add")->name, "once");
  EXPECT_EQ(nodes.consumer_of("a", "Mul"), nullptr);
}

TEST(OnnxNodesOfAFile, AreRefusedIfTheFileIsDamaged) {
  EXPECT_THROW(OnnxNodes(std::string_view("\x3a\x7fshort", 7)), plugin::Failure);
}

TEST(KernelsOfOnnxRuntime, AreMeansOverTheLastInferences) {
  const OnnxNodes model = nodes_of({{"a", "Relu", {"x"}, {"y"}}});
  const auto kernels = onnxruntime::kernels_of(
      profile(event("a", "Relu", 0, 90) + kRun + event("a", "Relu", 1, 2) + kRun + event("a", "Relu", 2, 4) + kRun), 2,
      model, model);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].ns, 3'000);
  EXPECT_EQ(kernels[0].nodes, Words{"a"});
  EXPECT_EQ(kernels[0].outputs, Words{"y"});
  EXPECT_EQ(kernels[0].found_by, "tensor name");
}

TEST(KernelsOfOnnxRuntime, HaveTheSumAndTheActivationOfAConvolution) {
  const OnnxNodes optimised = nodes_of({{"b_nchwc", "Conv", {"t1", "w2", "bias", "t2"}, {"t3"}, "Relu"},
                                        {"ReorderOutput", "ReorderOutput", {"t3"}, {"r"}},
                                        {"y_nchwc", "GlobalAveragePool", {"t3"}, {"t4"}}});
  const auto kernels =
      onnxruntime::kernels_of(profile(event("b_nchwc", "Conv", 0, 5) + event("ReorderOutput", "ReorderOutput", 5, 1) +
                                      event("y_nchwc", "GlobalAveragePool", 6, 1) + kRun),
                              1, optimised, block());
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0].nodes, (Words{"bn", "add", "act"}));
  EXPECT_EQ(kernels[0].outputs, Words{"r"});
  EXPECT_EQ(kernels[0].found_by, "node name");
  EXPECT_EQ(kernels[1].nodes, Words{});  // it only moves what another kernel has computed
  EXPECT_EQ(kernels[1].outputs, Words{"r"});
  EXPECT_EQ(kernels[2].nodes, Words{"pool"});
}

TEST(KernelsOfOnnxRuntime, HaveTheSumOfAProductWhoseResultIsReshaped) {
  const OnnxNodes model = nodes_of({{"fc/product", "MatMul", {"x", "w"}, {"p"}}, {"fc", "Add", {"p", "b"}, {"y"}}});
  const OnnxNodes optimised = nodes_of({{"fc/product/MatMulAddFusion", "Gemm", {"x2", "w", "b"}, {"y2"}},
                                        {"gemm_output_reshape", "Reshape", {"y2", "s"}, {"y"}}});
  const auto kernels = onnxruntime::kernels_of(
      profile(event("fc/product/MatMulAddFusion", "Gemm", 0, 5) + event("gemm_output_reshape", "Reshape", 5, 1) + kRun),
      1, optimised, model);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].nodes, (Words{"fc/product", "fc"}));
  EXPECT_EQ(kernels[1].outputs, Words{"y"});
}

TEST(KernelsOfOnnxRuntime, HaveNamesWithoutTheNumbersThatDifferBetweenSessions) {
  const OnnxNodes model = nodes_of({{"Reorder_token_12", "ReorderOutput", {"x"}, {"y"}}});
  const auto kernels =
      onnxruntime::kernels_of(profile(event("Reorder_token_12", "ReorderOutput", 0, 1) + kRun), 1, model, model);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].name, "Reorder");
}

TEST(KernelsOfOnnxRuntime, AreInTheOrderOfTheFirstProfile) {
  const std::vector<Kernel> first{{.name = "a", .ns = 1}, {.name = "b", .ns = 2}, {.name = "a", .ns = 3}};
  const auto ordered =
      onnxruntime::in_order_of(first, {{.name = "b", .ns = 20}, {.name = "a", .ns = 10}, {.name = "a", .ns = 30}});
  ASSERT_EQ(ordered.size(), 3U);
  EXPECT_EQ(ordered[0].ns, 10);
  EXPECT_EQ(ordered[1].ns, 20);
  EXPECT_EQ(ordered[2].ns, 30);
  EXPECT_EQ(onnxruntime::in_order_of(first, {{.name = "c"}}).front().name, "c");
}

TEST(KernelsOfOnnxRuntime, OfASubgraphArePartsOfTheNodeThatRunsIt) {
  const OnnxNodes model = nodes_of({{"loop", "Loop", {"x"}, {"y"}}});
  const auto kernels = onnxruntime::kernels_of(
      profile(event("inner", "Add", 11, 2) + event("inner", "Add", 14, 2) + event("loop", "Loop", 10, 9) + kRun), 1,
      model, model);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].ns, 9'000);
}

TEST(KernelsOfOnnxRuntime, AreRefusedIfTheProfileIsCutOrItsInferencesDiffer) {
  const OnnxNodes model = nodes_of({{"a", "Relu", {"x"}, {"y"}}});
  EXPECT_THROW((void)onnxruntime::kernels_of("[{\"cat\":", 1, model, model), plugin::Failure);
  EXPECT_THROW((void)onnxruntime::kernels_of(profile(event("a", "Relu", 0, 1) + kRun), 2, model, model),
               plugin::Failure);
  EXPECT_THROW((void)onnxruntime::kernels_of(profile(event("a", "Relu", 0, 1) + kRun + event("b", "Relu", 0, 1) + kRun),
                                             2, model, model),
               plugin::Failure);
}

TEST(KernelsOfOpenVino, AreTheDifferenceOfTwoMeans) {
  // 10 us in the first two inferences, 7 us over all five: (5 * 7 - 2 * 10) / 3.
  const openvino::Reading before{{{"conv", "Convolution", "jit", true, 10}}, 2};
  const openvino::Reading after{{{"conv", "Convolution", "jit", true, 7}}, 5};
  const auto kernels = openvino::kernels_between(before, after, {}, block());
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_DOUBLE_EQ(kernels[0].ns, 5'000);
}

TEST(KernelsOfOpenVino, HaveTheNodesThatTheExecutedGraphNames) {
  const auto originals = openvino::original_names(
      R"(<layer id="1" name="Multiply_5" type="Convolution"><data originalLayersNames="Multiply_5,bn,a&amp;b,act" />)"
      R"(</layer><layer id="2" name="reorder"><data originalLayersNames="" /></layer>)");
  EXPECT_EQ(originals.at("Multiply_5"), (Words{"Multiply_5", "bn", "a&b", "act"}));
  const openvino::Reading before{{{"x", "Parameter", "unknown_f32", false, 0},
                                  {"Multiply_5", "Convolution", "jit", true, 4},
                                  {"act", "Relu", "undef", false, 0},
                                  {"reorder", "Reorder", "jit", true, 1}},
                                 1};
  openvino::Reading after = before;
  after.inferences = 2;
  const auto kernels = openvino::kernels_between(before, after, originals, block());
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].nodes, (Words{"bn", "act"}));
  EXPECT_EQ(kernels[0].outputs, Words{"r"});
  EXPECT_EQ(kernels[1].nodes, Words{});
}

// A node whose mean falls below a microsecond is said to be executed in one of the two readings only.
TEST(KernelsOfOpenVino, AreTheNodesThatItSaysItExecuted) {
  const openvino::Reading before{{{"copy", "Reorder", "jit", false, 0}, {"pool", "Pooling", "jit", true, 1}}, 1};
  const openvino::Reading after{{{"copy", "Reorder", "jit", false, 0}, {"pool", "Pooling", "jit", false, 0}}, 2};
  const auto kernels = openvino::kernels_between(before, after, {}, block());
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].name, "pool");
  EXPECT_EQ(kernels[0].ns, 0);
}

TEST(KernelsOfOpenVino, HaveTheNodesThatFollowThemAsPartsIfThereIsNoGraph) {
  const openvino::Reading before{
      {{"conv/WithoutBiases", "Convolution", "jit", true, 4}, {"act", "Relu", "undef", false, 0}}, 1};
  openvino::Reading after = before;
  after.inferences = 2;
  const auto kernels = openvino::kernels_between(before, after, {}, block());
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].nodes, (Words{"conv", "act"}));
}

}  // namespace ngb

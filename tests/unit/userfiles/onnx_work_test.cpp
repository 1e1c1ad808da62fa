// SPDX-License-Identifier: Apache-2.0
// Multiply-adds and bytes of nodes, computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder.h"
#include "onnx/onnx.pb.h"
#include "userfiles/onnx_graph.h"

namespace ngb::userfiles {
namespace {

using testing::ElementsAre;
using testing::Optional;

class OnnxWork : public testing::Test {
 protected:
  OnnxWork() {
    model_.set_ir_version(9);
    model_.add_opset_import()->set_version(20);
    model_.mutable_graph()->add_input()->set_name("x");
  }

  void weight(const std::string& name, const std::vector<std::int64_t>& extents) {
    onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t each : extents) tensor.add_dims(each);
  }
  void list(const std::string& name, const std::vector<std::int64_t>& values) {
    onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t each : values) tensor.add_int64_data(each);
  }
  onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& made = *model_.mutable_graph()->add_node();
    made.set_name(output);
    made.set_op_type(type);
    for (const std::string& each : inputs) made.add_input(each);
    made.add_output(output);
    return made;
  }
  static void integers(onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    for (const std::int64_t each : values) attribute.add_ints(each);
  }
  static void integer(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_i(value);
  }
  // Returns the nodes for an input of this shape; the file tells no shape at all.
  std::vector<work::GraphNode> nodes(const std::vector<std::int64_t>& input) {
    const zoo::Folder folder;
    zoo::put(folder.path() / "net.onnx", model_.SerializeAsString());
    const std::vector<TensorSignature> inputs{{"x", DataType::f32, input}};
    return read_graph(folder.path() / "net.onnx", inputs).value();
  }

  onnx::ModelProto model_{};
};

TEST_F(OnnxWork, OfAConvolutionIsItsOutputTimesAFilter) {
  weight("w", {8, 4, 3, 3});
  onnx::NodeProto& conv = node("Conv", {"x", "w"}, "y");
  integers(conv, "strides", {2, 2});
  integers(conv, "pads", {1, 1, 1, 1});
  const auto found = nodes({2, 4, 9, 11}).front();  // to [2, 8, 5, 6]
  EXPECT_THAT(found.macs, Optional(2 * 8 * 5 * 6 * 4 * 9));
  EXPECT_THAT(found.weight_bytes, Optional(8 * 4 * 9 * 4));
  EXPECT_THAT(found.input_bytes, ElementsAre(Optional(2 * 4 * 9 * 11 * 4)));
  EXPECT_THAT(found.output_bytes, ElementsAre(Optional(2 * 8 * 5 * 6 * 4)));
}

TEST_F(OnnxWork, OfADepthwiseConvolutionHasFiltersOfOneChannel) {
  weight("w", {6, 1, 3, 3});
  onnx::NodeProto& conv = node("Conv", {"x", "w"}, "y");
  integer(conv, "group", 6);
  EXPECT_THAT(nodes({1, 6, 10, 10}).front().macs, Optional(6 * 8 * 8 * 9));
}

TEST_F(OnnxWork, OfProductsIsTheProductOfTheirThreeExtents) {
  weight("w", {16, 32});
  weight("v", {10, 32});
  weight("bias", {10});
  node("MatMul", {"x", "w"}, "wide");  // [3, 5, 16] -> [3, 5, 32]
  list("rows", {-1, 32});
  node("Reshape", {"wide", "rows"}, "flat");  // [15, 32]
  integer(node("Gemm", {"flat", "v", "bias"}, "y"), "transB", 1);
  const auto found = nodes({3, 5, 16});
  EXPECT_THAT(found[0].macs, Optional(3 * 5 * 16 * 32));
  EXPECT_THAT(found[1].macs, Optional(0));
  EXPECT_THAT(found[2].macs, Optional(15 * 32 * 10));
  EXPECT_THAT(found[2].weight_bytes, Optional((10 * 32 + 10) * 4));
  EXPECT_THAT(found[2].output_bytes, ElementsAre(Optional(15 * 10 * 4)));
}

TEST_F(OnnxWork, FollowsShapesThatAFileWithAnOpenBatchComputes) {
  list("first", {0});
  list("rest", {-1});
  list("axes", {0});
  weight("w", {24, 7});
  node("Shape", {"x"}, "shape");
  integer(node("Gather", {"shape", "first"}, "batch"), "axis", 0);
  integer(node("Concat", {"batch", "rest"}, "wanted"), "axis", 0);
  node("Reshape", {"x", "wanted"}, "rows");  // [5, 2, 3, 4] -> [5, 24]
  node("Gemm", {"rows", "w"}, "y");
  EXPECT_THAT(nodes({5, 2, 3, 4}).back().macs, Optional(5 * 24 * 7));
}

TEST_F(OnnxWork, ReadsOfATableOnlyWhatItWrites) {
  weight("table", {1000, 8});
  node("Gather", {"table", "x"}, "rows");
  const auto found = nodes({1, 6}).front();
  EXPECT_THAT(found.weight_bytes, Optional(6 * 8 * 4));
  EXPECT_THAT(found.output_bytes, ElementsAre(Optional(6 * 8 * 4)));
}

TEST_F(OnnxWork, IsNotKnownOfAnOperatorThatIsNotCounted) {
  node("LSTM", {"x"}, "y");
  node("Relu", {"y"}, "z");
  const auto found = nodes({1, 4, 8});
  EXPECT_EQ(found[0].macs, std::nullopt);
  EXPECT_THAT(found[0].output_bytes, ElementsAre(std::nullopt));
  EXPECT_THAT(found[1].macs, Optional(0));
  EXPECT_THAT(found[1].input_bytes, ElementsAre(std::nullopt));
}

TEST_F(OnnxWork, TrustsTheShapesThatTheFileTells) {
  node("Unknown", {"x"}, "y").set_domain("theirs");
  onnx::ValueInfoProto& told = *model_.mutable_graph()->add_value_info();
  told.set_name("y");
  told.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT16);
  for (const std::int64_t each : {4, 5}) {
    told.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(each);
  }
  const auto found = nodes({1}).front();
  EXPECT_EQ(found.macs, std::nullopt) << "another domain's";
  EXPECT_THAT(found.output_bytes, ElementsAre(Optional(4 * 5 * 2)));
}

TEST_F(OnnxWork, OfExtentsWhoseProductExceeds64BitsIsNotKnown) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 31;
  weight("w", {kLarge, kLarge, kLarge, kLarge});
  node("Conv", {"x", "w"}, "y");
  const auto found = nodes({kLarge, kLarge, kLarge, kLarge}).front();
  EXPECT_EQ(found.macs, std::nullopt);
  EXPECT_EQ(found.weight_bytes, std::nullopt);
}

}  // namespace
}  // namespace ngb::userfiles

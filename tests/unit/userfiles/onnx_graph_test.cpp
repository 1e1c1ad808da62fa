// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder.h"
#include "onnx/onnx.pb.h"

namespace ngb::userfiles {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void add_node(onnx::GraphProto& graph, const std::string& name, const std::string& type,
              const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_name(name);
  node.set_op_type(type);
  for (const std::string& each : inputs) node.add_input(each);
  for (const std::string& each : outputs) node.add_output(each);
}

onnx::ModelProto empty_model() {
  onnx::ModelProto model;
  model.set_ir_version(9);
  model.add_opset_import()->set_version(20);
  model.mutable_graph()->add_input()->set_name("x");
  return model;
}

Result<std::vector<work::GraphNode>> read(const onnx::ModelProto& model) {
  const zoo::Folder folder;
  zoo::put(folder.path() / "net.onnx", model.SerializeAsString());
  return read_graph(folder.path() / "net.onnx", {});
}

TEST(OnnxGraph, HasEachNodeWithItsTypeAndTensorsWithoutWeights) {
  onnx::ModelProto model = empty_model();
  model.mutable_graph()->add_initializer()->set_name("w");
  model.mutable_graph()->add_input()->set_name("w");  // as old files have it
  add_node(*model.mutable_graph(), "conv", "Conv", {"x", "w", ""}, {"y"});
  add_node(*model.mutable_graph(), "drop", "Dropout", {"y"}, {"z", ""});
  const auto nodes = read(model).value();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "conv");
  EXPECT_EQ(nodes[0].type, "Conv");
  EXPECT_THAT(nodes[0].inputs, ElementsAre("x"));
  EXPECT_THAT(nodes[1].inputs, ElementsAre("y"));
  EXPECT_THAT(nodes[1].outputs, ElementsAre("z"));
}

TEST(OnnxGraph, CallsNodesWithoutANameOfTheirOwnByTypeAndIndex) {
  onnx::ModelProto model = empty_model();
  add_node(*model.mutable_graph(), "", "Relu", {"x"}, {"a"});
  add_node(*model.mutable_graph(), "twice", "Add", {"a", "a"}, {"b"});
  add_node(*model.mutable_graph(), "once", "Mul", {"b", "b"}, {"c"});
  add_node(*model.mutable_graph(), "twice", "Sub", {"c", "a"}, {"d"});
  std::vector<std::string> names;
  const auto nodes = read(model).value();
  for (const work::GraphNode& node : nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("Relu:0", "Add:1", "once", "Sub:3"));
}

TEST(OnnxGraph, LeavesOutNodesOfSubgraphs) {
  onnx::ModelProto model = empty_model();
  add_node(*model.mutable_graph(), "if", "If", {"x"}, {"y"});
  onnx::AttributeProto& branch = *model.mutable_graph()->mutable_node(0)->add_attribute();
  branch.set_name("then_branch");
  add_node(*branch.mutable_g(), "inner", "Relu", {"x"}, {"z"});
  const auto nodes = read(model).value();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].name, "if");
}

TEST(OnnxGraph, OfAFileThatIsNoModelIsRefused) {
  const zoo::Folder folder;
  zoo::put(folder.path() / "net.onnx", "not a model");
  EXPECT_THAT(read_graph(folder.path() / "net.onnx", {}).error().what, HasSubstr("not an ONNX model"));
}

}  // namespace
}  // namespace ngb::userfiles

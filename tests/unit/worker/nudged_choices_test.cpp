// SPDX-License-Identifier: Apache-2.0
#include "worker/nudged_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/file.h"
#include "onnx/onnx.pb.h"
#include "temporary_folder.h"

namespace ngb::worker {
namespace {

using testing::ElementsAre;

void add_node(onnx::GraphProto& graph, const char* type, const std::vector<std::string>& inputs, const char* output) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(type);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
}

class NudgedChoices : public testing::Test {
 protected:
  NudgedChoices() {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    onnx::TensorProto& weight = *graph().add_initializer();
    weight.set_name("w");
    weight.set_raw_data(std::string(4096, '\7'));
  }

  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  // Returns whether there is a copy; `copied_` is it.
  bool copy() {
    EXPECT_TRUE(file::write_atomically(folder_ / "model.onnx", model_.SerializeAsString()));
    const Result<bool> written = write_with_nudged_choices(folder_ / "model.onnx", folder_ / "copy.onnx");
    EXPECT_TRUE(written) << written.error().text();
    if (!written.value_or(false)) return false;
    EXPECT_TRUE(copied_.ParseFromString(file::read(folder_ / "copy.onnx").value()));
    return true;
  }

  static const onnx::NodeProto& only(const onnx::GraphProto& graph, const std::string& type) {
    const onnx::NodeProto* found = nullptr;
    for (const onnx::NodeProto& node : graph.node()) {
      if (node.op_type() != type) continue;
      EXPECT_EQ(found, nullptr) << type;
      found = &node;
    }
    EXPECT_NE(found, nullptr) << type;
    return *found;
  }

  TemporaryFolder folder_;
  onnx::ModelProto model_;
  onnx::ModelProto copied_;
};

TEST_F(NudgedChoices, AreMadeOfEachValueThatIsChosenBy) {
  add_node(graph(), "MatMul", {"x", "w"}, "scores");
  add_node(graph(), "TopK", {"scores", "k"}, "best");
  ASSERT_TRUE(copy());
  const onnx::GraphProto& copied = copied_.graph();
  EXPECT_EQ(copied.initializer(0).SerializeAsString(), graph().initializer(0).SerializeAsString());
  EXPECT_EQ(copied.node(0).SerializeAsString(), graph().node(0).SerializeAsString());
  std::vector<std::string> added;
  for (int i = 1; i < copied.node_size(); ++i) added.push_back(copied.node(i).op_type());
  EXPECT_THAT(added, ElementsAre("Shape", "Size", "Constant", "Constant", "Range", "Cast", "Sin", "Constant",
                                 "Constant", "Mul", "Add", "Reshape", "CastLike", "Mul", "TopK"));
  const onnx::NodeProto& topk = only(copied, "TopK");
  EXPECT_THAT(std::vector(topk.input().begin(), topk.input().end()), ElementsAre("ngb_nudged_0_value", "k"));
  EXPECT_EQ(topk.output(0), "best");
  const onnx::NodeProto& last = copied.node(copied.node_size() - 2);
  EXPECT_THAT(std::vector(last.input().begin(), last.input().end()), ElementsAre("scores", "ngb_nudged_0_factor"));
}

TEST_F(NudgedChoices, ReachIntoBranches) {
  add_node(graph(), "If", {"c"}, "boxes");
  onnx::AttributeProto& branch = *graph().mutable_node(0)->add_attribute();
  branch.set_name("then_branch");
  branch.set_type(onnx::AttributeProto::GRAPH);
  add_node(*branch.mutable_g(), "NonMaxSuppression", {"boxes", "scores", "most"}, "kept");
  ASSERT_TRUE(copy());
  const onnx::NodeProto& kept = only(copied_.graph().node(0).attribute(0).g(), "NonMaxSuppression");
  EXPECT_THAT(std::vector(kept.input().begin(), kept.input().end()),
              ElementsAre("ngb_nudged_0_value", "ngb_nudged_1_value", "most"));
}

TEST_F(NudgedChoices, AreNotMadeIfNothingChooses) {
  add_node(graph(), "MatMul", {"x", "w"}, "y");
  EXPECT_FALSE(copy());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "copy.onnx"));
}

TEST_F(NudgedChoices, AreNotMadeOfAnOperatorOfAnotherDomain) {
  add_node(graph(), "TopK", {"x", "k"}, "y");
  graph().mutable_node(0)->set_domain("com.example");
  EXPECT_FALSE(copy());
}

TEST_F(NudgedChoices, AreNotMadeInAnOpsetWithoutRange) {
  add_node(graph(), "ArgMax", {"x"}, "y");
  model_.mutable_opset_import(0)->set_version(10);
  EXPECT_FALSE(copy());
}

TEST_F(NudgedChoices, FailForWhatIsNoOnnxFile) {
  add_node(graph(), "ArgMax", {"x"}, "y");
  const std::string whole = model_.SerializeAsString();
  ASSERT_TRUE(file::write_atomically(folder_ / "model.onnx", whole.substr(0, whole.size() - 5)));
  EXPECT_FALSE(write_with_nudged_choices(folder_ / "model.onnx", folder_ / "copy.onnx"));
  ASSERT_TRUE(file::write_atomically(folder_ / "model.onnx", ""));
  EXPECT_FALSE(write_with_nudged_choices(folder_ / "model.onnx", folder_ / "copy.onnx"));
}

}  // namespace
}  // namespace ngb::worker

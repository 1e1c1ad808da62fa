// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <functional>
#include <random>

#include "base/hash.h"
#include "folder.h"
#include "onnx/onnx.pb.h"
#include "userfiles/onnx_scan.h"
#include "zoo/recipe.h"

namespace ngb::userfiles {
namespace {

using testing::HasSubstr;
using zoo::content;
using zoo::put;

// "batch" or "seq" become dynamic extents.
using Extents = std::vector<std::string>;

void add_input(onnx::GraphProto& graph, const std::string& name, int type, const Extents& extents) {
  onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name(name);
  onnx::TypeProto::Tensor& tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const std::string& extent : extents) {
    onnx::TensorShapeProto::Dimension& added = *tensor.mutable_shape()->add_dim();
    if (std::isdigit(static_cast<unsigned char>(extent.front())) != 0) {
      added.set_dim_value(std::stoll(extent));
    } else {
      added.set_dim_param(extent);
    }
  }
}

onnx::ModelProto tiny_model(const Extents& extents, int type = onnx::TensorProto::FLOAT) {
  onnx::ModelProto model;
  model.set_ir_version(9);
  model.add_opset_import()->set_version(20);
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "tokens", type, extents);
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("MatMul");
  node.add_input("tokens");
  node.add_input("weight");
  node.add_output("y");
  onnx::TensorProto& weight = *graph.add_initializer();
  weight.set_name("weight");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(64);
  weight.add_dims(64);
  weight.set_raw_data(std::string(16384, '\1'));
  return model;
}

void set_external(onnx::TensorProto& tensor, const std::string& location, const std::string& length) {
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair<std::string, std::string>{"location", location}, {"length", length}}) {
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
}

class OnnxFileTest : public testing::Test {
 protected:
  Result<OnnxFile> inspect(const onnx::ModelProto& model, int batch = 1, const InputShapes& shapes = {}) {
    put(path_, model.SerializeAsString());
    return inspect_onnx(path_, batch, shapes);
  }
  std::vector<std::int64_t> shape(const onnx::ModelProto& model, int batch, const InputShapes& shapes = {}) {
    const Result<OnnxFile> file = inspect(model, batch, shapes);
    EXPECT_TRUE(file) << file.error().text();
    return file && file->inputs.size() == 1 ? file->inputs[0].shape : std::vector<std::int64_t>{};
  }
  std::string refusal(const onnx::ModelProto& model, int batch = 1, const InputShapes& shapes = {}) {
    const Result<OnnxFile> file = inspect(model, batch, shapes);
    return file ? "accepted" : file.error().text();
  }
  std::string refusal_of_bytes(const std::string& bytes) {
    put(path_, bytes);
    const Result<OnnxFile> file = inspect_onnx(path_, 1, {});
    return file ? "accepted" : file.error().text();
  }

  zoo::Folder folder_;
  std::filesystem::path path_ = folder_ / "model.onnx";
};

using Shape3 = std::vector<std::int64_t>;

TEST_F(OnnxFileTest, HasHashSizeAndInputsWithoutInitializers) {
  onnx::ModelProto model = tiny_model({"2", "64"});
  add_input(*model.mutable_graph(), "weight", onnx::TensorProto::FLOAT, {"64", "64"});  // as IR 3 lists them
  const Result<OnnxFile> file = inspect(model, 2);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->inputs, (std::vector<TensorSignature>{{"tokens", DataType::f32, {2, 64}}}));
  EXPECT_EQ(file->content_hash, *hash::sha256_of_file(path_));
  EXPECT_EQ(file->file_bytes, std::filesystem::file_size(path_));
}

TEST_F(OnnxFileTest, ReadsWhatARecipeWrote) {
  ASSERT_TRUE(zoo::write_onnx(*zoo::resolve("resnet18", {}, 1), 4, path_, 2));
  const Result<OnnxFile> file = inspect_onnx(path_, 4, {});
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->inputs, (std::vector<TensorSignature>{{"input", DataType::f32, {4, 3, 224, 224}}}));
}

TEST_F(OnnxFileTest, UsesTheBatchAsADynamicLeadingExtent) {
  EXPECT_EQ(shape(tiny_model({"batch", "64"}), 8), (Shape3{8, 64}));
}

TEST_F(OnnxFileTest, ReadsOtherDynamicExtentsFromTheStudy) {
  const onnx::ModelProto model = tiny_model({"batch", "seq", "64"});
  EXPECT_EQ(shape(model, 8, {{"tokens", {1, 128, 64}}}), (Shape3{8, 128, 64}));
  EXPECT_EQ(shape(model, 8, {{"tokens", {kBatchExtent, 128, 64}}}), (Shape3{8, 128, 64}));
  EXPECT_EQ(shape(model, 8, {{"tokens", {8, 128, 64}}}), (Shape3{8, 128, 64}));
  EXPECT_THAT(refusal(model, 8, {{"tokens", {5, 128, 64}}}), HasSubstr("made for batch 5, not 8"));
}

TEST_F(OnnxFileTest, NamesAllExtentsThatStayOpenWithKeysThatCanBePasted) {
  onnx::ModelProto model = tiny_model({"batch", "seq", "64"});
  add_input(*model.mutable_graph(), "attention_mask", onnx::TensorProto::INT64, {"batch", "seq"});
  add_input(*model.mutable_graph(), "image", onnx::TensorProto::FLOAT, {"batch", "3", "?", "?"});
  EXPECT_EQ(
      refusal(model),
      path_.string() +
          ": dimensions are open: tokens [batch, seq, 64], attention_mask [batch, seq], image [batch, 3, ?, ?]; give "
          "them in the model's entry of the study, for instance (guessed by their names):\n"
          "    dimensions: {seq: 128}\n"
          "    shapes: {image: [batch, 3, 224, 320]}\n"
          "    inputs: {attention_mask: {range: [1, 1]}}");
}

TEST_F(OnnxFileTest, TakesTheExtentThatIsNamedBatchForTheBatchWhereverItIs) {
  EXPECT_THAT(refusal(tiny_model({"time", "batch_size", "64"})), HasSubstr("\n    dimensions: {time: 128}"));
  const onnx::ModelProto model = tiny_model({"time", "batch_size", "64"});
  put(path_, model.SerializeAsString());
  EXPECT_EQ(inspect_onnx(path_, 4, {}, {{"time", 10}})->inputs,
            (std::vector<TensorSignature>{{"tokens", DataType::f32, {10, 4, 64}}}));
}

TEST_F(OnnxFileTest, UsesTheStudysNamedDimensionsForAllInputs) {
  onnx::ModelProto model = tiny_model({"batch", "seq", "64"});
  add_input(*model.mutable_graph(), "mask", onnx::TensorProto::INT64, {"seq", "batch"});
  put(path_, model.SerializeAsString());
  // "seq" leads the mask, but is no batch once the study gives it; "batch" is one wherever it stands.
  const Result<OnnxFile> file = inspect_onnx(path_, 8, {}, {{"seq", 128}});
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->inputs,
            (std::vector<TensorSignature>{{"tokens", DataType::f32, {8, 128, 64}}, {"mask", DataType::i64, {128, 8}}}));
  EXPECT_EQ(file->open_inputs, (std::vector<TensorSignature>{{"tokens", DataType::f32, {-1, 128, 64}},
                                                             {"mask", DataType::i64, {128, -1}}}));
  EXPECT_EQ(inspect_onnx(path_, 8, {}, {{"seq", 128}, {"batch", kBatchExtent}})->inputs, file->inputs);
  EXPECT_THAT(inspect_onnx(path_, 8, {}, {{"sequence", 128}}).error().text(),
              HasSubstr("dimension \"sequence\": no such open dimension, expected one of batch, seq"));
  EXPECT_THAT(inspect_onnx(path_, 8, {}, {{"seq", 128}, {"batch", 4}}).error().text(),
              HasSubstr("input \"tokens\": made for batch 4, not 8"));
}

TEST_F(OnnxFileTest, RefusesAShapeThatContradictsTheModel) {
  const onnx::ModelProto model = tiny_model({"batch", "seq", "64"});
  EXPECT_THAT(refusal(model, 1, {{"tokens", {1, 128, 65}}}), HasSubstr("[1, 128, 65] that the study gives"));
  EXPECT_THAT(refusal(model, 1, {{"tokens", {1, 128}}}), HasSubstr("does not fit the model's"));
  EXPECT_THAT(refusal(model, 2, {{"tokens", {1, 7, kBatchExtent}}}), HasSubstr("[1, 7, batch] that the study gives"));
  EXPECT_THAT(refusal(model, 1, {{"token", {1, 128, 64}}}), HasSubstr("no such input, did you mean tokens?"));
}

TEST_F(OnnxFileTest, RefusesABatchForWhichTheModelWasNotMade) {
  EXPECT_THAT(refusal(tiny_model({"1", "64"}), 8), HasSubstr("input \"tokens\": made for batch 1, not 8"));
  EXPECT_THAT(refusal(tiny_model({"batch", "64"}), 0), HasSubstr("batch 0 is out of range"));
}

TEST_F(OnnxFileTest, KnowsTheElementTypesThatCanBeFed) {
  const std::pair<int, DataType> kTypes[] = {
      {onnx::TensorProto::FLOAT16, DataType::f16}, {onnx::TensorProto::BFLOAT16, DataType::bf16},
      {onnx::TensorProto::DOUBLE, DataType::f64},  {onnx::TensorProto::INT64, DataType::i64},
      {onnx::TensorProto::INT32, DataType::i32},   {onnx::TensorProto::INT8, DataType::i8},
      {onnx::TensorProto::UINT8, DataType::u8},    {onnx::TensorProto::BOOL, DataType::boolean}};
  for (const auto& [type, expected] : kTypes) EXPECT_EQ(inspect(tiny_model({"1"}, type))->inputs[0].type, expected);
  EXPECT_THAT(refusal(tiny_model({"1"}, onnx::TensorProto::STRING)),
              HasSubstr("elements of type STRING cannot be fed"));
  EXPECT_THAT(refusal(tiny_model({"1"}, 1000)), HasSubstr("cannot be fed"));
}

TEST_F(OnnxFileTest, RefusesAFileThatIsNoOnnxModel) {
  EXPECT_THAT(refusal_of_bytes(""), HasSubstr("not an ONNX model"));
  EXPECT_THAT(refusal_of_bytes("name: study\nmodels: [resnet18]\n"), HasSubstr("not an ONNX model"));
  EXPECT_THAT(refusal_of_bytes(std::string(4096, '\0')), HasSubstr("not an ONNX model"));
  EXPECT_THAT(refusal_of_bytes("\x08\x09"), HasSubstr("IR version, opset, or a graph with nodes is missing"));
}

TEST_F(OnnxFileTest, RefusesAPathThatIsNoFile) {
  EXPECT_THAT(inspect_onnx(folder_ / "missing.onnx", 1, {}).error().text(),
              HasSubstr("missing.onnx: cannot read: No such file or directory"));
  EXPECT_THAT(inspect_onnx(folder_.path(), 1, {}).error().text(), HasSubstr("not a file"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(inspect_onnx(folder_ / "pipe", 1, {}).error().text(), HasSubstr("not a file"));
}

TEST_F(OnnxFileTest, RefusesEveryTruncation) {
  onnx::ModelProto model = tiny_model({"1", "64"});
  model.mutable_graph()->mutable_initializer(0)->set_raw_data("some bytes");
  const std::string whole = model.SerializeAsString();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(refusal_of_bytes(whole.substr(0, length)), HasSubstr("not an ONNX model")) << length;
  }
}

TEST_F(OnnxFileTest, HashesExternalDataAndCountsItsBytes) {
  onnx::ModelProto model = tiny_model({"1", "64"});
  set_external(*model.mutable_graph()->mutable_initializer(0), "weights.bin", "16384");
  put(folder_ / "weights.bin", std::string(16384, 'a'));
  const Result<OnnxFile> before = inspect(model);
  ASSERT_TRUE(before) << before.error().text();
  EXPECT_EQ(before->file_bytes, std::filesystem::file_size(path_) + 16384);
  ASSERT_EQ(before->parts.size(), 2U);
  EXPECT_EQ(before->parts[1].location, "weights.bin");
  EXPECT_EQ(before->parts[1].sha256, hash::sha256(std::string(16384, 'a')));
  EXPECT_EQ(before->content_hash, hash::sha256(*hash::sha256_of_file(path_) + " \n" +
                                               hash::sha256(std::string(16384, 'a')) + " weights.bin\n"));
  put(folder_ / "weights.bin", std::string(16384, 'b'));
  EXPECT_NE(inspect(model)->content_hash, before->content_hash);
}

TEST_F(OnnxFileTest, RefusesExternalDataOutsideTheModelsFolder) {
  const zoo::Folder elsewhere;
  put(elsewhere / "secret", std::string(16384, 'a'));
  std::filesystem::create_symlink(elsewhere / "secret", folder_ / "link");
  const std::string up = "../" + elsewhere.path().filename().string() + "/secret";
  for (const std::string& location :
       {(elsewhere / "secret").string(), up, std::string("link"), std::string("/dev/zero")}) {
    onnx::ModelProto model = tiny_model({"1", "64"});
    set_external(*model.mutable_graph()->mutable_initializer(0), location, "16384");
    EXPECT_THAT(refusal(model), HasSubstr("lies outside the model's folder")) << location;
  }
}

TEST_F(OnnxFileTest, RefusesExternalDataThatIsMissingOrTooShort) {
  onnx::ModelProto model = tiny_model({"1", "64"});
  onnx::TensorProto& weight = *model.mutable_graph()->mutable_initializer(0);
  set_external(weight, "weights.bin", "16384");
  EXPECT_THAT(refusal(model), HasSubstr("external data \"weights.bin\": no such file"));
  put(folder_ / "weights.bin", "short");
  EXPECT_THAT(refusal(model), HasSubstr("tensor \"weight\" lies past the end of its external data"));
  weight.mutable_external_data(1)->set_value("-1");
  EXPECT_THAT(refusal(model), HasSubstr("lies past the end"));
  weight.mutable_external_data(0)->set_value("");
  EXPECT_THAT(refusal(model), HasSubstr("its location is empty or not a file name"));
}

TEST_F(OnnxFileTest, FindsExternalDataInSubgraphs) {
  onnx::ModelProto model = tiny_model({"1", "64"});
  onnx::AttributeProto& branch = *model.mutable_graph()->mutable_node(0)->add_attribute();
  set_external(*branch.mutable_g()->add_node()->add_attribute()->mutable_t(), "/etc/passwd", "1");
  EXPECT_THAT(refusal(model), HasSubstr("lies outside the model's folder"));
}

TEST_F(OnnxFileTest, RefusesGraphsNestedWithoutEnd) {
  onnx::GraphProto graph;
  graph.add_node()->set_op_type("If");
  for (int depth = 0; depth < 1000; ++depth) {
    onnx::GraphProto outer;
    outer.add_node()->add_attribute()->mutable_g()->Swap(&graph);
    graph.Swap(&outer);
  }
  onnx::ModelProto model = tiny_model({"1", "64"});
  model.mutable_graph()->add_node()->add_attribute()->mutable_g()->Swap(&graph);
  EXPECT_THAT(refusal(model), HasSubstr("not an ONNX model"));
}

TEST_F(OnnxFileTest, RefusesExtentsThatOverflow) {
  EXPECT_THAT(refusal(tiny_model({"4611686018427387904", "8"}), 1), HasSubstr("cannot be fed"));
  EXPECT_THAT(refusal(tiny_model({"1", "4611686018427387904", "8"})), HasSubstr("cannot be fed"));
  EXPECT_THAT(refusal(tiny_model({"1", "0"})), HasSubstr("cannot be fed"));
}

long largest_resident_kb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Two bytes for each empty node or initializer on the wire; parsed into objects, eight million take a gigabyte. The
// file's 16 MB are mapped, and count while they are read.
TEST_F(OnnxFileTest, ReadsMillionsOfEmptyNodesInLittleMemory) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer keeps memory of its own for each byte";
#endif
  onnx::ModelProto model = tiny_model({"1", "64"});
  const std::string graph = model.graph().SerializeAsString();
  model.clear_graph();
  std::string block;
  for (int i = 0; i < 1000; ++i) block += std::string("\x0A\x00\x2A\x00", 4);
  std::string head = model.SerializeAsString() + "\x3A";
  for (std::size_t left = graph.size() + 4000 * block.size(); left > 0; left >>= 7U) {
    head += static_cast<char>(left >= 0x80 ? (left & 0x7FU) | 0x80U : left);
  }
  std::ofstream out(path_, std::ios::binary);
  out << head << graph;
  for (int i = 0; i < 4000; ++i) out << block;
  out.close();
  const long before_kb = largest_resident_kb();
  const Result<OnnxFile> file = inspect_onnx(path_, 1, {});
  EXPECT_TRUE(file) << file.error().text();
  EXPECT_LT(largest_resident_kb() - before_kb, 16000 + 10000);
}

// Any outcome but a crash: an error says so, and what is accepted has inputs that can be fed.
TEST_F(OnnxFileTest, SurvivesAThousandMutations) {
  ASSERT_TRUE(
      zoo::write_onnx(*zoo::resolve("conv_block", {{"width", 4}, {"depth", 3}, {"image_size", 8}}, 1), 1, path_, 1));
  const std::string original = content(path_);
  std::mt19937_64 random(20240607);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = original;
    const std::size_t mutations = 1 + below(8);
    for (std::size_t i = 0; i < mutations; ++i) bytes[below(bytes.size())] = static_cast<char>(random());
    if (round % 4 == 1) bytes.resize(below(bytes.size()));
    if (round % 4 == 2) bytes.insert(below(bytes.size()), bytes, below(bytes.size()), below(64));
    if (round % 4 == 3) bytes.erase(below(bytes.size()), below(64));
    put(path_, bytes);
    const Result<OnnxFile> file = inspect_onnx(path_, 1, {});
    if (!file) {
      ++refused;
      EXPECT_FALSE(file.error().what.empty());
      continue;
    }
    for (const TensorSignature& input : file->inputs) {
      EXPECT_LE(input.element_count(), 1ULL << 40U);
      for (const std::int64_t extent : input.shape) EXPECT_GE(extent, 1);
    }
  }
  EXPECT_GT(refused, 250);
}

// Returns the arithmetic of a model with one more node of this type.
std::string arithmetic_with(const std::string& type, std::optional<std::int64_t> accuracy_level = {}) {
  onnx::ModelProto model = tiny_model({"1", "64"});
  onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type(type);
  node.add_output("z");
  if (accuracy_level) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name("accuracy_level");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(*accuracy_level);
  }
  const zoo::Folder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  put(path, model.SerializeAsString());
  return inspect_outputs(path).value().arithmetic;
}

TEST(Arithmetic, IsInt8IfTheNumbersThatAreComputedWithBecomeIntegers) {
  for (const char* type : {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "MatMulInteger", "QGemm"})
    EXPECT_EQ(arithmetic_with(type), "int8") << type;
}

// The two forms of one model with weights of four bits.
TEST(Arithmetic, IsF32IfWeightsAloneAreQuantised) {
  EXPECT_EQ(arithmetic_with("DequantizeLinear"), "");
  EXPECT_EQ(arithmetic_with("MatMulNBits"), "");
  EXPECT_EQ(arithmetic_with("MatMulNBits", 1), "");
}

TEST(Arithmetic, IsInt8IfTheFileAllowsIt) { EXPECT_EQ(arithmetic_with("MatMulNBits", 4), "int8"); }

}  // namespace
}  // namespace ngb::userfiles

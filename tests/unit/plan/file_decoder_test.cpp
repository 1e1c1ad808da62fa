// SPDX-License-Identifier: Apache-2.0
// Tests what a study's keys make of an ONNX file with a cache. The file has a node that is never run.
#include "plan/file_decoder.h"

#include <algorithm>

#include "onnx/onnx.pb.h"
#include "plan/make_model.h"
#include "plan_fixture.h"
#include "temporary_folder.h"

namespace ngb::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Extents = std::vector<std::string>;

struct Tensor {
  std::string name;
  Extents extents;
  int type = onnx::TensorProto::FLOAT;
};

void add(onnx::ValueInfoProto& into, const Tensor& tensor) {
  into.set_name(tensor.name);
  into.mutable_type()->mutable_tensor_type()->set_elem_type(tensor.type);
  auto& shape = *into.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (const std::string& extent : tensor.extents) {
    if (std::isdigit(static_cast<unsigned char>(extent.front())) != 0)
      shape.add_dim()->set_dim_value(std::stoll(extent));
    else
      shape.add_dim()->set_dim_param(extent);
  }
}

class FileDecoders : public testing::Test {
 protected:
  config::ModelEntry entry(config::DecoderEntry how) {
    onnx::ModelProto model;
    model.set_ir_version(9);
    model.add_opset_import()->set_version(20);
    for (const Tensor& each : inputs_) add(*model.mutable_graph()->add_input(), each);
    for (const Tensor& each : outputs_) add(*model.mutable_graph()->add_output(), each);
    onnx::NodeProto& node = *model.mutable_graph()->add_node();
    node.set_op_type(operator_);
    node.add_input("input_ids");
    node.add_output("logits");
    config::ModelEntry made{.label = "net", .file = folder_.write("net.onnx", model.SerializeAsString())};
    if (how.cache == "delta" && !asks_for_delta_) how.cache = config::kFormOfFile;
    made.decoder = std::move(how);
    return made;
  }
  Result<work::Model> model(config::DecoderEntry how, int batch = 2) {
    PythonFiles python_files;
    return make_model(entry(std::move(how)), batch, 1, python_files);
  }
  std::string refusal(config::DecoderEntry how) {
    const auto made = model(std::move(how));
    return made ? "" : made.error().text();
  }
  static std::vector<std::int64_t> shape(const std::vector<TensorSignature>& inputs, const std::string& name) {
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& each) { return each.name == name; });
    return found == inputs.end() ? std::vector<std::int64_t>() : found->shape;
  }
  static std::pair<double, double> range(const work::Model& model, const std::string& name) {
    const work::InputValues* const values = work::values_of(model.values, name);
    return values == nullptr ? std::pair(-1.0, -1.0) : values->range.value_or(std::pair(-2.0, -2.0));
  }

  const TemporaryFolder folder_;
  std::string operator_ = "Gather";
  bool asks_for_delta_ = false;
  std::vector<Tensor> inputs_{{"input_ids", {"b", "s"}, onnx::TensorProto::INT64},
                              {"attention_mask", {"b", "past + s"}, onnx::TensorProto::INT64},
                              {"position_ids", {"b", "s"}, onnx::TensorProto::INT64},
                              {"past_key_values.0.key", {"b", "2", "past", "16"}},
                              {"past_key_values.0.value", {"b", "2", "past", "16"}}};
  std::vector<Tensor> outputs_{{"logits", {"b", "s", "199"}},
                               {"present.0.key", {"b", "2", "past + s", "16"}},
                               {"present.0.value", {"b", "2", "past + s", "16"}}};
};

TEST_F(FileDecoders, ReadOneTokenAfterTheContextAndGrow) {
  const auto step = model({.context = 20, .new_tokens = 10});
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_THAT(shape(step->inputs, "input_ids"), ElementsAre(2, 1));
  EXPECT_THAT(shape(step->inputs, "attention_mask"), ElementsAre(2, 21));
  EXPECT_THAT(shape(step->inputs, "past_key_values.0.key"), ElementsAre(2, 2, 20, 16));
  EXPECT_THAT(shape(step->open_inputs, "past_key_values.0.key"), ElementsAre(2, 2, kOpenExtent, 16));
  EXPECT_THAT(shape(step->open_inputs, "attention_mask"), ElementsAre(2, kOpenExtent));
  ASSERT_TRUE(step->decoding);
  EXPECT_EQ(step->decoding->ids, "input_ids");
  EXPECT_EQ(step->decoding->mask, "attention_mask");
  EXPECT_TRUE(step->decoding->mask_grows);
  EXPECT_THAT(step->decoding->counters, ElementsAre(work::Counter{"position_ids", 0}));
  ASSERT_EQ(step->decoding->parts.size(), 2U);
  EXPECT_EQ(step->decoding->parts[1].input, "past_key_values.0.value");
  EXPECT_EQ(step->decoding->parts[1].output, 2);
  EXPECT_TRUE(step->decoding->parts[1].grows);
  EXPECT_EQ(range(*step, "input_ids"), std::pair(0.0, 198.0));
  EXPECT_EQ(range(*step, "position_ids"), std::pair(20.0, 29.0));
}

TEST_F(FileDecoders, ReadAPromptWithAnEmptyCache) {
  const auto prompt = model({.is_prefill = true, .context = 20});
  ASSERT_TRUE(prompt) << prompt.error().text();
  EXPECT_EQ(prompt->prompt_tokens, 20);
  EXPECT_FALSE(prompt->decoding);
  EXPECT_THAT(shape(prompt->inputs, "input_ids"), ElementsAre(2, 20));
  EXPECT_THAT(shape(prompt->inputs, "attention_mask"), ElementsAre(2, 20));
  EXPECT_THAT(shape(prompt->inputs, "past_key_values.0.key"), ElementsAre(2, 2, 0, 16));
  EXPECT_TRUE(work::values_of(prompt->values, "position_ids")->counts);
  EXPECT_EQ(range(*prompt, "position_ids"), std::pair(0.0, 19.0));
}

TEST_F(FileDecoders, OfOtherContextsAreOtherModelsWhateverTheBatch) {
  const auto hash = [&](int context, int batch) { return model({.context = context}, batch)->key.hash; };
  EXPECT_NE(hash(20, 1), hash(21, 1));
  EXPECT_EQ(hash(20, 1), hash(20, 2));
}

TEST_F(FileDecoders, OfAFixedSizeCountTheTokensThatItHolds) {
  inputs_ = {{"input_ids", {"b", "1"}, onnx::TensorProto::INT64},
             {"key_cache.0", {"b", "2", "64", "16"}},
             {"write_indices", {"b"}, onnx::TensorProto::INT64},
             {"nonpad_kv_seqlen", {"b"}, onnx::TensorProto::INT64}};
  outputs_ = {{"logits", {"b", "1", "199"}}, {"updated_key_cache.0", {"b", "2", "64", "16"}}};
  const auto step = model({.context = 20, .new_tokens = 44});
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_EQ(step->decoding->cache, "static");
  EXPECT_FALSE(step->decoding->grows());
  EXPECT_THAT(step->decoding->counters,
              ElementsAre(work::Counter{"write_indices", 0}, work::Counter{"nonpad_kv_seqlen", 1}));
  EXPECT_THAT(refusal({.context = 21, .new_tokens = 44}),
              HasSubstr("a cache of 64 rows has no room for a context of 21 and 44 new tokens"));
  EXPECT_THAT(refusal({.context = 20, .capacity = 128}), HasSubstr("the file's cache has 64 rows, not 128"));
  EXPECT_THAT(refusal({.is_prefill = true, .context = 20}),
              HasSubstr("phase: a prompt is read without a cache, and this file has a static one"));
}

// The sizes of the cache are in the file beside it, as onnxruntime-genai's builder writes them.
TEST_F(FileDecoders, OfGenAisBuilderMayWriteIntoOneBuffer) {
  operator_ = "GroupQueryAttention";
  for (std::size_t i : {3U, 4U}) inputs_[i].extents = {"b", "kv_heads", "past", "kv_cache_dim"};
  for (std::size_t i : {1U, 2U}) outputs_[i].extents = {"b", "kv_heads", "total", "kv_cache_dim"};
  EXPECT_THAT(refusal({.context = 20}),
              HasSubstr("dimensions: an extent of \"past_key_values.0.key\" is open: kv_heads; give its name a size"));
  folder_.write("genai_config.json", R"({"model": {"decoder": {"head_size": 16, "num_key_value_heads": 2}}})");
  const auto shared = model({.context = 20, .cache = "static", .new_tokens = 10});
  ASSERT_TRUE(shared) << shared.error().text();
  EXPECT_THAT(shape(shared->inputs, "past_key_values.0.key"), ElementsAre(2, 2, 64, 16));
  EXPECT_FALSE(shared->decoding->grows());
  EXPECT_TRUE(shared->decoding->mask_grows);
  const auto growing = model({.context = 20});
  ASSERT_TRUE(growing) << growing.error().text();
  EXPECT_TRUE(growing->decoding->grows());
}

TEST_F(FileDecoders, WhatTheyCannotDoIsRefusedBeforeAnythingRuns) {
  EXPECT_THAT(refusal({.capacity = 512}), HasSubstr("capacity: a growing cache has no capacity"));
  EXPECT_THAT(refusal({.cache = "static"}),
              HasSubstr("cache: its cache is growing, not static; write auto, or export the model in the other form"));
  inputs_[0].extents = {"b", "8"};
  EXPECT_THAT(refusal({.context = 20}),
              HasSubstr("\"input_ids\" is 8 long along axis 1, and a step of context 20 needs 1; export the model with "
                        "this extent open"));
}

TEST_F(FileDecoders, AShapeThatFollowsFromTheContextIsNotGivenASecondTime) {
  config::ModelEntry twice = entry({.context = 20});
  twice.shapes = {{"attention_mask", {kBatchExtent, 30}}};
  PythonFiles python_files;
  EXPECT_THAT(make_model(twice, 1, 1, python_files).error().text(),
              HasSubstr("shapes: the shape of \"attention_mask\" follows from context and cache"));
}

class FileCaches : public FileDecoders {
 protected:
  Plan plan_of(config::DecoderEntry how) {
    config::Study study = small_study();
    study.models = {entry(std::move(how))};
    return expanded(study);
  }
};

TEST_F(FileCaches, InF16AreRefusedIfTheStudyComputesInF32) {
  for (std::size_t i : {3U, 4U}) inputs_[i].type = onnx::TensorProto::FLOAT16;
  for (std::size_t i : {1U, 2U}) outputs_[i].type = onnx::TensorProto::FLOAT16;
  const Plan plan = plan_of({.context = 20});
  EXPECT_THAT(check_caches(plan, {}).error().text(),
              HasSubstr("net: its cache is f16, and identity computes in f32; set precision: f16 for a compiler "
                        "that computes so, or export"));
}

// 2 parts, batch 8, 2 heads, 30 rows of 16 numbers: 61,440 bytes, twice.
TEST_F(FileCaches, ThatAreLargerThanTheMemoryAreRefusedWithTheNumber) {
  const Plan plan = plan_of({.context = 20, .new_tokens = 10});
  EXPECT_TRUE(check_caches(plan, 122'880));
  const Status refused = check_caches(plan, 122'879);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("net: its cache at batch 8 is there twice, which are 12"));
  EXPECT_THAT(refused.error().text(), HasSubstr("choose a smaller context, capacity or batch"));
}

}  // namespace
}  // namespace ngb::plan

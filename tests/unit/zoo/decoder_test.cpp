// SPDX-License-Identifier: Apache-2.0
// The recipe `decoder`. decoder_against_transformers.py compares its logits with those of transformers' modules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "folder.h"
#include "made.h"
#include "onnx/onnx.pb.h"
#include "zoo/recipe.h"

namespace ngb::zoo {
namespace {

using testing::ElementsAre;
using testing::Pair;

nlohmann::json small(const nlohmann::json& more) {
  nlohmann::json all{{"width", 8}, {"depth", 1}, {"heads", 2}, {"key_heads", 1}, {"inner", 12}, {"vocabulary", 16}};
  all.update(more);
  return all;
}

ModelFacts facts_of(const nlohmann::json& more, int batch) {
  const Result<ModelFacts> found = facts(made("decoder", small(more)), batch);
  EXPECT_TRUE(found) << found.error().text();
  return found.value_or(ModelFacts{});
}

std::string refusal(const nlohmann::json& more) {
  const Result<Recipe> recipe = resolve("decoder", small(more), 1);
  return recipe ? "accepted" : recipe.error().text();
}

onnx::ModelProto written(const nlohmann::json& more) {
  const Folder folder;
  const Status status = write_onnx(made("decoder", small(more)), 2, folder / "model.onnx", 1);
  EXPECT_TRUE(status) << status.error().text();
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(content(folder / "model.onnx")));
  return model;
}

std::map<std::string, int> count_nodes(const nlohmann::json& more) {
  std::map<std::string, int> count;
  const onnx::ModelProto model = written(more);
  for (const onnx::NodeProto& node : model.graph().node()) ++count[node.op_type()];
  return count;
}

// Tokens 16 × 8, three norms of 8, q and proj 8 × 8, k and v 8 × 4, three matrices 8 × 12, head 8 × 16. A new token is
// compared with the 3 before it and itself: 2 heads × 4 columns × 4 features, twice.
TEST(Decoder, OfALlamaIsCountedByHand) {
  const ModelFacts found = facts_of({{"context", 3}}, 2);
  EXPECT_EQ(found.parameters, 128 + 3 * 8 + 2 * 64 + 2 * 32 + 3 * 96 + 128U);
  EXPECT_EQ(found.macs, 2 * (2 * 64 + 2 * 32 + 2 * 32 + 3 * 96 + 128U));
  EXPECT_EQ(found.macs_torchinfo, 2 * found.parameters);  // every parameter once per sample
}

// Tokens 16 × 8, which are the head as well, 10 positions, three norms of 2 × 8, four matrices 8 × 8 and two 8 × 12
// with their biases. Two new tokens are compared with 5 columns each.
TEST(Decoder, OfAGptIsCountedByHand) {
  const ModelFacts found = facts_of({{"architecture", "gpt"},
                                     {"cache", "growing"},
                                     {"key_heads", 2},
                                     {"positions", 10},
                                     {"tokens", 2},
                                     {"context", 3}},
                                    1);
  EXPECT_EQ(found.parameters, 128 + 80 + 3 * 16 + 4 * 72 + (96 + 12) + (96 + 8U));
  EXPECT_EQ(found.macs, 2 * (4 * 64 + 2 * 96 + 128) + 2 * (2 * 2 * 5 * 4U));
}

TEST(Decoder, ComparesWithTheWholeCapacityOfACacheOfFixedSize) {
  const ModelFacts tight = facts_of({{"cache", "static"}, {"context", 3}}, 1);
  const ModelFacts wide = facts_of({{"cache", "static"}, {"context", 3}, {"capacity", 64}}, 1);
  EXPECT_EQ(wide.macs - tight.macs, 2 * (2 * 60 * 4U));  // 64 columns for 4
  EXPECT_EQ(facts_of({{"cache", "scatter"}, {"context", 3}, {"capacity", 64}}, 1).macs, wide.macs);
}

// Names as optimum and onnxruntime-genai give them, so that a past finds its present.
TEST(Decoder, HasAPastAndAPresentForEachKeyAndValue) {
  const ModelFacts delta = facts_of({{"context", 3}, {"tokens", 2}}, 4);
  EXPECT_EQ(delta.inputs, (std::vector<TensorSignature>{{"input_ids", DataType::i64, {4, 2}},
                                                        {"position", DataType::i64, {4}},
                                                        {"past_key_values.0.key", DataType::f32, {4, 1, 3, 4}},
                                                        {"past_key_values.0.value", DataType::f32, {4, 1, 3, 4}}}));
  EXPECT_EQ(delta.outputs, (std::vector<TensorSignature>{{"logits", DataType::f32, {4, 2, 16}},
                                                         {"present.0.key", DataType::f32, {4, 1, 2, 4}},
                                                         {"present.0.value", DataType::f32, {4, 1, 2, 4}}}));
  const auto rows = [](const char* cache) {
    const ModelFacts found = facts_of({{"cache", cache}, {"context", 3}, {"tokens", 2}}, 1);
    return std::pair(found.inputs[2].shape[2], found.outputs[1].shape[2]);
  };
  EXPECT_EQ(rows("growing"), std::pair(3L, 5L));
  EXPECT_EQ(rows("static"), std::pair(5L, 5L));
  EXPECT_EQ(rows("scatter"), std::pair(5L, 5L));
}

TEST(Decoder, NeedsNoPastForAPrefill) {
  for (const char* cache : {"delta", "growing"}) {
    const ModelFacts found = facts_of({{"cache", cache}, {"context", 0}, {"tokens", 7}}, 1);
    EXPECT_EQ(found.inputs.size(), 2U);
    EXPECT_EQ(found.outputs[1].shape, (Shape{1, 1, 7, 4}));
  }
}

TEST(Decoder, SaysWhichTokensThereAreAndWhereTheNewOneIs) {
  EXPECT_THAT(facts_of({{"context", 3}}, 1).ranges,
              ElementsAre(Pair("input_ids", ValueRange{0, 15}), Pair("position", ValueRange{3, 3})));
}

TEST(Decoder, HasTheSameWeightsInEveryForm) {
  const auto weight = [](const nlohmann::json& more) {
    const onnx::ModelProto model = written(more);
    for (const onnx::TensorProto& tensor : model.graph().initializer()) {
      if (tensor.name() == "blocks.0.attn.k.weight") return tensor.raw_data();
    }
    return std::string();
  };
  const std::string expected = weight({{"context", 3}});
  EXPECT_EQ(expected.size(), 8 * 4 * sizeof(float));
  for (const char* cache : {"growing", "scatter", "static"}) {
    EXPECT_EQ(weight({{"cache", cache}, {"tokens", 5}}), expected) << cache;
  }
}

TEST(Decoder, IsWrittenForTheOpsetThatItsCacheNeeds) {
  const onnx::ModelProto scatter = written({{"cache", "scatter"}});
  EXPECT_EQ(scatter.opset_import(0).version(), 24);
  EXPECT_EQ(scatter.ir_version(), 12);
  EXPECT_EQ(written({{"cache", "static"}}).opset_import(0).version(), 20);
  EXPECT_EQ(count_nodes({{"cache", "scatter"}})["TensorScatter"], 2);
  EXPECT_EQ(count_nodes({{"cache", "scatter"}})["Attention"], 1);
  EXPECT_EQ(count_nodes({{"cache", "static"}})["ScatterElements"], 2);
}

// Its rows in the cache are all before it.
TEST(Decoder, MasksNothingForOneTokenOverAGrowingCache) {
  EXPECT_EQ(count_nodes({{"cache", "growing"}}).count("LessOrEqual"), 0U);
  EXPECT_EQ(count_nodes({{"cache", "growing"}, {"tokens", 2}})["LessOrEqual"], 1);
  EXPECT_EQ(count_nodes({{"cache", "delta"}})["LessOrEqual"], 1);  // some rows may not be filled yet
  EXPECT_EQ(count_nodes({{"context", 3}})["Transpose"], 1);        // of the keys; one token needs no other
}

TEST(Decoder, LeavesTheLengthOfItsCacheOpenIfItIsAskedTo) {
  const onnx::ModelProto model = written({{"cache", "open"}, {"context", 3}});
  const auto extents = [](const onnx::ValueInfoProto& value) {
    std::string text;
    for (const auto& extent : value.type().tensor_type().shape().dim()) {
      text += extent.dim_param().empty() ? std::to_string(extent.dim_value()) + " " : extent.dim_param() + " ";
    }
    return value.name() + ": " + text;
  };
  EXPECT_EQ(extents(model.graph().input(0)), "input_ids: 2 1 ");
  EXPECT_EQ(extents(model.graph().input(3)), "past_key_values.0.value: 2 1 past 4 ");
  EXPECT_EQ(extents(model.graph().output(0)), "logits: 2 1 16 ");
  EXPECT_EQ(extents(model.graph().output(2)), "present.0.value: 2 1 total 4 ");
  EXPECT_EQ(model.graph().value_info_size(), 0) << "shapes in between depend on it";
}

// 10000^(-i / 4), rounded once; the shared constant that all compilers multiply with.
TEST(Decoder, TurnsByTheFrequenciesOfRotaryPositions) {
  const onnx::ModelProto model = written({{"heads", 1}});
  std::vector<float> found;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    if (tensor.name() == "rotary/frequencies") found.assign(tensor.float_data().begin(), tensor.float_data().end());
  }
  EXPECT_THAT(found, ElementsAre(1.0F, 0.1F, 0.01F, 0.001F));
}

TEST(Decoder, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal({{"heads", 3}}),
            "decoder.heads: 3 heads do not divide the width 8; choose a width that is a multiple of 3");
  EXPECT_EQ(refusal({{"heads", 4}, {"key_heads", 3}}),
            "decoder.key_heads: 3 key heads do not divide 4 heads; choose a number that divides them");
  EXPECT_EQ(
      refusal({{"heads", 8}}),
      "decoder.heads: a head has 1 features, which rotary positions cannot pair; choose heads that divide the width "
      "into even parts");
  EXPECT_EQ(refusal({{"heads", 8}, {"key_heads", 8}, {"architecture", "gpt"}}), "accepted");
  EXPECT_EQ(refusal({{"context", 2048}}),
            "decoder.positions: 1 tokens after a context of 2048 are more than its 2048 positions; choose a smaller "
            "context, or more positions");
  EXPECT_EQ(
      refusal({{"cache", "static"}, {"context", 64}, {"capacity", 64}}),
      "decoder.capacity: a cache of 64 rows has no room for the 65 that this step needs; choose at least 65, or a "
      "smaller context");
  EXPECT_EQ(refusal({{"cache", "growing"}, {"capacity", 64}}),
            "decoder.capacity: a growing cache has as many rows as its context; leave it out, or choose another cache");
  EXPECT_EQ(refusal({{"cache", "open"}, {"tokens", 2}}),
            "decoder.cache: a cache whose length is open takes one token after a context of 1 or more; choose growing, "
            "or other tokens");
  EXPECT_EQ(refusal({{"tokens", 0}}), "decoder.tokens: 0 is out of range, expected 1 to 65536");
}

// As published for models of these sizes: GPT-2's smallest has 124 million, TinyLlama 1.1 billion.
TEST(Decoder, ComesInSizesFromThreeMillionsToABillion) {
  const std::pair<const char*, std::uint64_t> kSizes[] = {
      {"llama_3m", 3147456}, {"llama_30m", 30941696}, {"llama_100m", 100682496}, {"llama_1b", 1100048384},
      {"gpt_3m", 2959488},   {"gpt_30m", 30462976},   {"gpt_124m", 124439808}};
  for (const auto& [name, parameters] : kSizes) {
    const Result<ModelFacts> found = facts(made(name), 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->parameters, parameters) << name;
  }
}

}  // namespace
}  // namespace ngb::zoo

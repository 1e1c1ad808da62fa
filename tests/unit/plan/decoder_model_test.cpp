// SPDX-License-Identifier: Apache-2.0
#include "plan/decoder_model.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "plan/make_model.h"
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

using testing::HasSubstr;

config::ModelEntry decoder(config::DecoderEntry how, const std::string& family = "llama_3m") {
  config::ModelEntry entry = recipe("a", family);
  entry.decoder = std::move(how);
  return entry;
}

Result<work::Model> model_of(const config::ModelEntry& entry, int batch = 1) {
  PythonFiles python_files;
  return make_model(entry, batch, 1, python_files);
}

nlohmann::json parameters_of(const work::Model& model) {
  return json_text::parse(work::json_of(model.source)).at("parameters");
}

TEST(Decoders, ATightCacheIsTheNextMultipleOf64ThatHoldsAllTokens) {
  const auto tight = model_of(decoder({.context = 100, .new_tokens = 29}));  // 129
  ASSERT_TRUE(tight) << tight.error().text();
  EXPECT_EQ(parameters_of(*tight).at("capacity"), 192);
  EXPECT_EQ(parameters_of(*model_of(decoder({.context = 100, .new_tokens = 28}))).at("capacity"), 128);
  EXPECT_EQ(parameters_of(*model_of(decoder({.context = 100, .capacity = 512}))).at("capacity"), 512);
}

TEST(Decoders, APrefillReadsItsContextWithoutACache) {
  const auto model = model_of(decoder({.is_prefill = true, .context = 48}), 2);
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->prompt_tokens, 48);
  EXPECT_FALSE(model->decoding);
  ASSERT_EQ(model->inputs.size(), 2U);
  EXPECT_EQ(model->inputs[0].shape, (std::vector<std::int64_t>{2, 48}));
}

// llama_3m has 4 blocks, each of which has keys and values.
TEST(Decoders, TheirCacheIsFedBackByRowsOrAsAWhole) {
  const auto delta = model_of(decoder({.context = 128}));
  ASSERT_TRUE(delta) << delta.error().text();
  ASSERT_EQ(delta->decoding->parts.size(), 8U);
  EXPECT_EQ(delta->decoding->parts[1].input, "past_key_values.0.value");
  EXPECT_EQ(delta->decoding->parts[1].output, 2);
  EXPECT_EQ(delta->decoding->parts[1].axis, 2);
  const auto fixed = model_of(decoder({.cache = "static"}));
  ASSERT_TRUE(fixed) << fixed.error().text();
  EXPECT_EQ(fixed->decoding->parts[7].input, "past_key_values.3.value");
  EXPECT_EQ(fixed->decoding->parts[7].output, 8);
  EXPECT_EQ(fixed->decoding->parts[7].axis, -1);
}

TEST(Decoders, ACacheThatGrowsIsCompiledForAnyLength) {
  const auto model = model_of(decoder({.context = 128, .cache = "growing"}), 2);
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_TRUE(model->decoding->grows());
  EXPECT_EQ(model->inputs[2].shape, (std::vector<std::int64_t>{2, 2, 128, 32}));
  EXPECT_EQ(model->open_inputs[2].shape, (std::vector<std::int64_t>{2, 2, kOpenExtent, 32}));
  EXPECT_EQ(model->open_inputs[0].shape, model->inputs[0].shape);
  EXPECT_FALSE(model->dynamic_batch);
}

// llama_3m: 3,147,456 parameters, of which 4096 · 192 are the table of tokens; a row of that is 192 numbers; a row of
// its cache is 2 · 4 blocks · 2 key heads · 32 numbers.
TEST(Decoders, AStepReadsItsWeightsARowOfTheTableAndTheContext) {
  EXPECT_EQ(model_of(decoder({.context = 128}))->decoding->bytes_per_token,
            4U * (3147456 - 4096 * 192 + 192 + 128 * 512));
  EXPECT_EQ(model_of(decoder({.context = 128}), 2)->decoding->bytes_per_token,
            4U * (3147456 - 4096 * 192 + 2 * 192 + 2 * 128 * 512));
}

TEST(Decoders, ThatGenerateAnotherNumberOfTokensAreOtherModels) {
  const auto hash = [](config::DecoderEntry how) { return model_of(decoder(std::move(how)))->key.hash; };
  EXPECT_NE(hash({.new_tokens = 16}), hash({.new_tokens = 32}));
  EXPECT_NE(hash({.context = 64}), hash({.context = 65}));
}

TEST(Decoders, WhatCannotBeIsRefusedBeforeAnythingRuns) {
  EXPECT_THAT(model_of(decoder({.context = 128, .capacity = 130})).error().text(),
              HasSubstr("a cache of 130 rows has no room for a context of 128 and 32 new tokens"));
  EXPECT_THAT(model_of(decoder({.context = 2040})).error().text(),
              HasSubstr("32 new tokens after a context of 2040 are more than its 2048 positions"));
  EXPECT_THAT(model_of(decoder({.capacity = 512, .cache = "growing"})).error().text(),
              HasSubstr("a growing cache has no capacity"));
  EXPECT_THAT(model_of(decoder({.is_prefill = true, .context = 5000})).error().text(), HasSubstr("positions"));
}

}  // namespace
}  // namespace ngb::plan

// SPDX-License-Identifier: Apache-2.0
#include "plan/stateful_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const config::DecoderEntry kDecoder{.context = 128, .cache = config::kStatefulForm, .new_tokens = 16};

TEST(AStatefulDecoder, ReadsOneTokenAStepAndAMaskOfAllBeforeIt) {
  const auto shapes = inputs_of_stateful(kDecoder, {"attention_mask", "input_ids", "position_ids", "beam_idx"});
  ASSERT_TRUE(shapes) << shapes.error().text();
  EXPECT_THAT(*shapes, ElementsAre(Pair("attention_mask", ElementsAre(kBatchExtent, 129)),
                                   Pair("input_ids", ElementsAre(kBatchExtent, 1)),
                                   Pair("position_ids", ElementsAre(kBatchExtent, 1)),
                                   Pair("beam_idx", ElementsAre(kBatchExtent))));
}

TEST(AStatefulDecoder, CountsItsPlacesAndGoesOnWithEachSamplesOwnCache) {
  work::Model model;
  model.inputs = {{"input_ids", DataType::i64, {4, 1}},
                  {"attention_mask", DataType::i64, {4, 129}},
                  {"position_ids", DataType::i64, {4, 1}},
                  {"beam_idx", DataType::i32, {4}}};
  add_stateful_decoding(model, kDecoder);
  EXPECT_EQ(work::values_of(model.values, "position_ids")->range, std::pair(128.0, 143.0));
  EXPECT_EQ(work::values_of(model.values, "beam_idx")->range, std::pair(0.0, 3.0));
  EXPECT_TRUE(work::values_of(model.values, "beam_idx")->counts);
  ASSERT_TRUE(model.decoding);
  EXPECT_TRUE(model.decoding->is_stateful);
  EXPECT_TRUE(model.decoding->mask_grows);
  EXPECT_THAT(model.decoding->counters, ElementsAre(work::Counter{"position_ids", 0}));
}

TEST(AStatefulDecoder, IsRefusedWithWhatToDo) {
  const auto refusal = [](config::DecoderEntry decoder, const std::vector<std::string>& inputs) {
    const auto shapes = inputs_of_stateful(decoder, inputs);
    return shapes ? "accepted" : shapes.error().text();
  };
  EXPECT_THAT(refusal({.is_prefill = true}, {"input_ids"}),
              HasSubstr("it keeps its cache itself, so each prompt would follow the one before; measure decode only"));
  EXPECT_THAT(refusal({.cache = "delta"}, {"input_ids"}), HasSubstr("so its form is stateful, not delta"));
  EXPECT_THAT(refusal({.cache = "auto", .names = {.past = "p{layer}"}}, {"input_ids"}),
              HasSubstr("so it has no past and no present; write stateful"));
  EXPECT_THAT(refusal(kDecoder, {"inputs_embeds"}),
              HasSubstr("it keeps a cache, and no input is input_ids; its inputs: inputs_embeds"));
  EXPECT_THAT(refusal(kDecoder, {"input_ids", "pixel_values"}),
              HasSubstr("what the input pixel_values of a model that keeps its cache is for is not known; known are "
                        "input_ids, attention_mask, position_ids, beam_idx"));
}

}  // namespace
}  // namespace ngb::plan

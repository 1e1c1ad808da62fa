// SPDX-License-Identifier: Apache-2.0
#include "userfiles/open_extents.h"

#include <gtest/gtest.h>

namespace ngb::userfiles {
namespace {

// "7" is a fixed extent, "batch" the batch, any other text the name of an open one.
UnsettledInput input(const std::string& name, const std::vector<std::string>& extents, DataType type = DataType::f32) {
  UnsettledInput made{name, type, {}};
  for (const std::string& extent : extents) {
    const bool is_number = !extent.empty() && extent.find_first_not_of("0123456789") == std::string::npos;
    if (extent == "batch") {
      made.extents.push_back({.value = kBatchExtent});
    } else {
      made.extents.push_back(is_number ? ScannedExtent{.value = std::stoll(extent)} : ScannedExtent{.name = extent});
    }
  }
  return made;
}

using Sizes = std::map<std::string, std::int64_t>;

TEST(OpenExtents, HaveSizesThatBelongTogether) {
  EXPECT_EQ(propose({input("ids", {"batch", "sequence"}), input("past", {"batch", "2", "past_length", "4"}),
                     input("mask", {"batch", "total"})})
                .front()
                .dimensions,
            (Sizes{{"past_length", 16}, {"sequence", 8}, {"total", 24}}));
  EXPECT_EQ(propose({input("image", {"batch", "3", "height", "width"})}).front().dimensions,
            (Sizes{{"height", 224}, {"width", 320}}));
  EXPECT_EQ(propose({input("sound", {"batch", "audio_samples"})}).front().dimensions,
            (Sizes{{"audio_samples", 16000}}));
}

TEST(OpenExtents, OfAWaveformMayBeASecondOrAFrame) {
  const std::vector<Proposal> proposals = propose({input("input", {"batch", "sequence"})});
  EXPECT_EQ(proposals[0].dimensions, (Sizes{{"sequence", 16000}}));
  EXPECT_EQ(proposals[1].dimensions, (Sizes{{"sequence", 512}}));
  EXPECT_EQ(propose({input("ids", {"batch", "sequence"}, DataType::i64)}).front().dimensions,
            (Sizes{{"sequence", 128}}));
}

TEST(OpenExtents, OfSoundBesideWhatARecurrentLayerKeepsAreAFrame) {
  const UnsettledInput state = input("state", {"2", "batch", "128"});
  EXPECT_EQ(propose({input("input", {"batch", "sequence"}), state}).front().dimensions, (Sizes{{"sequence", 512}}));
}

TEST(OpenExtents, ThatAreSumsOfOthersAddUp) {
  EXPECT_EQ(propose({input("ids", {"batch", "sequence"}), input("past", {"batch", "past"}),
                     input("mask", {"batch", "past + sequence"}), input("next", {"batch", "sequence + 1"})})
                .front()
                .dimensions,
            (Sizes{{"past", 16}, {"past + sequence", 24}, {"sequence", 8}, {"sequence + 1", 9}}));
}

TEST(OpenExtents, WithoutNamesAreGivenAsAShape) {
  const Proposal proposal = propose({input("sound", {"batch", ""}), input("x", {"batch", "3", "?", "?"})}).front();
  EXPECT_EQ(to_yaml(proposal, {}, "  "), "\n  shapes: {sound: [batch, 16000], x: [batch, 3, 224, 320]}");
}

TEST(OpenExtents, WhoseNamesSayNothingGoByTheirPlace) {
  const auto proposal = [](const UnsettledInput& one) { return propose({one}).front(); };
  EXPECT_EQ(proposal(input("x", {"batch", "3", "d1", "d2"})).dimensions, (Sizes{{"d1", 224}, {"d2", 320}}));
  EXPECT_EQ(proposal(input("x", {"batch", "M1", "M2", "3"})).dimensions, (Sizes{{"M1", 224}, {"M2", 320}}));
  EXPECT_EQ(to_yaml(proposal(input("state", {"2", "", "128"})), {}, ""), "\nshapes: {state: [2, batch, 128]}");
}

TEST(OpenExtents, BehindAFirstExtentOfOneCountThingsUnlessTheBatchIsElsewhere) {
  const UnsettledInput boxes = input("boxes", {"1", "N", "16"});
  EXPECT_EQ(propose({boxes, input("mask", {"1", "N", "1"}, DataType::boolean)}).front().dimensions, (Sizes{{"N", 16}}));
  EXPECT_EQ(propose({boxes, input("x", {"batch", "3"})}).front().dimensions, (Sizes{{"N", kBatchExtent}}));
}

TEST(OpenExtents, AreWrittenSoThatYamlReadsThemBack) {
  EXPECT_EQ(yaml_word("past_key.0"), "past_key.0");
  EXPECT_EQ(yaml_word("past + sequence"), "\"past + sequence\"");
  EXPECT_EQ(yaml_word("input:0"), "\"input:0\"");
  EXPECT_EQ(yaml_word("y"), "\"y\"");
  EXPECT_EQ(yaml_word("0"), "\"0\"");
  EXPECT_EQ(yaml_word("a\"b"), "\"a\\\"b\"");
}

TEST(OpenExtents, GuessRangesByTheInputsNamesButNotThoseThatAreKnown) {
  const std::vector<UnsettledInput> inputs{input("input_ids", {"batch", "sequence"}, DataType::i64),
                                           input("attention_mask", {"batch", "sequence"}, DataType::i64),
                                           input("x_lengths", {"batch"}, DataType::i64),
                                           input("sr", {}, DataType::i64),
                                           input("position_ids", {"batch", "sequence"}, DataType::i64),
                                           input("float_mask", {"batch"})};
  EXPECT_EQ(guess_ranges(inputs, propose(inputs).front(), {{"position_ids", {0, 511}}}),
            (Ranges{{"attention_mask", {1, 1}}, {"sr", {16000, 16000}}, {"x_lengths", {128, 128}}}));
}

}  // namespace
}  // namespace ngb::userfiles

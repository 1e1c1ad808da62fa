// SPDX-License-Identifier: Apache-2.0
#include "worker/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_text.h"

namespace ngb::worker {
namespace {

using testing::ElementsAre;
using testing::Pair;

nlohmann::json description() {
  return json_text::parse(R"({
    "name": "toy", "devices": ["cpu", "cuda"], "precisions": ["f32", "f16"],
    "options": [
      {"name": "layout", "type": "string", "values": ["plain", "tiled"], "default": "plain"},
      {"name": "fold", "type": "bool", "default": "true"},
      {"name": "level", "type": "int", "minimum": "0", "maximum": "5", "default": "3"},
      {"name": "trials", "type": "int", "minimum": "-1", "default": "0"},
      {"name": "ratio", "type": "float", "default": "0.5"},
      {"name": "device", "type": "string", "values": ["cpu", "cuda"], "default": "cpu"}]})");
}

work::Compiler with(work::Options options) { return {.options = std::move(options)}; }

std::string refusal(const work::Compiler& asked) {
  const Result<CheckedSettings> checked = check_settings(description(), asked);
  return checked ? "" : checked.error().text();
}

TEST(Settings, WhatIsNotGivenHasItsDefault) {
  const Result<CheckedSettings> checked = check_settings(description(), with({{"level", "5"}}));
  ASSERT_TRUE(checked) << checked.error().text();
  EXPECT_EQ(checked->device, "cpu");
  EXPECT_THAT(checked->options, ElementsAre(Pair("layout", "plain"), Pair("fold", "true"), Pair("level", "5"),
                                            Pair("trials", "0"), Pair("ratio", "0.5"), Pair("device", "cpu")));
}

TEST(Settings, AWordMayComeAsJsonText) {
  EXPECT_EQ(check_settings(description(), with({{"layout", "\"tiled\""}}))->options[0].second, "tiled");
  EXPECT_EQ(check_settings(description(), with({{"device", "\"cuda\""}}))->device, "cuda");
}

TEST(Settings, ACompilerThatDescribesNothingRunsOnTheCpuInF32) {
  EXPECT_EQ(check_settings(nlohmann::json::object(), with({}))->device, "cpu");
}

TEST(Settings, OfALibraryAreRefusedByACompilerThatHandsNoneOn) {
  EXPECT_EQ(refusal({.settings = {{"a", "1"}}}), "toy hands no settings on to a library; remove them");
}

TEST(Settings, SeveralInFlightAreRefusedByACompilerThatRunsOneAtATime) {
  EXPECT_EQ(refusal({.in_flight = 2}), "toy runs one inference at a time; remove in_flight");
  EXPECT_EQ(refusal({.in_flight = std::nullopt}), "toy runs one inference at a time; remove in_flight");
}

TEST(Settings, AnUnknownOptionIsRefusedWithTheNearest) {
  EXPECT_EQ(refusal(with({{"lewel", "1"}})),
            "toy has no option \"lewel\", did you mean \"level\"?; "
            "its options are layout, fold, level, trials, ratio, device");
}

TEST(Settings, ValuesThatAreNotDescribedAreRefusedWithThoseThatAre) {
  EXPECT_EQ(refusal(with({{"layout", "nhwc"}})), "toy: option \"layout\" is \"nhwc\"; give one of plain, tiled");
  EXPECT_EQ(refusal(with({{"fold", "yes"}})), "toy: option \"fold\" is \"yes\"; give true or false");
  EXPECT_EQ(refusal(with({{"level", "6"}})), "toy: option \"level\" is \"6\"; give a whole number from 0 to 5");
  EXPECT_EQ(refusal(with({{"level", "1.5"}})), "toy: option \"level\" is \"1.5\"; give a whole number from 0 to 5");
  EXPECT_EQ(refusal(with({{"trials", "-2"}})), "toy: option \"trials\" is \"-2\"; give a whole number of -1 or more");
  EXPECT_EQ(refusal(with({{"ratio", "nan"}})), "toy: option \"ratio\" is \"nan\"; give a number");
}

TEST(Settings, APrecisionOrThreadCountThatIsNotOfferedIsRefused) {
  work::Compiler asked = with({});
  asked.precision = "f7";
  EXPECT_EQ(refusal(asked), "toy does not run in precision \"f7\"; give one of f32, f16");
  asked = with({});
  asked.threads = 0;
  EXPECT_EQ(refusal(asked), "toy: threads is 0; give 1 or more");
}

}  // namespace
}  // namespace ngb::worker

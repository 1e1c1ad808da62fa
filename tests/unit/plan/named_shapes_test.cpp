// SPDX-License-Identifier: Apache-2.0
#include "plan/named_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ngb::plan {
namespace {

using testing::ElementsAre;

const ExtentNames kNames{{"x", {"", "rows", ""}}};

work::Model two_samples() {
  work::Model model;
  model.inputs = {{"x", DataType::f32, {2, 5, 8}}};
  model.open_inputs = {{"x", DataType::f32, {kOpenExtent, 5, 8}}};
  return model;
}

TEST(NamedShapes, ArePaddedToTheNextMultipleAndKnowWhatTheyWere) {
  work::Model model = two_samples();
  const config::ModelEntry entry{.dimensions = {{"rows", 5}}, .named = config::NamedShapes{.pad_to = 4}};
  ASSERT_TRUE(settle_named(model, entry, kNames));
  EXPECT_THAT(model.inputs.front().shape, ElementsAre(2, 8, 8));
  EXPECT_THAT(model.unpadded.front().shape, ElementsAre(2, 5, 8));
}

TEST(NamedShapes, ThatAreMultiplesAreNotPadded) {
  work::Model model = two_samples();
  const config::ModelEntry entry{.dimensions = {{"rows", 5}}, .named = config::NamedShapes{.pad_to = 5}};
  ASSERT_TRUE(settle_named(model, entry, kNames));
  EXPECT_THAT(model.inputs.front().shape, ElementsAre(2, 5, 8));
  EXPECT_TRUE(model.unpadded.empty());
}

TEST(NamedShapes, ThatAreDynamicAreOpenAndTheBatchIsNot) {
  work::Model model = two_samples();
  const config::ModelEntry entry{.dimensions = {{"rows", 5}}, .named = config::NamedShapes{.dynamic = {"rows"}}};
  ASSERT_TRUE(settle_named(model, entry, kNames));
  open_named(model, entry, kNames);
  EXPECT_THAT(model.inputs.front().shape, ElementsAre(2, 5, 8));
  EXPECT_THAT(model.open_inputs.front().shape, ElementsAre(2, kOpenExtent, 8));
}

TEST(NamedShapes, ThatAreVisitedBeginWithTheFirstAndNeedASessionForEachThatDiffers) {
  work::Model model = two_samples();
  config::ModelEntry entry;
  entry.named =
      config::NamedShapes{.pad_to = 4, .visited = {{{"rows", 3}}, {{"rows", 4}}, {{"rows", 6}}}, .visits = {1, 2, 1}};
  ASSERT_TRUE(settle_named(model, entry, kNames));
  ASSERT_EQ(model.visited.size(), 3U);
  EXPECT_EQ(model.visited[2].name, "rows=6");
  EXPECT_EQ(model.visited[1].visits, 2);
  EXPECT_THAT(model.inputs.front().shape, ElementsAre(2, 4, 8));
  EXPECT_EQ(model.visited[1].inputs, model.inputs);  // as are those of the first
  EXPECT_THAT(model.visited[2].inputs.front().shape, ElementsAre(2, 8, 8));
  model.open_inputs.clear();
  EXPECT_TRUE(work::has_several_sessions(model));
}

TEST(NamedShapes, ThatNoInputHasAreRefusedWithTheNearestWord) {
  work::Model model = two_samples();
  const config::ModelEntry entry{.label = "net", .named = config::NamedShapes{.dynamic = {"row"}}};
  EXPECT_EQ(settle_named(model, entry, kNames).error().text(),
            "net: dimension \"row\": no such dimension, did you mean rows?");
}

TEST(NamedShapes, MakeAnotherModelOfEachWay) {
  nlohmann::json hashed;
  work::Model model = two_samples();
  model.visited = {{.name = "rows=3", .visits = 2}};
  add_to_hashed(hashed, model, {.dynamic = {"rows"}, .pad_to = 4});
  EXPECT_EQ(hashed.dump(), R"({"dynamic":["rows"],"pad_to":4,"visited":[["rows=3",2]]})");
}

}  // namespace
}  // namespace ngb::plan

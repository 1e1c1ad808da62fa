// SPDX-License-Identifier: Apache-2.0
#include "config/named_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "config/study_json.h"
#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(Mix, IsVisitedAsFewTimesAsGiveItsSharesExactly) {
  EXPECT_THAT(visits_of(std::array{0.5, 0.5}), ElementsAre(1, 1));
  EXPECT_THAT(visits_of(std::array{0.7, 0.3}), ElementsAre(7, 3));
  EXPECT_THAT(visits_of(std::array{0.5, 0.25, 0.25}), ElementsAre(2, 1, 1));
}

TEST(Mix, IsSharedOutOverAHundredVisitsOfWhichEachShapeHasOne) {
  EXPECT_THAT(visits_of(std::array{0.9991, 0.0009}), ElementsAre(99, 1));
  EXPECT_THAT(visits_of(std::array{0.3333, 0.6667}), ElementsAre(33, 67));
}

TEST(Mix, OfLengthsCountsEachForTheSmallestSizeThatHoldsIt) {
  const std::array<std::int64_t, 2> sizes{128, 16};
  EXPECT_THAT(shares_of("1\n16\n17\n128\n\n", sizes).value(), ElementsAre(0.5, 0.5));
  EXPECT_EQ(shares_of("5\nfive\n", sizes).error().what, "line 2: expected a length, found five");
  EXPECT_EQ(shares_of("129\n", sizes).error().what, "line 1: no shape holds a length of 129; add one that does");
  EXPECT_EQ(shares_of("12\n", sizes).error().what, "no length is for the shape of 128; remove the shape");
}

tl::expected<Study, std::vector<StudyProblem>> study_of(const TemporaryFolder& folder, const std::string& entry) {
  for (const char* const name : {"net.py", "net.onnx"}) static_cast<void>(folder.write(name, "x"));
  return load_study(folder.write("study.yaml", with_models("\n  - " + entry)), small_vocabulary());
}

TEST(NamedShapes, OfAModuleHaveTheNamesThatStandInItsShapes) {
  const TemporaryFolder folder;
  const auto study = study_of(folder,
                              "{pytorch: 'net.py:build', shapes: {x: [batch, rows, 8]}, dynamic: [rows], "
                              "shapes_in_one_session: [{rows: 4}, {rows: 6}], mix: [0.75, 0.25]}");
  ASSERT_TRUE(study) << study.error()[0].text();
  const ModelEntry& model = study->models.front();
  EXPECT_EQ(model.label, "net:build in one session dynamic");
  EXPECT_THAT(model.shapes, ElementsAre(Pair("x", ElementsAre(kBatchExtent, 4, 8))));
  EXPECT_THAT(model.named->extents, ElementsAre(Pair("x", ElementsAre("", "rows", ""))));
  EXPECT_THAT(model.named->visits, ElementsAre(3, 1));
  const nlohmann::json again = model_json(model);
  EXPECT_EQ(again["shapes"].dump(), R"({"x":["batch","rows",8]})");
  EXPECT_EQ(again["shapes_in_one_session"].dump(), R"([{"rows":4},{"rows":6}])");
  EXPECT_EQ(again["mix"].dump(), "[0.75,0.25]");
}

TEST(NamedShapes, AreReadBackAsTheyWereWritten) {
  const TemporaryFolder folder;
  const auto study = study_of(folder, "{onnx: net.onnx, dimensions: {rows: 5}, pad_to: 8, label: a}");
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->models.front().label, "a pad_to=8");
  EXPECT_EQ(model_json(study->models.front())["pad_to"], 8);
  EXPECT_EQ(model_json(study->models.front())["dimensions"].dump(), R"({"rows":5})");
}

TEST(NamedShapes, ThatCannotBeAreReportedAtTheirPlaces) {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& keys) {
    const auto study = study_of(folder, "{pytorch: 'net.py:build', shapes: {x: [batch, rows]}, " + keys + "}");
    return study ? std::string("none") : study.error().front().key + ": " + study.error().front().message;
  };
  EXPECT_EQ(problem("dimensions: {rows: 4}, dynamic: [row]"),
            "models[0].dynamic: row: unknown dimension, did you mean rows?");
  EXPECT_EQ(problem("dimensions: {rows: 4}, dynamic: [rows], pad_to: 8"),
            "models[0].pad_to: what is compiled for any size needs no padding; remove pad_to or dynamic");
  EXPECT_EQ(problem("shapes_in_one_session: [{rows: 4}, {rows: 4}]"),
            "models[0].shapes_in_one_session[1]: this shape is listed twice; remove one of the two");
  EXPECT_EQ(problem("shapes_in_one_session: [{rows: 4}]"),
            "models[0].shapes_in_one_session: expected 2 to 32 shapes, found 1");
  EXPECT_EQ(problem("shapes_in_one_session: [{rows: 4}, {rows: 8}], mix: [0.5, 0.6]"),
            "models[0].mix: the shares add up to 1.1, expected 1");
  EXPECT_THAT(problem("dimensions: {rows: 4}, mix: [1]"), HasSubstr("a mix is of shapes_in_one_session"));
  EXPECT_THAT(problem("dimensions: {rows: 4}, dynamic: [rows], variant_of: other"), HasSubstr("not together with"));
}

}  // namespace
}  // namespace ngb::config

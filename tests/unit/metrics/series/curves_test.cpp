// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/curves.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "made_up_series.h"
#include "plan/make_model.h"

namespace ngb::metrics::series {
namespace {

using made_up::cell_with;
using made_up::Of;
using made_up::values_of_series;
using store::CellData;
using store::SeriesValue;

CellData block(int depth, const std::string& compiler, const std::vector<double>& speeds, int width = 64,
               int batch = 1) {
  return cell_with({.model = fmt::format("conv_block width={} depth={}", width, depth),
                    .compiler = compiler,
                    .batch = batch,
                    .family = "conv_block",
                    .parameters = fmt::format(R"({{"depth":{},"width":{}}})", depth, width)},
                   speeds);
}

std::vector<double> inverse(std::vector<double> values) {
  for (double& value : values) value = 1 / value;
  return values;
}

// Expected: scipy 1.17.1, with the formula of Satterthwaite; the estimate equals linregress.
TEST(DepthCost, IsTheSlopeOfSecondsWithItsStandardError) {
  const auto values =
      values_of_series({block(1, "identity", inverse({1.0, 1.1, 1.05})), block(2, "identity", inverse({2.1, 2.0, 2.2})),
                        block(3, "identity", inverse({2.9, 3.1, 3.0})), block(4, "identity", inverse({4.2, 4.0, 4.1}))},
                       "depth_cost_s_per_block");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_NEAR(values[0].value.value(), 1.005, 1e-7);
  EXPECT_NEAR(values[0].standard_error.value(), 0.021015867022, 1e-7);
  EXPECT_NEAR(values[0].degrees.value(), 3.987224982257, 1e-5);
  EXPECT_NEAR(values[0].low.value(), 0.946576795224, 1e-6);
  EXPECT_NEAR(values[0].high.value(), 1.063423204776, 1e-6);
  EXPECT_EQ(values[0].cell_ids.size(), 4U);
}

std::vector<CellData> three_depths() {
  return {block(1, "identity", {100, 102, 99, 101}),  block(1, "fast", {150, 155, 149, 150}),
          block(2, "identity", {60, 61, 59, 60.5}),   block(2, "fast", {96, 98, 97, 99}),
          block(4, "identity", {30, 30.5, 29.5, 31}), block(4, "fast", {54, 55, 55, 54})};
}

// Expected: scipy 1.17.1. The estimate is linregress over the geometric means 1.502401, 1.621638 and 1.801885; the
// errors are the standard deviations of the logarithms, times these, with the formula of Satterthwaite.
TEST(DepthSlope, IsThatOfThePrintedSpeedUpsOverDepthsThatAreNotEvenlySpaced) {
  const auto values = values_of_series(three_depths(), "depth_slope_per_block");
  ASSERT_EQ(values.size(), 1U) << "none of the baseline";
  EXPECT_EQ(values[0].compiler, "fast 1.0");
  EXPECT_EQ(values[0].subject, "conv_block width=64");
  EXPECT_EQ(values[0].batch_sizes, "1");
  EXPECT_NEAR(values[0].value.value(), 0.09844149529485273, 1e-6);
  EXPECT_NEAR(values[0].standard_error.value(), 0.009189710650699108, 1e-6);
  EXPECT_NEAR(values[0].degrees.value(), 3.3572203415499566, 1e-3);
  EXPECT_NEAR(values[0].low.value(), 0.07087973599247971, 1e-5);
  EXPECT_NEAR(values[0].high.value(), 0.12600325459722575, 1e-5);
}

// Speed-ups of 1 and 4 in two rounds are 2 by their geometric mean (2.5 by the other one), and 3 one block deeper.
TEST(DepthSlope, IsOfGeometricMeansAsRetentionIs) {
  const std::vector<CellData> cells{block(1, "identity", {100, 100}), block(1, "fast", {100, 400}),
                                    block(2, "identity", {50, 50}), block(2, "fast", {150, 150})};
  EXPECT_NEAR(values_of_series(cells, "depth_slope_per_block")[0].value.value(), 1, 1e-6);
  EXPECT_NEAR(values_of_series(cells, "depth_retention_ratio")[0].value.value(), 1.5, 1e-6);
}

// Expected: scipy 1.17.1, ttest_ind(equal_var=False) of the log speed-ups; exponentials of estimate and ends.
TEST(Retention, IsTheSpeedUpOfTheDeepestStackOverThatOfASingleBlock) {
  const auto values = values_of_series(three_depths(), "depth_retention_ratio");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_NEAR(values[0].value.value(), 1.199336600992547, 1e-6);
  EXPECT_NEAR(values[0].low.value(), 1.1499013328580512, 1e-5);
  EXPECT_NEAR(values[0].high.value(), 1.2508971347178353, 1e-5);
}

TEST(Retention, IsUnknownWithoutASingleBlockOrWithAFailedOne) {
  std::vector<CellData> cells = three_depths();
  cells.erase(cells.begin(), cells.begin() + 2);
  EXPECT_EQ(values_of_series(cells, "depth_retention_ratio")[0].reason, "a single block was not measured");
  cells = three_depths();
  cells[1].processes.clear();
  cells[1].failed = {made_up::failure(0, samples::FailureKind::crash)};
  const auto values = values_of_series(cells, "depth_slope_per_block");
  EXPECT_FALSE(values[0].value);
  EXPECT_EQ(values[0].reason.substr(0, 50), "depth 1: conv_block width=64 depth=1, batch 1, fas");
}

// Expected: scipy 1.17.1, a contrast of four means of logarithms.
TEST(BatchWidthFriction, RelatesTheGainOfBatchingInWideBlocksToThatInNarrowOnes) {
  const auto values =
      values_of_series({block(1, "identity", {100, 101, 99}, 64, 1), block(1, "identity", {300, 303, 298}, 64, 4),
                        block(1, "identity", {50, 50.5, 49}, 128, 1), block(1, "identity", {100, 102, 101}, 128, 4)},
                       "batch_width_friction_ratio");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].batch_sizes, "4");
  EXPECT_EQ(values[0].subject, "conv_block depth=1, width 128 over 64");
  EXPECT_NEAR(values[0].value.value(), 0.6748597106365649, 1e-6);
  EXPECT_NEAR(values[0].low.value(), 0.6540512416879274, 1e-5);
  EXPECT_NEAR(values[0].high.value(), 0.6963301955747584, 1e-5);
}

// RTR 4, 2 and 1 at the widths 64, 128 and 256.
TEST(BatchWidthFriction, IsACurveOverWidths) {
  std::vector<CellData> cells;
  for (const auto& [width, speed] : {std::pair{64, 400.0}, {128, 200.0}, {256, 100.0}}) {
    cells.push_back(block(1, "identity", {100, 100}, width, 1));
    cells.push_back(block(1, "identity", {speed, speed}, width, 4));
  }
  const auto values = values_of_series(cells, "batch_width_friction_ratio");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].subject, "conv_block depth=1, width 128 over 64");
  EXPECT_NEAR(values[0].value.value(), 0.5, 1e-6);
  EXPECT_EQ(values[1].subject, "conv_block depth=1, width 256 over 64");
  EXPECT_NEAR(values[1].value.value(), 0.25, 1e-6);
}

// Two modules of a user with equal parameters.
TEST(BatchWidthFriction, IsFormedOfTheModulesOfOneGroupThatHaveADepthAndAWidth) {
  std::vector<CellData> cells;
  for (const char* const group : {"encoder", "decoder"}) {
    for (const auto& [width, speed] : {std::pair{48, 400.0}, {96, 200.0}}) {
      for (const int batch : {1, 4}) {
        Of of{.model = fmt::format("{} {}", group, width), .batch = batch};
        of.parameters = fmt::format(R"({{"depth":3,"width":{}}})", width);
        const double each = batch == 1 ? 100 : speed;
        cells.push_back(cell_with(of, {each, each}));
        cells.back().of.model.group = group;
      }
    }
  }
  const auto values = values_of_series(cells, "batch_width_friction_ratio");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].subject, "encoder depth=3, width 96 over 48");
  EXPECT_EQ(values[1].subject, "decoder depth=3, width 96 over 48");
  EXPECT_NEAR(values[0].value.value(), 0.5, 1e-6);
}

// Of 64 rows: delta makes 100 tokens/s, static 80, growing 125; of 512 delta makes 50, and growing is compared there
// too.
TEST(BestCacheForm, IsTheFastestOverTheNextOfTheSameContextAndCapacity) {
  const auto step = [](const char* label, const char* cache, int capacity, double per_s) {
    CellData cell = cell_with({.model = label}, {per_s, per_s});
    cell.of.model.family = "decoder";
    cell.recipe_parameters = {{"cache", cache}, {"context", 32}, {"capacity", capacity}};
    return cell;
  };
  CellData prompt = step("prompt", "delta", 64, 900);
  prompt.recipe_parameters["tokens"] = 32;
  const auto values = values_of_series({step("delta", "delta", 64, 100), step("static", "static", 64, 80), prompt,
                                        step("growing", "open", 0, 125), step("wide", "delta", 512, 50)},
                                       "best_cache_ratio");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].subject, "growing, over delta of 64 rows");
  EXPECT_NEAR(values[0].value.value(), 1.25, 1e-7);
  EXPECT_NEAR(values[1].value.value(), 2.5, 1e-7);
}

// 100 tokens/s in a cache of 64 rows, 80 in one of 512; another form, and another context, are other caches.
TEST(Capacity, IsRelatedToTheSmallestOneOfTheSameCache) {
  const auto step = [](const char* label, const char* cache, int context, int capacity, double per_s) {
    CellData cell = cell_with({.model = label}, {per_s, per_s});
    cell.of.model.family = "decoder";
    cell.recipe_parameters = {{"cache", cache}, {"context", context}, {"capacity", capacity}};
    return cell;
  };
  const auto values = values_of_series(
      {step("tight", "delta", 32, 64, 100), step("wide", "delta", 32, 512, 80), step("static", "static", 32, 512, 50),
       step("later", "delta", 128, 512, 60), step("growing", "growing", 32, 0, 70)},
      "capacity_ratio");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].subject, "wide, over 64");
  EXPECT_NEAR(values[0].value.value(), 0.8, 1e-7);
}

TEST(DynamicShapes, AreRelatedToTheSameModelWithStaticOnes) {
  std::vector<CellData> cells{cell_with({.model = "net", .batch = 4}, {100, 100}),
                              cell_with({.model = "net dynamic_batch", .batch = 4}, {80, 80})};
  cells[1].of.model.key.hash = hash_with_dynamic_batch(cells[0].of.model.key.hash);
  const auto values = values_of_series(cells, "dynamic_shapes_ratio");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].subject, "net");
  EXPECT_NEAR(values[0].value.value(), 0.8, 1e-7);
}

TEST(DynamicShapes, AreRelatedWhateverTheTwoEntriesAreCalled) {
  std::vector<CellData> cells{cell_with({.model = "fixed", .batch = 4}, {100, 100}),
                              cell_with({.model = "open", .batch = 4}, {80, 80})};
  cells[1].of.model.key.hash = hash_with_dynamic_batch(cells[0].of.model.key.hash);
  const auto values = values_of_series(cells, "dynamic_shapes_ratio");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_NEAR(values[0].value.value(), 0.8, 1e-7);
}

TEST(DynamicShapes, AreRecognisedByTheHashThatThePlanGivesSuchAModel) {
  config::ModelEntry entry;
  entry.label = "a";
  entry.family = "conv_block";
  plan::PythonFiles python_files;
  const auto fixed = plan::make_model(entry, 4, 1, python_files);
  entry.dynamic_batch = true;
  const auto open = plan::make_model(entry, 4, 1, python_files);
  ASSERT_TRUE(fixed && open);
  EXPECT_EQ(hash_with_dynamic_batch(fixed->key.hash), open->key.hash);
}

}  // namespace
}  // namespace ngb::metrics::series

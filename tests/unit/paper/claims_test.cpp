// SPDX-License-Identifier: Apache-2.0
#include "paper/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../metrics/series/made_up_series.h"
#include "base/file.h"

namespace ngb::paper {
namespace {

using made_up::analysis_of;
using made_up::around;
using made_up::cell_with;
using metrics::Analysis;
using metrics::series::Claim;
using metrics::series::ClaimRow;
using metrics::series::test_claims;
using store::CellData;
using testing::ElementsAre;

std::vector<std::string> statuses(const std::vector<CellData>& cells, const std::string& claim) {
  std::vector<std::string> found;
  const Analysis analysis = analysis_of(cells);
  for (const ClaimRow& row : test_claims(analysis, claims().rows)) {
    if (claim == row.claim->name) found.push_back(row.compiler + " " + std::string(name(row.status)));
  }
  return found;
}

// The speed-up at batch 8 is 1.2, that at batch 1 is `single`.
std::vector<CellData> two_batches(double single, double noise) {
  const std::vector<double> deviations{-noise, noise, noise / 2, 0};
  std::vector<CellData> cells;
  for (const auto& [batch, speed_up] : {std::pair{1, single}, {8, 1.2}}) {
    cells.push_back(cell_with({.batch = batch}, around(100 * batch, {0.001, 0, -0.001, 0.001})));
    cells.push_back(cell_with({.compiler = "fast", .batch = batch}, around(100 * batch * speed_up, deviations)));
  }
  return cells;
}

TEST(Claims, HoldOrDoNotHoldOrAreUndecided) {
  EXPECT_THAT(statuses(two_batches(2.0, 0.002), "small_batch_gains"), ElementsAre("fast 1.0 holds"));
  EXPECT_THAT(statuses(two_batches(0.9, 0.002), "small_batch_gains"), ElementsAre("fast 1.0 does_not"));
  EXPECT_THAT(statuses(two_batches(1.2, 0.002), "small_batch_gains"), ElementsAre("fast 1.0 does_not")) << "the same";
  EXPECT_THAT(statuses(two_batches(1.21, 0.0002), "small_batch_gains"), ElementsAre("fast 1.0 does_not"))
      << "0.992 is told to be below 1, but by less than 3 %";
  EXPECT_THAT(statuses(two_batches(1.3, 0.3), "small_batch_gains"), ElementsAre("fast 1.0 undecided"));
}

// Speed-ups of a convolutional model, a transformer and ConvNeXt.
std::vector<CellData> three_styles(const std::string& compiler, double resnet, double vit, double convnext) {
  std::vector<CellData> cells;
  for (const auto& [style, speed_up] :
       {std::pair{"convolutional", resnet}, {"transformer", vit}, {"hybrid", convnext}}) {
    cells.push_back(cell_with({.model = style, .style = style}, around(100, {0.001, 0, -0.001, 0.001})));
    cells.push_back(cell_with({.model = style, .compiler = compiler, .style = style},
                              around(100 * speed_up, {0.001, -0.001, 0, 0.0005})));
  }
  return cells;
}

// Why each row of the claim has no status or an undecided one.
std::vector<std::string> reasons(const std::vector<CellData>& cells, const std::string& claim) {
  std::vector<std::string> found;
  const Analysis analysis = analysis_of(cells);
  for (const ClaimRow& row : test_claims(analysis, claims().rows)) {
    if (claim == row.claim->name) found.push_back(row.value.reason);
  }
  return found;
}

TEST(Claims, SayWhyTheyAreUndecided) {
  EXPECT_THAT(reasons(two_batches(1.3, 0.3), "small_batch_gains"),
              ElementsAre("the interval contains 1 and is wider than the margin"));
  std::vector<CellData> one_in_part = two_batches(2.0, 0.002);
  one_in_part.back().processes.resize(2);
  EXPECT_THAT(reasons(one_in_part, "small_batch_gains"), ElementsAre("fewer than 3 rounds hold both sides"));
  EXPECT_THAT(reasons(two_batches(2.0, 0.002), "small_batch_gains"), ElementsAre("")) << "it holds";
  EXPECT_THAT(reasons(three_styles("fast", 1.5, 1.5, 1.2), "convnext_among_transformers"),
              ElementsAre("what the claim presupposes is not told"));
}

TEST(Claims, SayWhatWasNotMeasured) {
  EXPECT_THAT(statuses(two_batches(2, 0.002), "tvm_weak_on_transformers"), ElementsAre(" not_measured"));
  EXPECT_THAT(statuses(two_batches(2, 0.002), "convnext_among_transformers"), ElementsAre(" not_measured"));
  EXPECT_THAT(statuses(two_batches(2, 0.002), "mha_retains_less_than_conv"), ElementsAre(" not_measured"));
}

TEST(Claims, PlaceConvNextAmongTheStyleThatItIsNearerTo) {
  const std::string claim = "convnext_among_transformers";
  EXPECT_THAT(statuses(three_styles("fast", 2.0, 1.2, 1.3), claim), ElementsAre("fast 1.0 holds"));
  EXPECT_THAT(statuses(three_styles("fast", 1.2, 2.0, 1.9), claim), ElementsAre("fast 1.0 holds"));
  EXPECT_THAT(statuses(three_styles("fast", 2.0, 1.2, 1.9), claim), ElementsAre("fast 1.0 does_not"));
  EXPECT_THAT(statuses(three_styles("fast", 1.5, 1.5, 1.2), claim), ElementsAre("fast 1.0 undecided"))
      << "the styles do not differ";
}

TEST(Claims, AboutOneCompilerAreTestedOnThatOneOnly) {
  EXPECT_THAT(statuses(three_styles("tvm", 1.6, 0.3, 0.4), "tvm_weak_on_transformers"), ElementsAre("tvm 1.0 holds"));
  EXPECT_THAT(statuses(three_styles("tvm", 0.9, 1.3, 1.2), "tvm_weak_on_transformers"),
              ElementsAre("tvm 1.0 does_not"));
  EXPECT_THAT(statuses(three_styles("fast", 1.6, 0.3, 0.4), "tvm_weak_on_transformers"), ElementsAre(" not_measured"));
}

TEST(Claims, AreListedInTheDocumentation) {
  const std::string page = file::read(std::filesystem::path(NGB_SOURCE_DIR) / "docs/reproduce-paper.md").value();
  EXPECT_EQ(claims().rows.size(), 28U);
  for (const auto rows : {claims().rows, profile_claims()}) {
    for (const Claim& each : rows) {
      EXPECT_THAT(page, testing::HasSubstr(fmt::format("| {} (`{}`) | {} | {} |\n", each.sentence, each.name,
                                                       each.quantity, each.source)));
    }
  }
}

}  // namespace
}  // namespace ngb::paper

// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/group_means.h"

#include <gtest/gtest.h>

#include "made_up_series.h"
#include "metrics/series/derive_series.h"

namespace ngb::metrics::series {
namespace {

using made_up::cell_with;
using store::CellData;
using store::SeriesValue;

// Two convolutional models of different families, and a stack of blocks, at batch 1 and 4. The identity's speed doubles
// from batch 1 to 4; "fast" makes 2 and 8 times of it at batch 1, and as many at batch 4 of a, half as many of b.
std::vector<CellData> two_families() {
  const auto cell = [](const std::string& family, int batch, const std::string& compiler, double speed) {
    return cell_with(
        {.model = family, .compiler = compiler, .batch = batch, .family = family, .style = "convolutional"},
        {speed, speed});
  };
  return {cell("a", 1, "identity", 100),     cell("a", 1, "fast", 200),    cell("a", 4, "identity", 200),
          cell("a", 4, "fast", 400),         cell("b", 1, "identity", 10), cell("b", 1, "fast", 80),
          cell("b", 4, "identity", 20),      cell("b", 4, "fast", 80),     cell("conv_block", 1, "identity", 1),
          cell("conv_block", 1, "fast", 100)};
}

SeriesValue of_fast(const std::vector<SeriesValue>& values, const std::string& series, const std::string& subject,
                    const std::string& batch) {
  for (const SeriesValue& value : values) {
    if (value.series == series && value.compiler == "fast 1.0" && value.subject == subject &&
        value.batch_sizes == batch) {
      return value;
    }
  }
  return {.reason = "no such row"};
}

std::vector<SeriesValue> of_all_cells(const std::vector<CellData>& cells) {
  return values_of(made_up::analysis_of(cells), made_up::all_of(cells));
}

TEST(StyleMeans, AreGeometricOverTheModelsOfAllFamiliesWithoutStacksOfBlocks) {
  const std::vector<SeriesValue> values = of_all_cells(two_families());
  EXPECT_NEAR(of_fast(values, "style_batch_speed_up_ratio", "convolutional", "1").value.value(), 4, 1e-6);  // 2, 8
  EXPECT_NEAR(of_fast(values, "style_batch_speed_up_ratio", "convolutional", "4").value.value(), std::sqrt(8.0), 1e-6);
  // RTR 2 and 1, over 4.
  EXPECT_NEAR(of_fast(values, "style_batch_ase_ratio", "convolutional", "4").value.value(), std::sqrt(2.0) / 4, 1e-6);
  EXPECT_NEAR(of_fast(values, "style_batch_bsr_ratio", "convolutional", "4").value.value(), std::sqrt(0.5), 1e-6);
  EXPECT_EQ(of_fast(values, "style_batch_ase_ratio", "convolutional", "1").reason, "no such row");
}

TEST(FamilyMeans, AreOfEachBatchSize) {
  const std::vector<CellData> cells = two_families();
  std::vector<SeriesValue> values;
  for (const Part& part : parts_of(of_exact_models(cells))) {
    for (SeriesValue& value : values_of(made_up::analysis_of(cells), part)) values.push_back(std::move(value));
  }
  EXPECT_NEAR(of_fast(values, "model_group_batch_speed_up_ratio", "b", "4").value.value(), 4, 1e-6);
  EXPECT_NEAR(of_fast(values, "model_group_batch_ase_ratio", "b", "4").value.value(), 0.25, 1e-6);
  EXPECT_NEAR(of_fast(values, "model_group_batch_bsr_ratio", "b", "4").value.value(), 0.5, 1e-6);
  EXPECT_NEAR(of_fast(values, "model_group_batch_bsr_ratio", "a", "4").value.value(), 1, 1e-6);
  EXPECT_EQ(of_fast(values, "style_batch_bsr_ratio", "convolutional", "4").reason, "no such row");
}

}  // namespace
}  // namespace ngb::metrics::series

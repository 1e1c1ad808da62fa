// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "made_up_series.h"

namespace ngb::metrics::series {
namespace {

using made_up::analysis_of;
using made_up::around;
using made_up::cell_with;
using store::CellData;

// Models a and b on two compilers; only with `other` is b the faster one.
std::vector<CellData> one_reversal() {
  return {cell_with({.model = "a", .compiler = "identity"}, around(110)),
          cell_with({.model = "b", .compiler = "identity"}, around(100)),
          cell_with({.model = "a", .compiler = "other"}, around(200)),
          cell_with({.model = "b", .compiler = "other"}, around(300))};
}

TEST(Reversals, AreExactlyTheOneThatThereIs) {
  const std::vector<CellData> cells = one_reversal();
  const Analysis analysis = analysis_of(cells);
  const Orders orders = find_reversals(analysis);
  ASSERT_EQ(orders.reversals.size(), 1U);
  EXPECT_EQ(orders.looked_at, 1U) << "two models on two compilers; each compiler pair is on one device and batch size";
  const Reversal& reversal = orders.reversals.front();
  EXPECT_EQ(reversal.ranked, Ranked::models);
  EXPECT_EQ(reversal.between, Between::device_compilers);
  EXPECT_EQ(analysis.cell(reversal.faster.a).cell_id, "local/a/identity/1");
  EXPECT_EQ(analysis.cell(reversal.faster.b).cell_id, "local/b/identity/1");
  EXPECT_EQ(analysis.cell(reversal.slower.a).cell_id, "local/a/other/1");
  EXPECT_NEAR(reversal.faster.ratio.value.value(), 1.1, 1e-5);
  EXPECT_NEAR(reversal.slower.ratio.value.value(), 2.0 / 3, 1e-5);
}

// Returns how often two orders of the models a and b are compared.
std::size_t compared_with(std::uint64_t parameters_of_a, std::uint64_t parameters_of_b) {
  std::vector<CellData> cells = one_reversal();
  for (CellData& cell : cells)
    cell.of.model.parameters = cell.of.model.label == "a" ? parameters_of_a : parameters_of_b;
  return find_reversals(analysis_of(cells)).looked_at;
}

TEST(Reversals, AreLookedForBetweenModelsWithinAFactorOfOneAndAHalfOfParameters) {
  EXPECT_EQ(compared_with(30'000'000, 20'000'000), 1U);
  EXPECT_EQ(compared_with(30'000'001, 20'000'000), 0U);
}

TEST(Reversals, AreLookedForBetweenModelsWithinThatFactorOfMultiplyAccumulatesToo) {
  std::vector<CellData> cells = one_reversal();
  for (CellData& cell : cells) {
    const bool is_a = cell.of.model.label == "a";
    cell.of.model.parameters = is_a ? 90'000'000 : 20'000'000;
    cell.of.model.macs = is_a ? 4'500'000'000 : 3'000'000'000;
  }
  EXPECT_EQ(find_reversals(analysis_of(cells)).looked_at, 1U);
  for (CellData& cell : cells) cell.of.model.macs = *cell.of.model.macs + (cell.of.model.label == "a" ? 1 : 0);
  EXPECT_EQ(find_reversals(analysis_of(cells)).looked_at, 0U);
}

TEST(Reversals, AreLookedForWithinTheStudysOwnFactor) {
  std::vector<CellData> cells = one_reversal();
  for (CellData& cell : cells) cell.of.model.parameters = cell.of.model.label == "a" ? 40'000'000 : 20'000'000;
  EXPECT_EQ(find_reversals(analysis_of(cells), 1.9).looked_at, 0U);
  EXPECT_EQ(find_reversals(analysis_of(cells), 2).looked_at, 1U);
}

TEST(Reversals, AreLookedForBetweenModelsOfEqualSizeInTheStudy) {
  std::vector<CellData> cells = one_reversal();
  for (CellData& cell : cells) cell.of.model.parameters.reset();
  EXPECT_EQ(find_reversals(analysis_of(cells)).looked_at, 0U) << "the size of a user's file is unknown";
  for (CellData& cell : cells) cell.of.model.size = 2;
  EXPECT_EQ(find_reversals(analysis_of(cells)).looked_at, 1U) << "the study gives it";
  for (CellData& cell : cells) cell.of.model.size = cell.of.model.label == "a" ? 1 : 2;
  EXPECT_EQ(find_reversals(analysis_of(cells)).looked_at, 0U);
  for (CellData& cell : cells) cell.of.model.parameters = cell.of.model.label == "a" ? 30'389'784 : 28'328'674;
  EXPECT_EQ(find_reversals(analysis_of(cells)).looked_at, 1U)
      << "EfficientNet-B5 is the third, Swin-Tiny the first of its group";
}

TEST(Reversals, AreNotFoundWhereTheIntervalsDoNotTellTheOrder) {
  std::vector<CellData> cells = one_reversal();
  cells[0] = cell_with({.model = "a", .compiler = "identity"}, around(110, {-0.2, 0.2, 0.1}));
  EXPECT_TRUE(find_reversals(analysis_of(cells)).reversals.empty());
}

TEST(Reversals, OfCompilersAreFoundBetweenBatchSizesAndBetweenDevices) {
  std::vector<CellData> cells;
  for (const auto& [device, batch, one, other] :
       {std::tuple{"local", 1, 100, 120}, {"local", 8, 800, 700}, {"xeon", 1, 300, 200}}) {
    cells.push_back(cell_with({.compiler = "one", .batch = batch, .device = device}, around(one)));
    cells.push_back(cell_with({.compiler = "other", .batch = batch, .device = device}, around(other)));
  }
  const Orders orders = find_reversals(analysis_of(cells));
  ASSERT_EQ(orders.reversals.size(), 2U);
  EXPECT_TRUE(std::all_of(orders.reversals.begin(), orders.reversals.end(),
                          [](const Reversal& each) { return each.ranked == Ranked::compilers; }));
  EXPECT_EQ(std::count_if(orders.reversals.begin(), orders.reversals.end(),
                          [](const Reversal& each) { return each.between == Between::devices; }),
            1);
}

// The paper's table VI: mean throughput of five families of models at two groups of batch sizes.
struct OfTableVi {
  const char* device;
  const char* compiler;
  std::vector<double> small_batches;  // ResNets, EfficientNets, DeiTs, Swins, ConvNeXts
  std::vector<double> large_batches;
};
std::vector<OfTableVi> table_vi() {
  return {
      {"Orin", "identity", {104.69, 50.33, 36.45, 22.28, 29.72}, {149.63, 64.47, 41.50, 25.66, 34.34}},
      {"Orin", "TensorRT", {179.01, 93.74, 95.67, 68.00, 76.98}, {247.99, 113.39, 116.26, 81.62, 89.80}},
      {"GPU", "identity", {1047.32, 294.85, 674.76, 304.23, 563.15}, {2442.30, 1029.42, 1015.49, 591.81, 862.64}},
      {"GPU", "TensorRT", {1740.11, 1114.56, 1164.57, 918.61, 972.13}, {2673.77, 1578.73, 1531.85, 1062.34, 1166.44}},
      {"GPU", "TVM", {1678.78, 1088.48, 71.43, 149.52, 266.40}, {1823.83, 1261.05, 87.22, 80.34, 143.74}},
      {"CPU", "identity", {68.08, 30.80, 37.08, 21.37, 31.86}, {75.12, 47.34, 50.81, 23.81, 45.00}},
      {"CPU", "OpenVINO", {136.94, 96.04, 50.29, 36.75, 38.91}, {163.90, 120.00, 61.01, 42.79, 45.50}},
      {"CPU", "TVM", {46.55, 17.69, 7.00, 8.01, 10.67}, {60.27, 20.66, 8.56, 9.67, 13.50}}};
}

// Counted with pandas over the table's means: within a device, 20 orders of two families differ between the identity
// and a compiler, 28 between any two compilers, and 6 between the two groups of batch sizes.
TEST(Reversals, OfThePapersTableViAreThoseThatItsMeansHold) {
  std::vector<CellData> cells;
  for (const OfTableVi& row : table_vi()) {
    for (std::size_t family = 0; family < row.small_batches.size(); ++family) {
      const std::string model = fmt::format("family{}", family);
      for (const int batch : {2, 8}) {
        const double mean = (batch == 2 ? row.small_batches : row.large_batches)[family];
        cells.push_back(cell_with({.model = model, .compiler = row.compiler, .batch = batch, .device = row.device},
                                  around(mean, {-1e-4, 1e-4, 5e-5})));
      }
    }
  }
  const Analysis analysis = analysis_of(cells);
  const Orders orders = find_reversals(analysis);
  int against_the_identity = 0;
  int within_a_device = 0;
  int between_batch_sizes = 0;
  for (const Reversal& each : orders.reversals) {
    if (each.ranked != Ranked::models) continue;
    const CellData& one = analysis.cell(each.faster.a);
    const CellData& other = analysis.cell(each.slower.a);
    between_batch_sizes += each.between == Between::batch_sizes ? 1 : 0;
    if (each.between == Between::batch_sizes || one.of.device != other.of.device) continue;
    ++within_a_device;
    against_the_identity += one.of.compiler.name == "identity" || other.of.compiler.name == "identity" ? 1 : 0;
  }
  EXPECT_EQ(against_the_identity, 20);
  EXPECT_EQ(within_a_device, 28);
  EXPECT_EQ(between_batch_sizes, 6);
}

TEST(Reversals, AreFoundInAtMostOnePercentOfStudiesWithoutDifferences) {
  std::mt19937_64 random(20261124);
  int with_any = 0;
  for (int study = 0; study < 200; ++study) {
    const std::vector<CellData> cells = made_up::study_without_differences(random);
    const Orders orders = find_reversals(analysis_of(cells));
    EXPECT_GT(orders.looked_at, 0U);
    with_any += orders.reversals.empty() ? 0 : 1;
  }
  EXPECT_LE(with_any, 2);
}

}  // namespace
}  // namespace ngb::metrics::series

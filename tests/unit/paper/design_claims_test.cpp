// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../metrics/series/made_up_series.h"
#include "paper/claims.h"

namespace ngb::paper {
namespace {

using made_up::around;
using made_up::cell_with;
using metrics::Analysis;
using metrics::series::ClaimRow;
using store::CellData;

// A workload with the speeds of the identity and of another compiler, in samples/s.
struct Workload {
  made_up::Of of{};
  double identity = 100;
  double compiled = 100;
};

std::vector<CellData> both(const std::string& compiler, const std::vector<Workload>& workloads) {
  std::vector<CellData> cells;
  for (Workload each : workloads) {
    cells.push_back(cell_with(each.of, around(each.identity, {0.001, 0, -0.001, 0.001})));
    each.of.compiler = compiler;
    cells.push_back(cell_with(each.of, around(each.compiled, {-0.001, 0.001, 0, 0.0005})));
  }
  return cells;
}

// Returns "holds 0.50" for each row of the claim that was measured, and "not_measured" if none was.
std::string rows_of(const std::vector<CellData>& cells, const std::string& claim) {
  const Analysis analysis = made_up::analysis_of(cells);
  std::string found;
  for (const ClaimRow& row : metrics::series::test_claims(analysis, claims().rows)) {
    if (claim != row.claim->name) continue;
    if (!found.empty()) found += ", ";
    found +=
        row.value.value ? fmt::format("{} {:.2f}", name(row.status), *row.value.value) : std::string(name(row.status));
  }
  return found;
}

made_up::Of network(const std::string& model, const std::string& style, int batch = 1) {
  return {.model = model, .batch = batch, .style = style};
}

made_up::Of stack(const std::string& family, int width, int depth, int batch = 1) {
  const std::string parameters = fmt::format(R"({{"depth":{},"width":{}}})", depth, width);
  return {.model = family + parameters, .batch = batch, .family = family, .parameters = parameters};
}

TEST(ClaimsOfStyles, AreAboutSmallBatchesAndTransformersOnlyOfCompilersOfNoVendor) {
  const auto cells = [](const std::string& compiler) {
    return both(compiler, {{network("conv", "convolutional"), 100, 200},
                           {network("conv", "convolutional", 8), 100, 50},  // a large batch does not count
                           {network("former", "transformer"), 100, 120}});
  };
  EXPECT_EQ(rows_of(cells("onnxruntime"), "convolutions_gain"), "holds 2.00");
  EXPECT_EQ(rows_of(cells("onnxruntime"), "transformers_gain_less"), "holds 0.60") << "1.2 / 2";
  EXPECT_EQ(rows_of(cells("openvino"), "convolutions_gain"), "holds 2.00");
  EXPECT_EQ(rows_of(cells("openvino"), "transformers_gain_less"), "not_measured");
  EXPECT_EQ(rows_of(both("tvm", {{network("conv", "convolutional"), 100, 80}}), "convolutions_gain"), "does_not 0.80");
}

TEST(ClaimOfContributionThree, IsAboutConvolutionsAndTheOtherWayRoundForOnnxRuntime) {
  const auto cells = [](const std::string& compiler, double deep) {
    return both(compiler, {{stack("conv_block", 64, 1), 100, 150}, {stack("conv_block", 64, 6), 20, deep}});
  };
  EXPECT_EQ(rows_of(cells("openvino", 45), "vendors_gain_over_depth"), "holds 1.50") << "45 / 20 over 1.5";
  EXPECT_EQ(rows_of(cells("openvino", 24), "vendors_gain_over_depth"), "does_not 0.80");
  EXPECT_EQ(rows_of(cells("onnxruntime", 30.6), "vendors_gain_over_depth"), "holds 1.02");
  EXPECT_EQ(rows_of(cells("onnxruntime", 45), "vendors_gain_over_depth"), "does_not 1.50");
  EXPECT_EQ(rows_of(cells("tvm", 45), "vendors_gain_over_depth"), "not_measured");
}

TEST(ClaimsOfWidth, CompareTheWidestStackWithTheNarrowest) {
  // The narrow one gains twice from the batch, the wide one 1.2 times: friction 0.6. Speed-ups 1.5 and 2 at batch 1.
  const std::vector<CellData> cells = both("fast", {{stack("conv_block", 32, 2), 100, 150},
                                                    {stack("conv_block", 32, 2, 8), 200, 300},
                                                    {stack("conv_block", 64, 2), 60, 80},  // between the ends
                                                    {stack("conv_block", 96, 2), 40, 80},
                                                    {stack("conv_block", 96, 2, 8), 48, 96}});
  EXPECT_EQ(rows_of(cells, "width_costs_efficiency"), "holds 0.60");
  EXPECT_EQ(rows_of(cells, "width_is_mitigated"), "holds 1.33") << "2 / 1.5, at batch 1 and at batch 8";
  EXPECT_EQ(rows_of(both("fast", {{stack("conv_block", 32, 2), 100, 150}}), "width_is_mitigated"), "not_measured");
}

TEST(ClaimOfKindsOfBlocks, IsAboutTheResilienceOfOpenVino) {
  const auto cells = [](const std::string& compiler) {
    return both(compiler, {{stack("conv_block", 64, 1), 100, 100},
                           {stack("conv_block", 64, 1, 8), 100, 180},  // BSR 1.8
                           {stack("mha_block", 64, 1), 100, 100},
                           {stack("mha_block", 64, 1, 8), 200, 240}});  // BSR 1.2
  };
  EXPECT_EQ(rows_of(cells("openvino"), "convolutions_keep_efficiency"), "holds 1.50");
  EXPECT_EQ(rows_of(cells("onnxruntime"), "convolutions_keep_efficiency"), "not_measured");
}

TEST(ClaimOfConsistency, DoesNotHoldIfOneConfigurationIsBelowOne) {
  const auto cells = [](double last) {
    return both("fast", {{network("a", ""), 100, 100},
                         {network("a", "", 4), 200, 300},
                         {network("a", "", 8), 200, last},
                         {network("b", ""), 100, 100},
                         {network("b", "", 8), 300, 600}});
  };
  EXPECT_EQ(rows_of(cells(240), "bsr_consistently_above_one"), "holds 1.20") << "of 1.5, 1.2 and 2";
  EXPECT_EQ(rows_of(cells(160), "bsr_consistently_above_one"), "does_not 0.80");
  EXPECT_EQ(rows_of(cells(160), "bsr_above_one"), "holds 1.26") << "the mean of 0.8 and 2 is above 1";
}

// ASE is 1, 0.5, 0.25 of one model; from 1 to 0.5 and back to 0.6 of another one.
TEST(ClaimsOfAse, CompareEachBatchSizeWithTheNextSmallerOne) {
  const auto cells = [](const std::string& compiler, double last) {
    return both(compiler, {{network("a", ""), 100, 100},
                           {network("a", "", 2), 100, 100},
                           {network("a", "", 4), 100, 100},
                           {network("b", ""), 100, 100},
                           {network("b", "", 4), 100, 200},
                           {network("b", "", 8), 100, last}});
  };
  EXPECT_EQ(rows_of(cells("openvino", 240), "vendors_ase_falls"), "holds 0.60");
  EXPECT_EQ(rows_of(cells("openvino", 480), "vendors_ase_falls"), "does_not 1.20");
  EXPECT_EQ(rows_of(cells("tvm", 480), "tvm_ase_rises"), "holds 1.20");
  EXPECT_EQ(rows_of(cells("tvm", 240), "tvm_ase_rises"), "does_not 0.60");
  EXPECT_EQ(rows_of(cells("tvm", 480), "vendors_ase_falls"), "not_measured");
  EXPECT_EQ(rows_of(cells("openvino", 480), "tvm_ase_rises"), "not_measured");
}

TEST(ClaimOfScarceResources, ComparesEachDeviceWithTheOneOfTheFastestBaseline) {
  const auto on = [](const std::string& device, double factor, double bsr) {
    made_up::Of single{.model = "net", .device = device};
    made_up::Of large = single;
    large.batch = 8;
    return both("fast", {{single, 100 * factor, 200 * factor}, {large, 150 * factor, 300 * factor * bsr}});
  };
  std::vector<CellData> cells = on("orin", 1, 1.5);
  for (const CellData& cell : on("server", 10, 1.0)) cells.push_back(cell);
  EXPECT_EQ(rows_of(cells, "scarce_devices_keep_efficiency"), "holds 1.50") << "a row of the orin, none of the server";
  EXPECT_EQ(rows_of(on("orin", 1, 1.5), "scarce_devices_keep_efficiency"), "not_measured");
}

TEST(ClaimOfTheProcessorOverBatches, IsAboutAccelerators) {
  std::vector<CellData> cells = both("fast", {{network("net", ""), 100, 200}, {network("net", "", 8), 200, 400}});
  for (CellData& cell : cells) {
    for (store::RecordedProcess& process : cell.processes) {
      const double share = cell.of.model.key.batch == 1 ? 0.8 : 0.2;
      const double jitter = 1 + 0.001 * process.process_index;
      process.phases.back().cpu_ns = Known<std::int64_t>::of(
          static_cast<std::int64_t>(share * jitter * static_cast<double>(process.phases.back().wall_ns)));
    }
  }
  EXPECT_EQ(rows_of(cells, "cpu_use_falls_with_batch"), "not_measured") << "it computes on the processor";
  for (CellData& cell : cells) cell.of.compute_device = decltype(cell.of.compute_device)::of("gpu");
  EXPECT_EQ(rows_of(cells, "cpu_use_falls_with_batch"), "holds 0.25");
}

TEST(ClaimOfLoads, ComparesTheLargestModelOfAGroupWithItsSmallest) {
  std::vector<CellData> cells;
  for (const auto& [model, parameters, kept] :
       {std::tuple{"small", 10, 0.8}, {"medium", 20, 0.9}, {"large", 30, 0.4}}) {
    made_up::Of of{.model = model, .parameter_count = static_cast<std::uint64_t>(parameters)};
    for (CellData& cell : both("fast", {{of, 100, 200}})) cells.push_back(std::move(cell));
    for (CellData& cell : both("fast", {{of, 100, 200 * kept}})) {
      cell.of.load = "cpu: 1";
      cell.cell_id += "/cpu: 1";
      cells.push_back(std::move(cell));
    }
  }
  for (CellData& cell : cells) cell.of.model.group = "nets";
  EXPECT_EQ(rows_of(cells, "load_hurts_larger_models"), "holds 0.50") << "0.4 / 0.8";
}

}  // namespace
}  // namespace ngb::paper

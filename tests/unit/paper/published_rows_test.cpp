// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "paper_figures.h"

namespace ngb::paper::figures {
namespace {

using made_up::cell_with;
using made_up::ResultsOf;
using store::CellData;
using testing::ElementsAre;
using testing::IsEmpty;

CellData of_resnets(const std::string& compiler, double speed) {
  CellData cell = cell_with({.model = "resnet101", .compiler = compiler}, {speed, speed, speed});
  cell.of.model.group = "ResNets";
  return cell;
}

ResultsOf two_compilers() { return ResultsOf({of_resnets("identity", 100), of_resnets("openvino", 200)}); }

// "DEVICE, COMPILER, BATCH SIZES: NUMBER" of the rows that the paper has published of ResNets.
std::vector<std::string> published_rows(const ResultsOf& results, const char* figure, const char* name,
                                        std::vector<std::string> devices, const char* quantity = nullptr) {
  std::vector<std::string> found;
  for (const Row& row : rows_of_figure(results, figure, std::move(devices))) {
    if (row.at("state") != "published" || row.value("model_group", "ResNets") != "ResNets") continue;
    if (quantity != nullptr && row.at("quantity") != quantity) continue;
    const std::string batches =
        row.contains("batch_sizes") ? row.at("batch_sizes").get<std::string>() : row.at("batch").dump();
    found.push_back(fmt::format("{}, {}, {}: {:.4g}", row.at("device").get<std::string>(),
                                row.at("compiler").get<std::string>(), batches, row.at(name).get<double>()));
  }
  return found;
}

TEST(PublishedRows, AreThereOnlyIfTheyAreAskedFor) {
  EXPECT_THAT(published_rows(two_compilers(), "speed_up_by_model_group", "model_group_batch_speed_up_ratio", {}),
              IsEmpty());
}

TEST(PublishedRows, HaveTheSpeedUpsOfFamilies) {
  // Of Table VI, 136.94 / 68.08, 46.55 / 68.08, 163.90 / 75.12 and 60.27 / 75.12.
  EXPECT_THAT(
      published_rows(two_compilers(), "speed_up_by_model_group", "model_group_batch_speed_up_ratio", {"paper: Xeon"}),
      ElementsAre("paper: Xeon, openvino (paper), 2-4: 2.011", "paper: Xeon, openvino (paper), 8-16: 2.182",
                  "paper: Xeon, tvm (paper), 2-4: 0.6838", "paper: Xeon, tvm (paper), 8-16: 0.8023"));
}

TEST(PublishedRows, HaveTheUseOfTheProcessorWithItsDeviationAndItsRelief) {
  EXPECT_THAT(published_rows(two_compilers(), "cpu_use", "percent", {"paper: Orin"}, "CPU use (%)"),
              ElementsAre("paper: Orin, PyTorch eager (identity, paper), 2-4: 11.13",
                          "paper: Orin, PyTorch eager (identity, paper), 8-16: 5.52",
                          "paper: Orin, tensorrt (paper), 2-4: 3.45", "paper: Orin, tensorrt (paper), 8-16: 1.58"));
  EXPECT_THAT(published_rows(two_compilers(), "cpu_use", "low", {"paper: Orin"}, "CPU use (%)"),
              testing::Contains("paper: Orin, tensorrt (paper), 2-4: 2.31"))  // 3.45 - 1.14
      << "a standard deviation below";
  EXPECT_THAT(published_rows(two_compilers(), "cpu_use", "percent", {"paper: Orin"}, "CPU reduction (%)"),
              ElementsAre("paper: Orin, tensorrt (paper), 2-4: 69", "paper: Orin, tensorrt (paper), 8-16: 71.38"));
}

TEST(PublishedRows, HaveTheCompileTimesOfTheModelsAndBatchSizesThatTheResultsHave) {
  EXPECT_THAT(published_rows(two_compilers(), "compile_time", "compile_total_s", {"paper: Xeon", "paper: RTX 4070"}),
              ElementsAre("paper: Xeon, openvino (paper), 1: 2.249", "paper: Xeon, tvm (paper), 1: 1.802e+04",
                          "paper: RTX 4070, tensorrt (paper), 1: 11.86", "paper: RTX 4070, tvm (paper), 1: 5.731e+04"));
}

TEST(PublishedRows, HaveTheColourOfTheCompilerAndAnotherShape) {
  const ResultsOf results = two_compilers();
  const Selection selection = results.selection(published({"paper: Xeon"}));
  ASSERT_THAT(selection.compilers(),
              ElementsAre("PyTorch eager (identity 1.0)", "openvino 1.0", "PyTorch eager (identity, paper)",
                          "openvino (paper)", "tensorrt (paper)", "tvm (paper)"));
  EXPECT_EQ(selection.looks()[3].colour, selection.looks()[1].colour);
  EXPECT_NE(selection.looks()[3].shape, selection.looks()[1].shape);
}

}  // namespace
}  // namespace ngb::paper::figures

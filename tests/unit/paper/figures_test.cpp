// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "paper_figures.h"

namespace ngb::paper::figures {
namespace {

using made_up::cell_with;
using made_up::ResultsOf;

const std::vector<std::string> kPublished{"paper: Xeon", "paper: RTX 4070", "paper: Orin"};

// Returns the figure's rows of results of one cell beside the published ones.
std::vector<Row> published_rows_of(const char* figure) {
  const ResultsOf results({cell_with({}, {100, 101})});
  std::vector<Row> rows = rows_of_figure(results, figure, kPublished);
  std::erase_if(rows, [](const Row& row) { return row.at("state") != "published"; });
  return rows;
}

double number_in(const std::vector<Row>& rows, const char* number, const std::string& device,
                 const std::string& compiler, const std::string& family, const std::string& batches,
                 const std::string& panel = {}) {
  for (const Row& row : rows) {
    if (row.at("device") == device && row.at("compiler") == compiler + " (paper)" && row.at("model_group") == family &&
        row.at("batch_sizes") == batches && (panel.empty() || row.at("panel") == panel)) {
      return row.at(number).get<double>();
    }
  }
  return -1;
}

// Two devices reverse the order of the same two models: alone, and one beside the other.
TEST(Figure1, HasEachBarOnceInAPanel) {
  const ResultsOf results(made_up::study_of_everything());
  std::set<std::string> bars;
  std::set<std::string> panels;
  for (const Row& row : rows_of_figure(results, "figure1")) {
    panels.insert(row.at("panel"));
    const std::string bar = row.at("panel").dump() + row.at("side").dump() + row.at("model").dump();
    EXPECT_TRUE(bars.insert(bar).second) << bar;
  }
  EXPECT_GT(panels.size(), 1U);
}

// Expected: Table VI, by hand. tests/oracle compares all of its numbers.
TEST(PublishedFigures, FiveSixAndTwelveHaveTheNumbersOfTableVi) {
  const std::vector<Row> five = published_rows_of("figure5");
  EXPECT_EQ(five.size(), 60U)
      << "5 families, 3 devices, the vendor's compiler and the identity, 2 groups of batch sizes";
  EXPECT_DOUBLE_EQ(number_in(five, "throughput_per_s", "paper: Orin", "tensorrt", "ResNets", "2-4"), 179.01);
  EXPECT_DOUBLE_EQ(number_in(five, "low", "paper: Orin", "tensorrt", "ResNets", "2-4"), 179.01 - 6.98);
  EXPECT_DOUBLE_EQ(number_in(five, "batch", "paper: Orin", "tensorrt", "ResNets", "8-16"), std::sqrt(128.0));
  const std::vector<Row> six = published_rows_of("figure6");
  EXPECT_EQ(six.size(), 50U) << "one compiler on the Orin, two on each of the others";
  EXPECT_DOUBLE_EQ(number_in(six, "model_group_batch_speed_up_ratio", "paper: Xeon", "openvino", "Swins", "8-16"),
                   42.79 / 23.81);
  const std::vector<Row> twelve = published_rows_of("figure12");
  EXPECT_EQ(twelve.size(), 130U) << "5 families, 2 groups of batch sizes, 8 uses and 5 reductions of 3 devices";
  EXPECT_DOUBLE_EQ(number_in(twelve, "percent", "paper: Orin", "tensorrt", "Swins", "2-4", "CPU use (%), paper: Orin"),
                   1.25);
  EXPECT_DOUBLE_EQ(
      number_in(twelve, "percent", "paper: Orin", "tensorrt", "Swins", "2-4", "CPU reduction (%), paper: Orin"),
      100 * (1 - 1.25 / 7.20));
}

TEST(PublishedFigures, TwelveHasUseAndReductionOfADeviceOneAboveTheOther) {
  std::vector<std::string> panels;
  for (const Row& row : published_rows_of("figure12")) {
    if (const auto panel = row.at("panel").get<std::string>(); panels.empty() || panels.back() != panel) {
      panels.push_back(panel);
    }
  }
  EXPECT_EQ(panels, (std::vector<std::string>{"CPU use (%), paper: Orin", "CPU reduction (%), paper: Orin",
                                              "CPU use (%), paper: RTX 4070", "CPU reduction (%), paper: RTX 4070",
                                              "CPU use (%), paper: Xeon", "CPU reduction (%), paper: Xeon"}));
}

// The Orin's clearest reversal of Table VI: EfficientNets lead DeiTs uncompiled, and follow with TensorRT, by 2.5 % at
// batch 8-16 and by 2.1 % at batch 2-4.
TEST(PublishedFigures, OneHasFourBarsOfTheClearestReversalOfEachDevice) {
  const std::vector<Row> rows = published_rows_of("figure1");
  std::vector<double> bars;
  for (const Row& row : rows) {
    if (row.at("device") == "paper: Orin") bars.push_back(row.at("throughput_per_s").get<double>());
  }
  EXPECT_EQ(bars, (std::vector<double>{64.47, 41.50, 113.39, 116.26}));
}

TEST(PaperFigures, AreLeftOutWithAReasonIfNothingWasMeasuredForThem) {
  const ResultsOf results({cell_with({}, {100, 101})});
  for (const char* const name :
       {"figure1", "figure5", "figure6", "figure7", "figure8", "figure9", "figure10", "figure11"}) {
    const Rows made = make_rows(figure_of(name), results.selection());
    EXPECT_TRUE(made.rows.empty()) << name;
    EXPECT_NE(made.why_none, "") << name;
  }
}

std::vector<store::CellData> two_families() {
  std::vector<store::CellData> cells;
  for (const char* const compiler : {"identity", "onnxruntime", "openvino"}) {
    for (const int batch : {1, 4}) {
      const double speed = compiler == std::string("identity") ? 100 : compiler == std::string("openvino") ? 150 : 300;
      for (const auto& [model, group, parameters] :
           {std::tuple{"small", "As", 10}, {"large", "As", 90}, {"other", "Bs", 10}}) {
        store::CellData cell = cell_with(
            {.model = model, .compiler = compiler, .batch = batch, .style = "convolutional"}, made_up::around(speed));
        cell.of.model.group = group;
        cell.of.model.parameters = parameters;
        cells.push_back(std::move(cell));
      }
    }
  }
  return cells;
}

TEST(PaperFigures, SixSevenAndTwelveAreFiguresOfEveryReportUnderAnotherName) {
  const ResultsOf results(made_up::study_of_everything());
  const auto names_of = [](const report::figures::Figures& figures) {
    std::set<std::string> names;
    for (const report::figures::Made& made : figures.made) names.insert(made.figure->name);
    return names;
  };
  const std::set<std::string> usual = names_of(make_figures(results.selection()));
  const std::set<std::string> with_paper = names_of(figures_with(results));
  for (const auto& [name, number] : {std::pair("speed_up_by_model_group", "figure6"),
                                     std::pair("speed_up_by_depth", "figure7"), std::pair("cpu_use", "figure12")}) {
    EXPECT_TRUE(usual.contains(name)) << name;
    EXPECT_FALSE(with_paper.contains(name)) << "it is " << number << " now";
    EXPECT_TRUE(with_paper.contains(number)) << number;
  }
  EXPECT_EQ(figure_of("figure12").also, "cpu_use cpu_relief");
}

TEST(PaperFigures, FiveIsAGridOfSizesAndFamiliesOfTheVendorsCompilerAndTheBaseline) {
  const ResultsOf results(two_families());
  std::set<std::string> compilers;
  std::vector<std::string> empty;
  for (const Row& row : rows_of_figure(results, "figure5")) {
    if (row.at("state") == "empty") {
      empty.push_back(row.at("panel").get<std::string>() + ", " + row.at("column").get<std::string>() + ": " +
                      row.at("reason").get<std::string>());
    } else {
      compilers.insert(row.at("compiler").get<std::string>());
    }
  }
  EXPECT_EQ(compilers, (std::set<std::string>{"PyTorch eager (identity 1.0)", "openvino 1.0"}))
      << "onnxruntime is faster";
  EXPECT_EQ(empty, (std::vector<std::string>{"size 2, local, Bs: no model of this size was measured"}));
}

TEST(PaperFigures, SixAndEightAreMeansAtEachBatchSize) {
  const ResultsOf results(two_families());
  const std::vector<Row> six = rows_of_figure(results, "figure6");
  EXPECT_EQ(six.size(), 8U) << "2 compilers, 2 families, 2 batch sizes";
  for (const Row& row : six) {
    EXPECT_NEAR(row.at("model_group_batch_speed_up_ratio").get<double>(),
                row.at("compiler") == "openvino 1.0" ? 1.5 : 3, 1e-3);
  }
  const std::vector<Row> eight = rows_of_figure(results, "figure8");
  ASSERT_EQ(eight.size(), 3U) << "3 compilers at batch 4";
  EXPECT_NEAR(eight[0].at("style_batch_ase_ratio").get<double>(), 0.25, 1e-3) << "no faster in samples/s";
}

TEST(PaperFigures, OfBlocksHaveBothKindsOfBlocks) {
  const ResultsOf results(made_up::study_of_everything());
  for (const char* const name : {"figure10", "figure11"}) {
    std::set<std::string> kinds;
    for (const Row& row : rows_of_figure(results, name)) {
      const std::string place = row.at("panel").get<std::string>() + row.at("column").get<std::string>();
      kinds.insert(place.find("convolution") == std::string::npos ? "attention" : "convolution");
    }
    EXPECT_EQ(kinds, (std::set<std::string>{"attention", "convolution"})) << name;
  }
}

TEST(PaperFigures, OfBlocksSayThatAKindWasNotMeasured) {
  std::vector<store::CellData> cells = made_up::study_of_everything();
  std::erase_if(cells, [](const store::CellData& cell) { return cell.of.model.family == "mha_block"; });
  const ResultsOf results(std::move(cells));
  for (const char* const name : {"figure10", "figure11"}) {
    std::set<std::string> reasons;
    for (const Row& row : rows_of_figure(results, name)) {
      if (row.at("state") == "empty") reasons.insert(row.at("reason").get<std::string>());
    }
    EXPECT_EQ(reasons, (std::set<std::string>{"no stack of mha_block was measured"})) << name;
  }
}

}  // namespace
}  // namespace ngb::paper::figures

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../metrics/made_up_cells.h"
#include "report/results.h"

namespace ngb::report {
namespace {

using store::CellData;

// Two batch sizes of one model.
std::vector<CellData> five_cells() {
  return {made_up::cell("identity", 1), made_up::cell("onnxruntime", 1), made_up::cell("identity", 4),
          made_up::cell("onnxruntime", 4), made_up::cell("openvino", 4)};
}

std::vector<std::string> ids(const Results& results) {
  std::vector<std::string> ids;
  for (const CellData* cell : results.cells) ids.push_back(cell->cell_id);
  return ids;
}

TEST(Filters, PassCellsThatFitOneWordOfEachFilter) {
  const auto all = five_cells();
  EXPECT_THAT(ids(passing_results(all, {}, {}).value()), testing::SizeIs(5));
  EXPECT_THAT(ids(passing_results(all, {}, {{"compiler", {"openvino", "identity"}}, {"batch", {"4"}}}).value()),
              testing::ElementsAre("identity-4", "openvino-4"));
  for (const char* word : {"onnxruntime", "onnxruntime@1.0", "onnxruntime 1.0"}) {
    EXPECT_THAT(ids(passing_results(all, {}, {{"compiler", {word}}}).value()),
                testing::ElementsAre("onnxruntime-1", "onnxruntime-4"));
  }
}

TEST(Filters, KnowGroupsAndStylesOfModels) {
  auto all = five_cells();
  const auto group_error = [&] { return passing_results(all, {}, {{"group", {"ResNets"}}}).error().text(); };
  EXPECT_EQ(group_error(), "ResNets: these results have no model with a group");
  all[1].of.model.group = "ResNets";
  all[1].of.model.style = "convolutional";
  EXPECT_THAT(ids(passing_results(all, {}, {{"group", {"ResNets"}}}).value()), testing::ElementsAre(all[1].cell_id));
  EXPECT_THAT(ids(passing_results(all, {}, {{"style", {"convolutional"}}}).value()),
              testing::ElementsAre(all[1].cell_id));
  EXPECT_EQ(passing_results(all, {}, {{"style", {"hybrid"}}}).error().text(),
            "hybrid: these results have no such style, expected one of: convolutional");
}

TEST(Filters, NameTheNearestWordIfNoCellFits) {
  const auto error = [](const std::string& filter, const std::string& word) {
    return passing_results(five_cells(), {}, {{filter, {word}}}).error().text();
  };
  EXPECT_EQ(error("compiler", "openvno"), "openvno: these results have no such compiler, did you mean openvino?");
  EXPECT_EQ(error("batch", "128"), "128: these results have no such batch, expected one of: 1, 4");
  EXPECT_EQ(passing_results(five_cells(), {}, {{"compiler", {"openvino"}}, {"batch", {"1"}}}).error().what,
            "no cell passes all these filters");
}

}  // namespace
}  // namespace ngb::report

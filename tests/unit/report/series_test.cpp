// SPDX-License-Identifier: Apache-2.0
#include "report/series/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "work/codec.h"

namespace ngb::report {
namespace {

using testing::HasSubstr;
using testing::Not;

store::CellData cell_called(const std::string& id) {
  store::CellData cell;
  cell.cell_id = id;
  cell.of.device = "local";
  return cell;
}

std::vector<store::SeriesPart> parts() {
  store::SeriesPart part{.part = "local: resnet"};
  part.values = {{.series = "model_group_throughput_per_s",
                  .device = "local",
                  .compiler = "fast 1.0",
                  .subject = "resnet",
                  .batch_sizes = "2-4",
                  .value = 120,
                  .cell_ids = {"aa", "bb"}},
                 {.series = "model_group_throughput_std_per_s",
                  .device = "local",
                  .compiler = "fast 1.0",
                  .subject = "resnet",
                  .batch_sizes = "2-4",
                  .value = 1.5,
                  .cell_ids = {"aa", "bb"}},
                 {.series = "depth_retention_ratio",
                  .device = "local",
                  .compiler = "fast 1.0",
                  .subject = "conv_block",
                  .batch_sizes = "8",
                  .reason = "a single block was not measured",
                  .cell_ids = {"aa"}}};
  return {part};
}

class SeriesOfResults : public ::testing::Test {
 protected:
  Results results(const std::vector<store::SeriesPart>& parts) {
    Results made = all_results(cells_, values_);
    add_series(made, parts);
    return made;
  }
  std::vector<store::CellData> cells_{cell_called("aa"), cell_called("bb")};
  std::vector<store::DerivedValue> values_{};
};

TEST_F(SeriesOfResults, HaveTheirDeviationOrTheReasonWhyThereIsNoValue) {
  const std::vector<store::SeriesPart> all = parts();
  const std::string text = series_text(results(all), {.all = true});
  EXPECT_THAT(text, HasSubstr("throughput of a group, samples/s: model_group_throughput_per_s\n"));
  EXPECT_THAT(text, HasSubstr("  resnet        2-4  local   fast 1.0  120.0 ± 1.5\n"));
  EXPECT_THAT(text, HasSubstr("a single block was not measured"));
  EXPECT_THAT(text, Not(HasSubstr("± within cells")));
  const nlohmann::json json = series_json(results(all));
  EXPECT_EQ(json["values"].size(), 3U);
  EXPECT_EQ(json["values"][2]["reason"], "a single block was not measured");
}

TEST_F(SeriesOfResults, AreShownIfAllCellsThatTheyAreAboutAreSelected) {
  cells_.pop_back();
  const std::vector<store::SeriesPart> all = parts();
  EXPECT_EQ(results(all).series.size(), 1U) << "that of the cell aa";
}

// A results file may come from anybody.
TEST_F(SeriesOfResults, LeaveOutConclusionsOfAnotherForm) {
  store::SeriesPart part;
  for (const char* const json : {"[]", "not JSON", "{}", R"({"sentence": 5, "to_act_on": "yes", "rows": 7})"}) {
    for (const char* const kind : {"finding", "reversal", "claim", "orders", "answer"}) {
      part.conclusions.push_back({kind, "", json});
    }
  }
  const metrics::series::KeptFinding finding{"failure", true, false, "a\x1b[31mb", {}};
  part.conclusions.push_back({"finding", "", work::write_json(finding).dump()});
  const std::vector<store::SeriesPart> all{part};
  const std::string text = findings_text(results(all), {}, "paper");
  EXPECT_THAT(text, HasSubstr("To act on\n  a"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("  No difference in these results is certain enough to be stated.\n"));
}

}  // namespace
}  // namespace ngb::report

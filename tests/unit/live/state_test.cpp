// SPDX-License-Identifier: Apache-2.0
#include "live/state.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace ngb::live {
namespace {

State two_cells() {
  State state;
  state.study = "s";
  state.devices = {{.name = "lab \"1\"", .progress = DeviceProgress::measuring, .doing = "m batch 1"}};
  state.cells.add({.device = "lab \"1\"",
                   .model = "m\\\n",
                   .compiler = "c 1",
                   .processes_left = 1,
                   .processes_done = 2,
                   .progress = CellProgress::partial,
                   .samples_per_s = 12.5,
                   .speed_up = SpeedUp{.ratio = 2.5, .verdict = "faster"}});
  state.cells.add({.device = "lab \"1\"", .model = "n", .compiler = "c 1", .processes_left = 3});
  state.processes_done = 2;
  state.processes_total = 6;
  state.elapsed_s = 3;
  return state;
}

TEST(LiveState, AsJsonHasAnUnknownAsNullAndNeverAsZero) {
  const auto json = json_text::parse(to_json(two_cells()));
  EXPECT_TRUE(json["left_s"].is_null());
  EXPECT_EQ(json["cells"][0]["samples_per_s"], 12.5);
  EXPECT_TRUE(json["cells"][1]["samples_per_s"].is_null());
  EXPECT_EQ(json["cells"][0]["speed_up"]["ratio"], 2.5);
  EXPECT_EQ(json["cells"][0]["speed_up"]["verdict"], "faster");
  EXPECT_TRUE(json["cells"][0]["speed_up"]["low"].is_null());
  EXPECT_TRUE(json["cells"][1]["speed_up"].is_null());
  EXPECT_EQ(json["counts"]["partial"], 1);
  EXPECT_EQ(json["counts"]["planned"], 1);
  EXPECT_EQ(json["counts"]["failed"], 0);
  EXPECT_EQ(json["devices"][0]["progress"], "measuring");
}

TEST(LiveState, AsJsonIsOneLineAndReplacesWhatIsNotUtf8) {
  State state = two_cells();
  note_line(state, "a\nb\xff");
  const std::string json = to_json(state);
  EXPECT_EQ(json.find('\n'), std::string::npos);
  EXPECT_EQ(json_text::parse(json)["lines"][0], "a\nb\xEF\xBF\xBD");
}

TEST(LiveState, ForPrometheusEscapesLabelsAndLeavesOutWhatIsNotKnown) {
  State state = two_cells();
  const std::string before = to_prometheus(state);
  EXPECT_EQ(before.find("ngb_time_left_seconds"), std::string::npos);
  state.left_s = 90;
  const std::string text = to_prometheus(state);
  EXPECT_NE(text.find("\nngb_time_left_seconds 90\n"), std::string::npos);
  EXPECT_NE(text.find("\nngb_cells{state=\"partial\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("\n# TYPE ngb_processes_done_total counter\nngb_processes_done_total 2\n"), std::string::npos);
  EXPECT_NE(text.find("\nngb_device_state{device=\"lab \\\"1\\\"\",state=\"measuring\"} 1\n"), std::string::npos);
  EXPECT_NE(
      text.find("\nngb_cell_throughput_samples_per_second{device=\"lab \\\"1\\\"\",model=\"m\\\\\\n\",batch=\"1\","
                "compiler=\"c 1\",load=\"\"} 12.5\n"),
      std::string::npos);
  EXPECT_EQ(text.find("model=\"n\""), std::string::npos);
}

TEST(LiveState, OfALargeStudySendsTheCellsThatChangedLast) {
  State state;
  for (std::size_t i = 0; i < 2000; ++i) state.cells.add({.model = std::to_string(i)});
  note_change(state, 1700);
  note_change(state, 1900);
  note_change(state, 1700);
  const auto json = json_text::parse(to_json(state));
  ASSERT_EQ(json["cells"].size(), 500U);
  EXPECT_EQ(json["cells_total"], 2000);
  EXPECT_EQ(json["cells"][0]["model"], "0");
  EXPECT_EQ(json["cells"][497]["model"], "497");
  EXPECT_EQ(json["cells"][498]["model"], "1700");
  EXPECT_EQ(json["cells"][499]["model"], "1900");
  EXPECT_EQ(state.changed, (std::vector<std::size_t>{1700, 1900}));
}

TEST(LiveState, CountsCellsByProgressAsTheyChange) {
  State state = two_cells();
  change_cell(state, 1, [](Cell& cell) { cell.progress = CellProgress::failed; });
  change_cell(state, 0, [](Cell& cell) { cell.progress = CellProgress::measured; });
  change_cell(state, 0, [](Cell& cell) { cell.processes_done = 3; });
  const auto json = json_text::parse(to_json(state));
  EXPECT_EQ(json["counts"],
            (nlohmann::json{{"planned", 0}, {"partial", 0}, {"measured", 1}, {"decided", 0}, {"failed", 1}}));
  EXPECT_EQ(state.changed, (std::vector<std::size_t>{0, 1}));
}

TEST(LiveState, KeepsTheLastLinesOnly) {
  State state;
  for (int i = 0; i < 30; ++i) note_line(state, std::to_string(i));
  EXPECT_EQ(state.lines.size(), kMostLines);
  EXPECT_EQ(state.lines.front(), "29");
}

}  // namespace
}  // namespace ngb::live

// SPDX-License-Identifier: Apache-2.0
#include "report/best_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "report/show/show.h"

namespace ngb::report {
namespace {

using store::CellData;
using store::DerivedValue;
using testing::HasSubstr;
using testing::Not;

CellData setting(const std::string& compiler, const std::string& hint, int batch = 1) {
  CellData cell = made_up::cell(compiler, batch);
  cell.cell_id = compiler + "-" + hint + "-" + std::to_string(batch);
  cell.of.compiler.label = compiler + " hint=" + hint;
  cell.of.compiler.options = {{"hint", '"' + hint + '"'}};
  return cell;
}

// Two compilers with several settings, and one with a single setting.
std::vector<CellData> tried_cells() {
  return {setting("openvino", "a"), setting("openvino", "b"), setting("openvino", "c"),
          setting("tvm", "a"),      setting("tvm", "b"),      made_up::cell("identity", 1)};
}

// openvino: b is faster than c, and a failed. tvm: a is faster than b by less than its interval.
std::vector<DerivedValue> tried_values() {
  return {{"openvino-a-1", "throughput_per_s", {}, {}, {}, "failed: crash"},
          {"openvino-b-1", "throughput_per_s", 150.0, {}, {}, ""},
          {"openvino-b-1", "margin_ratio", 1.5, 1.4, 1.6, ""},
          {"openvino-c-1", "throughput_per_s", 100.0, {}, {}, ""},
          {"openvino-c-1", "margin_ratio", 0.667, 0.6, 0.7, ""},
          {"tvm-a-1", "throughput_per_s", 20.0, {}, {}, ""},
          {"tvm-a-1", "margin_ratio", 1.02, 0.98, 1.05, ""},
          {"tvm-b-1", "throughput_per_s", 19.6, {}, {}, ""},
          {"tvm-b-1", "margin_ratio", 0.98, 0.95, 1.02, ""},
          {"identity-1", "throughput_per_s", 10.0, {}, {}, ""}};
}

std::string shown(const std::vector<DerivedValue>& derived, bool best = true) {
  const auto cells = tried_cells();
  return show_text(all_results(cells, derived), {.best = best, .width = 100});
}

TEST(BestOptions, NameTheWinnerWithItsMarginOrSayThatTwoAreNotToldApart) {
  EXPECT_THAT(shown(tried_values()),
              HasSubstr("\n"
                        "  best options             margin [95 %]\n"
                        "\n"
                        "resnet18, batch 1, on local\n"
                        "  openvino hint=b 1.0  1.50 [1.40, 1.60]  over openvino hint=c 1.0\n"
                        "  tvm hint=a 1.0       1.02 [0.98, 1.05]  not told apart from tvm hint=b 1.0\n"));
}

TEST(BestOptions, AreShownOnlyOnRequest) { EXPECT_THAT(shown(tried_values(), false), Not(HasSubstr("best options"))); }

TEST(BestOptions, OfOneProcessHaveNoIntervalAndSaySo) {
  auto derived = tried_values();
  derived[2].low = derived[2].high = std::nullopt;
  EXPECT_THAT(shown(derived), HasSubstr("1.50               over, by one process, openvino hint=c 1.0\n"));
}

TEST(BestOptions, SayIfNoOtherSettingOrNoneHasASpeed) {
  auto derived = tried_values();
  derived.erase(derived.begin() + 3, derived.begin() + 9);
  derived[2] = {"openvino-b-1", "margin_ratio", {}, {}, {}, "another setting of this compiler was not measured here"};
  EXPECT_THAT(shown(derived), HasSubstr("  openvino hint=b 1.0  no other setting has a speed\n"
                                        "  tvm                  none of its settings has a speed\n"));
}

TEST(BestOptions, AreChosenForEachComputeDevice) {
  auto cells = tried_cells();
  cells[1].of.compute_device = Known<std::string>::of("gpu");
  cells[2].of.compute_device = Known<std::string>::of("cpu");
  for (std::size_t i : {3U, 4U}) cells[i].of.compute_device = Known<std::string>::of("cpu");
  const auto derived = tried_values();
  const auto found = all_results(cells, derived).best_options;
  // openvino: a, which failed before it reported a device, is listed with b; c is the only one on the CPU.
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].winner->cell_id, "openvino-b-1");
  EXPECT_EQ(found[0].runner_up, nullptr);
  EXPECT_EQ(found[1].winner->cell_id, "tvm-a-1");
}

TEST(BestOptions, AreAlwaysInTheJson) {
  const auto cells = tried_cells();
  const auto derived = tried_values();
  const auto json = to_json(all_results(cells, derived).best_options);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["compiler"], "openvino");
  EXPECT_EQ(json[0]["batch"], 1);
  EXPECT_EQ(json[0]["winner"]["options"], (nlohmann::json{{"hint", "b"}}));
  EXPECT_EQ(json[0]["runner_up"]["cell_id"], "openvino-c-1");
  EXPECT_EQ(json[0]["margin_ratio"], (nlohmann::json{{"value", 1.5}, {"low", 1.4}, {"high", 1.6}}));
  EXPECT_EQ(json[0]["is_told_apart"], true);
  EXPECT_EQ(json[1]["is_told_apart"], false);
}

TEST(BestOptions, AreChosenFromAllSettingsEvenIfAFilterPassesOne) {
  const auto cells = tried_cells();
  const auto derived = tried_values();
  const auto results = passing_results(cells, derived, {{"compiler", {"openvino hint=c"}}});
  ASSERT_EQ(results->best_options.size(), 1U);
  EXPECT_EQ(results->best_options[0].winner->cell_id, "openvino-b-1");
}

}  // namespace
}  // namespace ngb::report

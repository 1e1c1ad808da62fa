// SPDX-License-Identifier: Apache-2.0
#include "report/choice/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "base/json_text.h"

namespace ngb::report {
namespace {

using testing::HasSubstr;

std::vector<store::CellData> served_by() {
  std::vector<store::CellData> cells{made_up::cell("openvino", 1), made_up::cell("tvm", 1), made_up::cell("xla", 1)};
  for (store::CellData& cell : cells) cell.device_cpus = 4;
  return cells;
}

// openvino: 100 samples/s ± 10 %, an inference in 12 ms at the 99th percentile. tvm: too slow. xla: no percentile.
std::vector<store::DerivedValue> measured() {
  return {{"openvino-1", "throughput_per_s", 100.0, 90.0, 110.0, ""},
          {"openvino-1", "throughput_std_per_s", 10.0, {}, {}, ""},
          {"openvino-1", "latency_p99_s", 0.012, {}, {}, ""},
          {"openvino-1", "cpu_percent", 25.0, {}, {}, ""},
          {"openvino-1", "timed_peak_bytes", 2e9, {}, {}, ""},
          {"tvm-1", "throughput_per_s", 40.0, 39.0, 41.0, ""},
          {"tvm-1", "throughput_std_per_s", 1.0, {}, {}, ""},
          {"tvm-1", "latency_p99_s", 0.03, {}, {}, ""},
          {"xla-1", "throughput_per_s", 400.0, 390.0, 410.0, ""},
          {"xla-1", "latency_p99_s", {}, {}, {}, "needs 100 repetitions"}};
}

std::vector<Candidate> chosen(double latency_s, std::optional<double> bytes = std::nullopt) {
  static const auto cells = served_by();
  static const auto values = measured();
  static const Results results = all_results(cells, values);
  return candidates(results, {.latency_s = latency_s, .requests_per_s = 50, .bytes = bytes});
}

// At 100/s: busy 0.5, mean wait 50 · 1.01e-4 / (2 · 0.5) = 5.05 ms; 99 %: 10.1 ms · ln 50 + 12 ms = 51.5 ms. At 110/s
// 43.0 ms, at 90/s 64.1 ms (an inference is stretched by the same factor).
TEST(Choice, HoldsOnlyIfTheLowerEndOfTheSpeedKeepsTheLimit) {
  const Candidate holds = chosen(0.070).at(0);
  EXPECT_EQ(holds.fit, Fit::holds);
  EXPECT_NEAR(holds.answered_s.value(), 0.0515114, 1e-6);
  EXPECT_NEAR(holds.low_s.value(), 0.0430331, 1e-6);
  EXPECT_NEAR(holds.high_s.value(), 0.0640528, 1e-6);
  EXPECT_NEAR(holds.cpu_s_per_request.value(), 0.25 * 4 / 100, 1e-9);
  EXPECT_EQ(chosen(0.060).at(0).fit, Fit::open);
  EXPECT_EQ(chosen(0.060).at(0).why, "the interval of its speed is too wide: more rounds decide it");
  EXPECT_EQ(chosen(0.040).at(0).why, "too slow to answer in time");
}

// Two instances that together answer 100/s: 20 ms each, with a variation of 0.1 · √2. Of 50/s, each is busy half of the
// time; with Erlang's C formula 1/3 of the requests wait, 20 ms · (1 + 0.02) / 2 on average; 99 %: 10.2 ms · ln(100 /
// 3) + 24 ms.
TEST(Choice, OfSeveralInstancesCountsThemAsServersOfOneQueue) {
  static auto cells = served_by();
  cells.at(0).of.compiler.instances = 2;
  static auto values = measured();
  values.at(2) = {"openvino-1", "latency_p99_s", 0.024, {}, {}, ""};
  static const Results results = all_results(cells, values);
  const Demand demand{.latency_s = 0.080, .requests_per_s = 50};
  const Candidate first = candidates(results, demand).at(0);
  EXPECT_DOUBLE_EQ(first.utilisation_ratio.value(), 0.5);
  EXPECT_NEAR(first.answered_s.value(), 0.024 + 0.0102 * std::log(100.0 / 3), 1e-12);
  const std::string text = choice_text({first}, demand, {.width = 0});
  EXPECT_THAT(text, HasSubstr("each instance serves one batch after the other, and all have one queue"));
  EXPECT_THAT(text, HasSubstr("2 × 2"));
}

TEST(Choice, SaysWhyAConfigurationFailsOrIsUnknown) {
  const auto found = chosen(0.070);
  EXPECT_EQ(found.at(1).cell->of.compiler.name, "tvm");
  EXPECT_EQ(found.at(1).why, "too slow for so many requests");
  EXPECT_EQ(found.at(2).fit, Fit::unknown);
  EXPECT_EQ(found.at(2).why, "needs 100 repetitions");
  EXPECT_EQ(chosen(0.070, 1e9).at(0).why, "it takes more memory");
}

TEST(Choice, IsUnknownWithoutTheSpreadOfTheSpeed) {
  static const auto cells = served_by();
  auto values = measured();
  values.at(1) = {"openvino-1", "throughput_std_per_s", {}, {}, {}, "needs 2 repetitions"};
  const auto found = candidates(all_results(cells, values), {.latency_s = 0.07, .requests_per_s = 50});
  const auto openvino = std::find_if(found.begin(), found.end(),
                                     [](const Candidate& each) { return each.cell->of.compiler.name == "openvino"; });
  EXPECT_EQ(openvino->fit, Fit::unknown);
  EXPECT_EQ(openvino->why, "the spread of its speed is unknown: needs 2 repetitions");
}

TEST(Choice, SaysHowMuchLoadTheFastestCarriesIfNoneHolds) {
  static const auto cells = served_by();
  static const auto values = measured();
  static const Results results = all_results(cells, values);
  const Demand demand{.latency_s = 0.070, .requests_per_s = 1000};
  EXPECT_THAT(choice_text(candidates(results, demand), demand, {.width = 0}),
              HasSubstr("no configuration answers 1e+03 requests/s: the fastest answers 100\n"
                        "1 unknown: needs 100 repetitions\n"));
}

// The cell beside a load is as fast and no dearer than the one without.
TEST(Choice, ListsCellsBesideALoadApartAndLast) {
  static auto cells = served_by();
  cells.erase(cells.begin() + 1, cells.end());
  cells.push_back(cells.front());
  cells.front().of.load = "cpu: 50%";
  cells.front().cell_id = "loaded";
  static std::vector<store::DerivedValue> values = measured();
  for (const store::DerivedValue& each : measured()) {
    if (each.cell_id != "openvino-1") continue;
    values.push_back(each);
    values.back().cell_id = "loaded";
  }
  static const Results results = all_results(cells, values);
  const Demand demand{.latency_s = 0.070, .requests_per_s = 50};
  const auto found = candidates(results, demand);
  EXPECT_EQ(found.at(0).cell->of.load, work::kNoLoad);
  EXPECT_EQ(found.at(1).cell->of.load, "cpu: 50%");
  EXPECT_THAT(choice_text(found, demand, {.width = 0}),
              HasSubstr("one batch after the other, beside the load cpu: 50%\n"));
}

TEST(Choice, IsATableOfThoseThatMayHoldAndJsonOfAll) {
  const Demand demand{.latency_s = 0.070, .requests_per_s = 50};
  const std::string text = choice_text(chosen(0.070), demand, {.width = 0});
  EXPECT_THAT(text, HasSubstr("holds"));
  EXPECT_THAT(text, testing::Not(HasSubstr("tvm")));
  EXPECT_THAT(text, HasSubstr("1 hold, 0 open, 1 fail, 1 unknown: 99 % of "));
  const auto json = json_text::parse(choice_json(chosen(0.070)));
  EXPECT_EQ(json.at(1).at("fit"), "fails");
  EXPECT_TRUE(json.at(2).at("answered_s").is_null());
}

}  // namespace
}  // namespace ngb::report

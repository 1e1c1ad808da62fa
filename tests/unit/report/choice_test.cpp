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

// Seven processes of 100 inferences of `ms` each, of which every second is 10 % shorter and the others 10 % longer; the
// last of each hundred takes `last_ms`.
store::CellData measured_cell(const std::string& compiler, double ms, double last_ms) {
  std::vector<store::RecordedProcess> processes;
  for (int index = 0; index < 7; ++index) {
    std::vector<double> times_ms;
    for (int i = 0; i < 99; ++i) times_ms.push_back(ms * (i % 2 == 0 ? 0.9 : 1.1));
    times_ms.push_back(last_ms);
    processes.push_back(made_up::process(index, times_ms));
  }
  store::CellData cell = made_up::cell_of(compiler, 1, processes);
  cell.device_cpus = 4;
  return cell;
}

// openvino: inferences of 10 ms. tvm: too slow. xla: 2.5 ms.
std::vector<store::CellData> served_by() {
  return {measured_cell("openvino", 10, 12), measured_cell("tvm", 25, 30), measured_cell("xla", 2.5, 3)};
}

// 100 samples/s ± 10 %, an inference in 11 ms at the 99th percentile. xla has no percentile.
std::vector<store::DerivedValue> measured() {
  return {{"openvino-1", "throughput_per_s", 100.0, 90.0, 110.0, ""},
          {"openvino-1", "latency_p99_s", 0.011, {}, {}, ""},
          {"openvino-1", "cpu_per_inference_s", 0.01, {}, {}, ""},
          {"openvino-1", "timed_peak_bytes", 2e9, {}, {}, ""},
          {"tvm-1", "throughput_per_s", 40.0, 39.0, 41.0, ""},
          {"tvm-1", "latency_p99_s", 0.03, {}, {}, ""},
          {"xla-1", "throughput_per_s", 400.0, 390.0, 410.0, ""},
          {"xla-1", "latency_p99_s", {}, {}, {}, "needs 662 repetitions, has 100"}};
}

ServiceTimesByCell times_of(const std::vector<store::CellData>& cells) {
  ServiceTimesByCell times;
  for (const store::CellData& cell : cells) times.emplace(cell.cell_id, metrics::service_times(cell).value());
  return times;
}

std::vector<Candidate> chosen_from(const std::vector<store::CellData>& cells,
                                   const std::vector<store::DerivedValue>& values, const Demand& demand) {
  return candidates(all_results(cells, values), demand, times_of(cells));
}

std::vector<Candidate> chosen(double latency_s, std::optional<double> bytes = std::nullopt) {
  static const auto cells = served_by();
  static const auto values = measured();
  return chosen_from(cells, values, {.latency_s = latency_s, .requests_per_s = 50, .bytes = bytes});
}

// A variation of 0.1016. At 100/s busy 0.5, mean of the waits that are not 0: 10 ms / 0.5 · 1.0103 / 2 = 10.10 ms; 99
// %: 10.10 ms · ln 50 + 11 ms = 50.5 ms. Seven of 700 inferences take 12 ms and the others up to 11 ms: p99 is from 11
// to 12 ms. At 110/s 8.42 ms · ln 45.45 + 11 ms, at 90/s 12.63 ms · ln 55.56 + 12 ms.
TEST(Choice, HoldsOnlyIfTheWorseEndsOfSpeedAndPercentileKeepTheLimit) {
  const Candidate holds = chosen(0.080).at(0);
  EXPECT_EQ(holds.fit, Fit::holds);
  EXPECT_NEAR(holds.answered_s.value(), 0.0505, 1e-4);
  EXPECT_NEAR(holds.low_s.value(), 0.0110 + 0.00842 * std::log(45.4545), 1e-4);
  EXPECT_NEAR(holds.high_s.value(), 0.012 + 0.01263 * std::log(55.5556), 1e-4);
  EXPECT_NEAR(holds.cpu_s_per_request.value(), 0.01, 1e-9);
  EXPECT_EQ(chosen(0.060).at(0).fit, Fit::open);
  EXPECT_EQ(chosen(0.060).at(0).why, "the intervals of its speed and its p99 are too wide: more rounds decide it");
  EXPECT_EQ(chosen(0.030).at(1).why, "too slow to answer in time");
}

// The percentile of every candidate lies 2 % below the limit with a spread of 10 %. One of them could hold; of ten,
// that many have to share the error rate, and the 100 repetitions of seven processes are too few.
TEST(Choice, AsksForMoreOfEachCandidateTheMoreThereAre) {
  std::vector<store::CellData> cells;
  std::vector<store::DerivedValue> values;
  for (int i = 0; i < 10; ++i) {
    cells.push_back(measured_cell("c" + std::to_string(i), 10, 12));
    values.push_back({cells.back().cell_id, "throughput_per_s", 100.0, 99.0, 101.0, ""});
    values.push_back({cells.back().cell_id, "latency_p99_s", 0.011, {}, {}, ""});
  }
  const Demand demand{.latency_s = 0.0125, .requests_per_s = 0.5};
  EXPECT_EQ(chosen_from({cells.front()}, values, demand).at(0).fit, Fit::holds);
  const auto of_ten = chosen_from(cells, values, demand);
  EXPECT_EQ(of_ten.at(0).fit, Fit::holds) << of_ten.at(0).why;  // 700 of the 597 that 0.25 % need
  for (store::CellData& cell : cells) cell.processes.resize(5);
  EXPECT_EQ(chosen_from({cells.front()}, values, demand).at(0).fit, Fit::holds);
  EXPECT_THAT(chosen_from(cells, values, demand).at(0).why,
              HasSubstr("its 500 latencies in 5 processes are worth 500 independent ones of the 597 that p99 needs"));
}

// One of the processes is twice as slow: its inferences alone are beyond p90.
TEST(Choice, CountsProcessesWhereTheyDiffer) {
  std::vector<store::CellData> cells{measured_cell("openvino", 10, 12)};
  cells.front().processes.resize(4);
  cells.front().processes.back() = measured_cell("slow", 20, 24).processes.back();
  cells.front().processes.back().process_index = 3;
  const std::vector<store::DerivedValue> values{{"openvino-1", "throughput_per_s", 80.0, 75.0, 85.0, ""},
                                                {"openvino-1", "latency_p90_s", 0.02, {}, {}, ""}};
  const Candidate first = chosen_from(cells, values, {.percentile = 90, .latency_s = 1, .requests_per_s = 1}).at(0);
  EXPECT_EQ(first.fit, Fit::open);
  EXPECT_THAT(first.why, HasSubstr("its 400 latencies in 4 processes, which differ, are worth"));
}

// Seven inferences of 8 ms and one of 40 ms, again and again: 83.3 a second, and 95 arrive.
TEST(Choice, FailsWhereSlowInferencesPileRequestsUp) {
  std::vector<double> times_ms;
  for (int i = 0; i < 80; ++i) times_ms.push_back(i % 8 == 7 ? 40 : 8);
  const std::vector<store::CellData> cells{
      made_up::cell_of("fast", 1, {made_up::process(0, times_ms), made_up::process(1, times_ms)})};
  const auto values = made_up::values_of(cells);
  const Candidate first = chosen_from(cells, values, {.percentile = 50, .latency_s = 0.2, .requests_per_s = 95}).at(0);
  EXPECT_NEAR(first.utilisation_ratio.value(), 95 * 0.012, 1e-9);
  EXPECT_EQ(first.fit, Fit::fails);
  EXPECT_EQ(first.why, "too slow for so many requests");
}

// Two instances that together answer 100/s: 20 ms each, with a variation of 0.1. Of 50/s, each is busy half of the
// time; with Erlang's C formula 1/3 of the requests wait, 20 ms · (1 + 0.01) / 2 on average; 99 %: 10.1 ms · ln(100 /
// 3) + 24 ms.
TEST(Choice, OfSeveralInstancesCountsThemAsServersOfOneQueue) {
  static auto cells = served_by();
  cells.at(0).of.compiler.instances = 2;
  static auto values = measured();
  values.at(1) = {"openvino-1", "latency_p99_s", 0.024, {}, {}, ""};
  const Demand demand{.latency_s = 0.090, .requests_per_s = 50};
  const Candidate first = chosen_from(cells, values, demand).at(0);
  EXPECT_DOUBLE_EQ(first.utilisation_ratio.value(), 0.5);
  EXPECT_NEAR(first.answered_s.value(), 0.024 + 0.0101 * std::log(100.0 / 3), 1e-4);
  const std::string text = choice_text({first}, demand, {.width = 0});
  EXPECT_THAT(text, HasSubstr("each instance serves one batch after the other, and all have one queue"));
  EXPECT_THAT(text, HasSubstr("2 × 2"));
}

TEST(Choice, SaysWhyAConfigurationFailsOrIsOpen) {
  const auto found = chosen(0.080);
  EXPECT_EQ(found.at(1).cell->of.compiler.name, "xla");
  EXPECT_EQ(found.at(1).fit, Fit::open);
  EXPECT_EQ(found.at(1).why, "needs 662 repetitions, has 100");
  EXPECT_EQ(found.at(2).why, "too slow for so many requests");
  EXPECT_EQ(chosen(0.080, 1e9).at(0).why, "it takes more memory");
}

// xla is busy for 12.5 %, and its requests wait for 1.44 ms · ln 12.5 = 3.6 ms before an inference of any length.
TEST(Choice, FailsWithoutAPercentileIfTheWaitAloneIsTooLong) {
  for (const Candidate& each : chosen(0.003)) {
    const std::string& compiler = each.cell->of.compiler.name;
    EXPECT_EQ(each.fit, Fit::fails) << compiler;
    EXPECT_EQ(each.why, compiler == "tvm" ? "too slow for so many requests" : "too slow to answer in time") << compiler;
  }
}

TEST(Choice, SaysBelowTheTableWhyCandidatesAreOpen) {
  const Demand demand{.latency_s = 0.070, .requests_per_s = 50};
  std::vector<store::CellData> cells{served_by().at(2)};
  EXPECT_THAT(choice_text(chosen_from(cells, measured(), demand), demand, {.width = 60}),
              HasSubstr("\n1 open: needs 662 repetitions, has 100\n"));
}

TEST(Choice, IsUnknownWithoutTheSpreadOfTheTimes) {
  std::vector<store::CellData> cells{made_up::cell_of("openvino", 1, {made_up::process(0, {10})})};
  const auto found = candidates(all_results(cells, measured()), {.latency_s = 0.07, .requests_per_s = 50}, {});
  EXPECT_EQ(found.at(0).fit, Fit::unknown);
  EXPECT_EQ(found.at(0).why, "the spread of its times is unknown: it needs two repetitions");
}

TEST(Choice, IsOpenWithoutAnIntervalOfTheSpeed) {
  auto values = measured();
  values.at(0) = {"openvino-1", "throughput_per_s", 100.0, {}, {}, ""};
  EXPECT_EQ(chosen_from(served_by(), values, {.latency_s = 0.08, .requests_per_s = 50}).at(0).why,
            "its speed has no interval: it needs two processes");
}

TEST(Choice, SaysHowMuchLoadTheFastestCarriesIfNoneHolds) {
  std::vector<store::CellData> cells = served_by();
  cells.pop_back();
  const auto values = measured();
  const Demand demand{.latency_s = 0.070, .requests_per_s = 1000};
  EXPECT_THAT(choice_text(chosen_from(cells, values, demand), demand, {.width = 0}),
              HasSubstr("no configuration answers 1e+03 requests/s: the fastest answers 100\n"));
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
  const Demand demand{.latency_s = 0.080, .requests_per_s = 50};
  const auto found = chosen_from(cells, values, demand);
  EXPECT_EQ(found.at(0).cell->of.load, work::kNoLoad);
  EXPECT_EQ(found.back().cell->of.load, "cpu: 50%");
  EXPECT_THAT(choice_text(found, demand, {.width = 0}),
              HasSubstr("one batch after the other, beside the load cpu: 50%\n"));
}

TEST(Choice, IsATableOfThoseThatMayHoldAndJsonOfAll) {
  const Demand demand{.latency_s = 0.080, .requests_per_s = 50};
  const std::string text = choice_text(chosen(0.080), demand, {.width = 0});
  EXPECT_THAT(text, HasSubstr("holds"));
  EXPECT_THAT(text, testing::Not(HasSubstr("tvm")));
  EXPECT_THAT(text, HasSubstr("1 hold, 1 open, 1 fail, 0 unknown: 99 % of "));
  const auto json = json_text::parse(choice_json(chosen(0.080)));
  EXPECT_EQ(json.at(2).at("fit"), "fails");
  EXPECT_TRUE(json.at(1).at("answered_s").is_null());
}

}  // namespace
}  // namespace ngb::report

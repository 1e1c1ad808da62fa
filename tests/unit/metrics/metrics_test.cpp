// SPDX-License-Identifier: Apache-2.0
#include "metrics/metric.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <set>
#include <stdexcept>

#include "base/file.h"
#include "made_up_cells.h"
#include "metrics/outcome.h"

namespace ngb::metrics {
namespace {

using made_up::cell_of;
using made_up::flags;
using made_up::process;
using made_up::value_of;
using samples::FailureKind;
using store::CellData;

double number(const std::vector<CellData>& cells, const std::string& cell_id, const std::string& metric) {
  const auto value = value_of(cells, cell_id, metric);
  EXPECT_TRUE(value.value) << metric << ": " << value.reason.str();
  return value.value.value_or(-1);
}

std::string reason(const std::vector<CellData>& cells, const std::string& cell_id, const std::string& metric) {
  const auto value = value_of(cells, cell_id, metric);
  EXPECT_FALSE(value.value) << metric;
  return value.reason;
}

// Batch 4; two inferences in each repetition; two processes with repetitions of 1, 2 and 4 ms: 8,000, 4,000 and 2,000
// samples/s.
CellData by_hand() { return cell_of("fast", 4, {process(0, {1, 2, 4}, 2), process(1, {4, 1, 2}, 2)}); }

TEST(Metrics, CountThroughputPerRepetitionWithoutWarmUp) {
  EXPECT_DOUBLE_EQ(number({by_hand()}, "fast-4", "throughput_mean_per_s"), 14000.0 / 3);
  // Sum of the squared distances from 4666.67 (3333.33², 666.67², 2666.67², each twice), divided by 5.
  EXPECT_NEAR(number({by_hand()}, "fast-4", "throughput_std_per_s"), 2732.5202, 1e-3);
  EXPECT_DOUBLE_EQ(number({by_hand()}, "fast-4", "throughput_median_per_s"), 4000.0);
  EXPECT_NEAR(number({by_hand()}, "fast-4", "throughput_per_s"), 4 * 12 / 0.014, 1e-9) << "by time";
  EXPECT_EQ(number({by_hand()}, "fast-4", "repetition_count"), 6);
  EXPECT_EQ(number({by_hand()}, "fast-4", "process_count"), 2);
}

TEST(Metrics, GiveTheBitsThatCompressingSavesWhereTheStudyGivesBothSizes) {
  CellData cell = by_hand();
  EXPECT_EQ(reason({cell}, "fast-4", "tcr_bits_per_s"), "the study gives no raw_bytes and encoded_bytes of the model");
  cell.of.model.raw_bytes = 1000;
  cell.of.model.encoded_bytes = 250;
  const double per_s = number({cell}, "fast-4", "throughput_per_s");
  EXPECT_DOUBLE_EQ(number({cell}, "fast-4", "tcr_bits_per_s"), per_s * 6000);
  cell.of.model.encoded_bytes = 1001;  // longer than before
  const auto value = value_of({cell}, "fast-4", "tcr_bits_per_s");
  EXPECT_DOUBLE_EQ(value.value.value(), per_s * -8);
  EXPECT_LE(value.low.value(), value.value.value());
  EXPECT_GE(value.high.value(), value.value.value());
}

// Expected: scipy 1.17.1, ttest_1samp on the logarithms, exponentials of estimate and ends.
TEST(Metrics, GiveTheMeanOverProcessesAnIntervalOfStudentsT) {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : {100.0, 104.0, 98.0, 101.0, 97.0}) {
    // Two repetitions in 2,000 / `speed` ms.
    processes.push_back(process(static_cast<int>(processes.size()), {1e3 / speed - 2, 1e3 / speed + 2}));
  }
  const auto value = value_of({cell_of("fast", 1, processes)}, "fast-1", "throughput_per_s");
  EXPECT_NEAR(value.value.value(), 99.970187029034, 1e-4);
  EXPECT_NEAR(value.low.value(), 96.642874629340, 1e-4);
  EXPECT_NEAR(value.high.value(), 103.412055290686, 1e-4);
}

TEST(Metrics, GiveTheMedianOverProcessesAnIntervalOfStudentsT) {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : {100.0, 104.0, 98.0, 101.0, 97.0}) {
    // Three repetitions whose median rate is `speed`; the others do not count, however far away they are.
    processes.push_back(process(static_cast<int>(processes.size()), {1e3 / speed, 1e3 / 300, 1e3 / 10}));
  }
  const auto value = value_of({cell_of("fast", 1, processes)}, "fast-1", "throughput_median_per_s");
  EXPECT_NEAR(value.value.value(), 99.970187029034, 1e-4);
  EXPECT_NEAR(value.low.value(), 96.642874629340, 1e-4);
  EXPECT_NEAR(value.high.value(), 103.412055290686, 1e-4);
}

TEST(Metrics, GiveTwoProcessesAWideIntervalAndOneProcessNone) {
  // 50 and 51 samples/s: exp(mean of logs ± 12.7062 · 0.0140022 / sqrt(2)).
  const auto two =
      value_of({cell_of("fast", 1, {process(0, {20}), process(1, {1e3 / 51})})}, "fast-1", "throughput_per_s");
  EXPECT_NEAR(two.value.value(), 50.497525, 1e-5);
  EXPECT_NEAR(two.low.value(), 44.527911, 1e-5);
  EXPECT_NEAR(two.high.value(), 57.267452, 1e-5);
  const auto one = value_of({cell_of("fast", 1, {process(0, {20, 19})})}, "fast-1", "throughput_median_per_s");
  EXPECT_TRUE(one.value);
  EXPECT_FALSE(one.low);
}

TEST(Metrics, GivePercentilesOnlyFromEnoughRepetitions) {
  std::vector<double> times_ms;
  for (int i = 1; i <= 64; ++i) times_ms.push_back(i);
  const std::vector<CellData> cells{cell_of("fast", 1, {process(0, times_ms)})};
  EXPECT_NEAR(number(cells, "fast-1", "latency_p50_s"), 0.0325, 1e-12);
  EXPECT_NEAR(number(cells, "fast-1", "latency_p90_s"), 0.0577, 1e-12);  // numpy: quantile(1 … 64, 0.9) = 57.7
  EXPECT_EQ(reason(cells, "fast-1", "latency_p95_s"), "needs 130 repetitions, has 64");
  EXPECT_EQ(reason(cells, "fast-1", "latency_p99_s"), "needs 662 repetitions, has 64");
  times_ms.pop_back();
  EXPECT_EQ(reason({cell_of("fast", 1, {process(0, times_ms)})}, "fast-1", "latency_p90_s"),
            "needs 64 repetitions, has 63");
}

TEST(Metrics, GiveNoTailLatencyIfARepetitionHoldsSeveralInferences) {
  const std::vector<CellData> cells{cell_of("fast", 1, {process(0, std::vector<double>(700, 1.0), 2)})};
  EXPECT_NEAR(number(cells, "fast-1", "latency_p50_s"), 0.0005, 1e-12);
  EXPECT_EQ(reason(cells, "fast-1", "latency_p99_s"),
            "a repetition holds several inferences; measure with min_repetition_ms: 0");
}

TEST(Metrics, GiveTheMedianCompileTimeAndTheHighestPeak) {
  CellData cell = cell_of("fast", 1, {process(0, {1}), process(1, {1}), process(2, {1})});
  cell.processes[1].phases[0].wall_ns = 9'000'000'000;
  cell.processes[2].phases[0].peak_rss_bytes = Known<std::uint64_t>::of(99'000'000);
  EXPECT_DOUBLE_EQ(number({cell}, "fast-1", "compile_s"), 2.0);
  EXPECT_DOUBLE_EQ(number({cell}, "fast-1", "compile_cpu_s"), 3.0);
  EXPECT_DOUBLE_EQ(number({cell}, "fast-1", "compile_peak_bytes"), 99e6);
  EXPECT_DOUBLE_EQ(number({cell}, "fast-1", "timed_peak_bytes"), 90e6);
  cell.processes[2].phases[0].peak_rss_bytes = Known<std::uint64_t>::unknown("no clear_refs");
  EXPECT_EQ(reason({cell}, "fast-1", "compile_peak_bytes"), "no clear_refs");
}

TEST(Metrics, GiveProcessorUseAsShareOfTheMachineAndOfTheThreads) {
  CellData cell = by_hand();
  EXPECT_NEAR(number({cell}, "fast-4", "cpu_percent"), 100 * 1.5 / 8, 1e-6);
  EXPECT_NEAR(number({cell}, "fast-4", "cpu_percent_of_threads"), 75, 1e-6);
  cell.device_cpus.reset();
  EXPECT_EQ(reason({cell}, "fast-4", "cpu_percent"), "the device did not report how many processors it has");
}

TEST(Metrics, CompileTimeExcludesTuning) {
  CellData cell = cell_of("tuned", 1, {process(0, {10, 10}), process(1, {10, 10})});
  cell.processes[0].phases[0].wall_ns = 62'000'000'000;
  cell.processes[0].facts = {{"trials", "240"}, {"tuning_seconds", "100.0"}, {"tuning_seconds_here", "60.0"}};
  cell.processes[1].facts = {{"trials", "240"}, {"tuning_seconds", "100.0"}, {"tuning_seconds_here", "0.0"}};
  EXPECT_NEAR(number({cell}, "tuned-1", "compile_s"), 2.0, 1e-9);
  EXPECT_DOUBLE_EQ(number({cell}, "tuned-1", "tuning_s"), 100.0);
  EXPECT_DOUBLE_EQ(number({cell}, "tuned-1", "tuning_trials"), 240.0);
  cell.processes[0].facts = cell.processes[1].facts = {{"trials", "0"}};
  EXPECT_EQ(reason({cell}, "tuned-1", "tuning_s"), "not tuned");
}

TEST(Metrics, CompileTimeIsOfTheProcessesThatCompiledAndTheirNumberIsTold) {
  CellData cell = cell_of("shared", 1, {process(0, {10, 10}), process(1, {10, 10}), process(2, {10, 10})});
  EXPECT_DOUBLE_EQ(number({cell}, "shared-1", "compile_count"), 3);
  cell.processes[0].phases[0].phase = cell.processes[2].phases[0].phase = samples::Phase::load;
  cell.processes[0].phases[0].wall_ns = 100'000'000;
  cell.processes[1].phases[0].wall_ns = 62'000'000'000;
  cell.processes[1].facts = {{"tuning_seconds", "60.0"}, {"tuning_seconds_here", "60.0"}};
  EXPECT_NEAR(number({cell}, "shared-1", "compile_s"), 2.0, 1e-9);
  EXPECT_DOUBLE_EQ(number({cell}, "shared-1", "compile_count"), 1);
  EXPECT_DOUBLE_EQ(number({cell}, "shared-1", "compile_peak_bytes"), 70e6);
  EXPECT_DOUBLE_EQ(number({cell}, "shared-1", "timed_peak_bytes"), 90e6);
  cell.processes[1].phases[0].phase = samples::Phase::load;
  EXPECT_EQ(reason({cell}, "shared-1", "compile_s"), "its processes loaded what another one had compiled");
}

// Identity at batch 1 and 4: 100 and 200 samples/s; fast: 300 and 900. No spread.
std::vector<CellData> two_compilers() {
  return {cell_of("identity", 1, {process(0, {10, 10}), process(1, {10, 10})}),
          cell_of("fast", 1, {process(0, {10.0 / 3, 10.0 / 3}), process(1, {10.0 / 3, 10.0 / 3})}),
          cell_of("identity", 4, {process(0, {20, 20}, 1, 2.0), process(1, {20, 20}, 1, 2.0)}),
          cell_of("fast", 4, {process(0, {40.0 / 9, 40.0 / 9}, 1, 1.5), process(1, {40.0 / 9, 40.0 / 9}, 1, 1.5)})};
}

TEST(Metrics, FollowThePapersFormulas) {
  const auto cells = two_compilers();
  EXPECT_NEAR(number(cells, "fast-4", "speed_up_ratio"), 4.5, 1e-6);        // 900 / 200
  EXPECT_NEAR(number(cells, "fast-4", "rtr_ratio"), 3, 1e-6);               // 900 / 300
  EXPECT_NEAR(number(cells, "fast-4", "ase_ratio"), 0.75, 1e-6);            // 900 / (4 · 300)
  EXPECT_NEAR(number(cells, "fast-4", "bsr_ratio"), 1.5, 1e-6);             // 0.75 / (200 / (4 · 100))
  EXPECT_NEAR(number(cells, "fast-4", "cpu_reduction_ratio"), 0.25, 1e-6);  // 1 - 1.5 / 2
  const auto interval = value_of(cells, "fast-4", "bsr_ratio");
  EXPECT_NEAR(interval.low.value(), 1.5, 1e-6) << "without spread, the interval is the value";
  EXPECT_NEAR(interval.high.value(), 1.5, 1e-6);
}

TEST(Metrics, RelateTheIdentityToItselfExactly) {
  const auto cells = two_compilers();
  EXPECT_EQ(number(cells, "identity-4", "speed_up_ratio"), 1);
  EXPECT_EQ(number(cells, "identity-4", "bsr_ratio"), 1);
  EXPECT_EQ(number(cells, "fast-1", "rtr_ratio"), 1);
  EXPECT_EQ(number(cells, "identity-4", "cpu_reduction_ratio"), 0);
}

TEST(Metrics, NameTheNeighbourThatIsMissing) {
  auto cells = two_compilers();
  EXPECT_EQ(reason({cells[3]}, "fast-4", "speed_up_ratio"), "PyTorch eager (identity) was not measured here");
  EXPECT_EQ(reason({cells[3]}, "fast-4", "rtr_ratio"), "batch 1 was not measured here");
  EXPECT_EQ(reason({cells[1], cells[2], cells[3]}, "fast-4", "bsr_ratio"),
            "PyTorch eager (identity) at batch 1 was not measured here");
  cells[2].processes.clear();
  cells[2].failed = {made_up::failure(0, FailureKind::out_of_memory)};
  EXPECT_EQ(reason(cells, "fast-4", "speed_up_ratio"), "PyTorch eager (identity): failed: out_of_memory");
}

TEST(Metrics, RelateOnlyCellsOfTheSameThreadsModelAndDevice) {
  for (const auto& change :
       {+[](CellData& cell) { cell.of.threads = 1; }, +[](CellData& cell) { cell.of.model.key.hash = "other"; },
        +[](CellData& cell) { cell.of.device = "other"; }}) {
    auto cells = two_compilers();
    change(cells[3]);
    EXPECT_EQ(reason(cells, "fast-4", "speed_up_ratio"), "PyTorch eager (identity) was not measured here");
    EXPECT_EQ(reason(cells, "fast-4", "rtr_ratio"), "batch 1 was not measured here");
  }
}

// One compiler at 100, 80 and 50 samples/s: with other options, another thread count, another version.
std::vector<CellData> three_settings() {
  std::vector<CellData> cells{cell_of("fast", 1, {process(0, {10, 10}), process(1, {10, 10})}),
                              cell_of("fast", 1, {process(0, {12.5, 12.5}), process(1, {12.5, 12.5})}),
                              cell_of("fast", 1, {process(0, {20, 20}), process(1, {20, 20})})};
  cells[0].cell_id = "best";
  cells[0].of.compiler.options = {{"hint", R"("latency")"}};
  cells[1].cell_id = "second";
  cells[1].of.threads = 1;
  cells[2].cell_id = "third";
  cells[2].of.compiler.version = "0.9";
  return cells;
}

TEST(Metrics, CompareACompilersSettingsWithTheBestOfItsOtherSettings) {
  const auto cells = three_settings();
  EXPECT_NEAR(number(cells, "best", "margin_ratio"), 1.25, 1e-9);   // 100 / 80
  EXPECT_NEAR(number(cells, "second", "margin_ratio"), 0.8, 1e-9);  // 80 / 100
  EXPECT_NEAR(number(cells, "third", "margin_ratio"), 0.5, 1e-9);   // 50 / 100
  EXPECT_NEAR(value_of(cells, "best", "margin_ratio").low.value(), 1.25, 1e-9);
}

TEST(Metrics, DoNotCompareSettingsAcrossBatchModelDevicesOrPrecision) {
  for (const auto& change :
       {+[](CellData& cell) { cell.of.model.key.batch = 2; },
        +[](CellData& cell) { cell.of.compiler.precision = "bf16"; },
        +[](CellData& cell) { cell.of.model.key.hash = "other"; }, +[](CellData& cell) { cell.of.device = "other"; },
        +[](CellData& cell) { cell.of.compiler.name = "slow"; }, +[](CellData& cell) { cell.processes.clear(); },
        +[](CellData& cell) { cell.of.compute_device = Known<std::string>::of("gpu"); }}) {
    auto cells = three_settings();
    cells.pop_back();
    change(cells[1]);
    EXPECT_EQ(reason(cells, "best", "margin_ratio"), "another setting of this compiler was not measured here");
  }
}

TEST(Metrics, GiveAFailedCellAReasonInsteadOfASpeed) {
  CellData cell = by_hand();
  cell.failed = {made_up::failure(2, FailureKind::inaccurate)};
  for (const Metric& metric : metrics()) {
    if (std::string(metric.name) == "max_absolute_error") continue;
    EXPECT_EQ(reason({cell}, "fast-4", metric.name), "failed: inaccurate") << metric.name;
  }
}

TEST(Metrics, KeepTheSpeedOfACellWhoseOtherProcessCrashed) {
  CellData cell = by_hand();
  cell.failed = {made_up::failure(2, FailureKind::crash)};
  EXPECT_DOUBLE_EQ(number({cell}, "fast-4", "throughput_median_per_s"), 4000.0);
  EXPECT_THAT(flags(cell), testing::Contains("retried"));
}

TEST(Metrics, GiveADisturbedCellAReasonThatIsNoFailure) {
  CellData cell = made_up::cell("fast", 4);
  cell.failed = {made_up::failure(0, FailureKind::disturbed)};
  EXPECT_TRUE(is_disturbed(cell));
  EXPECT_EQ(reason({cell}, "fast-4", "throughput_mean_per_s"), "disturbed");
  EXPECT_EQ(reason({cell}, "fast-4", "speed_up_ratio"), "disturbed");
}

TEST(Metrics, CountOnlyTheProcessesOfACellThatWereNotDisturbed) {
  CellData cell = by_hand();
  const std::size_t counted = cell.processes.size();
  cell.failed = {process(7, {1000, 1000})};  // a hundred times slower
  cell.failed[0].failure = made_up::failure(7, FailureKind::disturbed).failure;
  EXPECT_FALSE(is_disturbed(cell));
  EXPECT_DOUBLE_EQ(number({cell}, "fast-4", "throughput_median_per_s"), 4000.0);
  EXPECT_DOUBLE_EQ(number({cell}, "fast-4", "process_count"), static_cast<double>(counted));
  EXPECT_THAT(flags(cell), testing::Contains("disturbed"));
  EXPECT_THAT(flags(cell), testing::Not(testing::Contains("retried")));
}

TEST(Metrics, ShowTheLongestWaitForAProcessorOrWhyItIsUnknown) {
  CellData cell = by_hand();
  EXPECT_EQ(reason({cell}, "fast-4", "run_queue_wait_percent"), "measured by a version of ngb that did not measure it");
  cell.processes[0].readings = {{"run_queue_wait", "percent", "timed", Known<double>::of(0.5)},
                                {"run_queue_wait", "percent", "during", Known<double>::of(44)}};
  cell.processes[1].readings = {{"run_queue_wait", "percent", "timed", Known<double>::of(2.25)}};
  EXPECT_DOUBLE_EQ(number({cell}, "fast-4", "run_queue_wait_percent"), 2.25);
}

TEST(Metrics, ForgetAFailureThatALaterAttemptOvercame) {
  CellData cell = by_hand();
  cell.failed = {made_up::failure(1, FailureKind::toolchain_missing)};
  EXPECT_DOUBLE_EQ(number({cell}, "fast-4", "throughput_median_per_s"), 4000.0);
}

TEST(Metrics, HaveAReasonForACellThatIsNotMeasuredYet) {
  for (const Metric& metric : metrics()) {
    EXPECT_FALSE(reason({made_up::cell("fast", 1)}, "fast-1", metric.name).empty()) << metric.name;
  }
  EXPECT_EQ(reason({made_up::cell("fast", 1)}, "fast-1", "throughput_mean_per_s"), "not measured yet");
}

TEST(Metrics, HaveAReasonIfEveryRepetitionWasWarmUp) {
  CellData cell = cell_of("fast", 1, {process(0, {})});
  cell.processes[0].is_steady = false;
  EXPECT_EQ(reason({cell}, "fast-1", "throughput_mean_per_s"), "no steady repetition");
  EXPECT_THAT(flags(cell), testing::Contains("not_steady"));
}

TEST(MetricsTable, HasUniqueNamesThatEndInTheirUnits) {
  std::set<std::string> names;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    const std::string unit = metric.unit;
    const std::string name = metric.name;
    if (unit == "samples/s") {
      EXPECT_THAT(name, testing::EndsWith("_per_s"));
    }
    if (unit == "s") {
      EXPECT_THAT(name, testing::EndsWith("_s"));
    }
    if (unit == "ratio") {
      EXPECT_THAT(name, testing::EndsWith("_ratio"));
    }
    if (unit == "bytes") {
      EXPECT_THAT(name, testing::EndsWith("_bytes"));
    }
    if (unit == "bytes/inference") {
      EXPECT_THAT(name, testing::EndsWith("_bytes_per_inference"));
    }
    if (unit == "percent") {
      EXPECT_THAT(name, testing::HasSubstr("_percent"));
    }
  }
  EXPECT_EQ(find_metric("speed_up_ratio")->heading, std::string("speed-up"));
  EXPECT_EQ(find_metric("speed"), nullptr);
}

// That each case runs, and asks for the metric, is tested there.
TEST(MetricsTable, NamesForEachMetricACaseOfTheTruthTests) {
  const auto file = std::filesystem::path(NGB_SOURCE_DIR) / "tests/truth/definitions_test.py";
  const std::string cases = file::read(file).value_or("");
  for (const Metric& metric : metrics()) {
    EXPECT_THAT(cases, testing::HasSubstr(fmt::format("    def test_{}(self):", metric.truth))) << metric.name;
  }
}

TEST(MetricsDocumentation, IsUpToDate) {
  const auto page = std::filesystem::path(NGB_SOURCE_DIR) / "docs/metrics.md";
  if (std::getenv("NGB_UPDATE_DOCS") != nullptr) {
    ASSERT_TRUE(file::write_atomically(page, to_markdown()));
  }
  EXPECT_EQ(file::read(page).value_or(""), to_markdown()) << "run metrics_test with NGB_UPDATE_DOCS=1";
}

// A cell's metrics are computed one by one: one that cannot be computed takes nothing from the others.
TEST(Metrics, ThatCannotBeComputedCostTheirOwnValueOnly) {
  const auto metric = [](const char* name, Value (*compute)(const Analysis&, std::size_t)) {
    return Metric{name, name, "1", "", "", true, 0, compute, ""};
  };
  const Metric throws =
      metric("throws", [](const Analysis&, std::size_t) -> Value { throw std::domain_error("no such number"); });
  const Metric infinite = metric("infinite", [](const Analysis&, std::size_t) -> Value {
    return {std::numeric_limits<double>::infinity(), 1, 2, ""};
  });
  const Metric half_open = metric("half_open", [](const Analysis&, std::size_t) -> Value {
    return {1, std::numeric_limits<double>::quiet_NaN(), 2, ""};
  });
  const std::vector<const Metric*> wanted{&throws, &infinite, &half_open};
  const CellData cell = cell_of("fast", 1, {process(0, {1})});
  const Analysis analysis({&cell}, {});
  const auto values = compute_family(analysis, wanted, {}).at(0);
  EXPECT_FALSE(values.at(0).value);
  EXPECT_EQ(values.at(0).reason.str(), "it cannot be computed: no such number");
  EXPECT_FALSE(values.at(1).value);
  EXPECT_EQ(values.at(1).reason.str(), "the result is not a finite number");
  EXPECT_EQ(values.at(2).value, 1);
  EXPECT_FALSE(values.at(2).low);
  EXPECT_EQ(values.at(2).high, 2);
}

}  // namespace
}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
#include "samples/process_numbers.h"

#include <gtest/gtest.h>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

// A device decides by a process what a comparison then says of it.
TEST(ProcessNumbers, AreTheMetricsOfACellOfOneProcess) {
  std::vector<double> times_ms;
  for (int i = 0; i < 700; ++i) times_ms.push_back(1 + 0.001 * i);
  store::CellData cell = made_up::cell_of("fast", 1, {made_up::process(0, times_ms)});
  samples::ProcessResult& only = cell.processes.front();
  only.facts = {{"tuning_seconds", "5"}, {"tuning_seconds_here", "0.5"}};
  only.readings.push_back({"inferences", "1", "timed", Known<double>::of(700), {}});
  only.readings.push_back({"new_tokens", "1", "timed", Known<double>::of(700), {}});
  for (int i = 0; i < 20; ++i) {
    only.readings.push_back({"inferences", "1", "mark", Known<double>::of(50.0 * i), i});
    only.readings.push_back({"memory", "bytes", "mark", Known<double>::of(1e6 + 5000.0 * i), i});
    only.readings.push_back({"sessions", "1", "session", Known<double>::of(i), 1000 + i});
    only.readings.push_back({"memory", "bytes", "session", Known<double>::of(1e6 + 3000.0 * i), 1000 + i});
  }
  store::CellData loading = cell;  // it has no cold start, and the other no warm one
  loading.processes.front().phases.push_back({samples::Phase::load, 70'000'000, {}, {}});
  for (const std::string_view metric : samples::process_numbers()) {
    const bool is_of_loading = metric == "load_s" || metric == "warm_start_s";
    const store::CellData& told = is_of_loading ? loading : cell;
    const auto said = samples::process_number(metric)(told.processes.front());
    ASSERT_TRUE(said && said->value) << metric;
    EXPECT_NEAR(*made_up::value_of({told}, "fast-1", std::string(metric)).value, *said->value, 1e-9 * *said->value)
        << metric;
    EXPECT_NE(find_metric(metric)->better, Better::neither) << metric;
  }
  EXPECT_FALSE(samples::cold_start_s(loading.processes.front()));
  EXPECT_FALSE(samples::warm_start_s(cell.processes.front()));
}

}  // namespace
}  // namespace ngb::metrics

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
  only.phases.push_back({samples::Phase::load, 70'000'000, {}, {}});
  only.readings.push_back({"inferences", "1", "timed", Known<double>::of(700), {}});
  only.readings.push_back({"new_tokens", "1", "timed", Known<double>::of(700), {}});
  for (int i = 0; i < 20; ++i) {
    only.readings.push_back({"inferences", "1", "mark", Known<double>::of(50.0 * i), i});
    only.readings.push_back({"memory", "bytes", "mark", Known<double>::of(1e6 + 5000.0 * i), i});
  }
  for (const std::string_view metric : samples::process_numbers()) {
    const auto said = samples::process_number(metric)(only);
    ASSERT_TRUE(said && said->value) << metric;
    EXPECT_NEAR(*made_up::value_of({cell}, "fast-1", std::string(metric)).value, *said->value, 1e-9 * *said->value)
        << metric;
    EXPECT_NE(find_metric(metric)->better, Better::neither) << metric;
  }
}

}  // namespace
}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
#include "metrics/goal.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ngb::metrics {
namespace {

double amount(const char* metric, const char* text) {
  const auto bound = parse_bound(metric, text, true);
  return bound ? bound->value : -1;
}
std::string refusal(const char* metric, const char* text) {
  const auto bound = parse_bound(metric, text, true);
  return bound ? "" : bound.error().what + "; " + bound.error().next;
}

TEST(Goal, HasAmountsInTheUnitOfTheMetric) {
  EXPECT_EQ(amount("throughput_per_s", "200"), 200);
  EXPECT_DOUBLE_EQ(amount("latency_p99_s", "0.02"), 0.02);
  EXPECT_EQ(amount("timed_peak_bytes", "500 MB"), 5e8);
  EXPECT_EQ(amount("tcr_bits_per_s", "1.2e6"), 1.2e6);
}

TEST(Goal, RefusesAmountsOfAnotherKindAndNamesTheNearestMetric) {
  EXPECT_EQ(refusal("throughput_per_s", "20 ms"),
            "\"20 ms\" is no amount of throughput_per_s; expected a number in samples/s");
  EXPECT_EQ(refusal("timed_peak_bytes", "4 gigs"),
            "\"4 gigs\" is no amount of timed_peak_bytes; expected a number in bytes, or with B, kB, MB or GB");
  EXPECT_EQ(refusal("throughput", "200"),
            "there is no metric \"throughput\"; did you mean throughput_per_s?; docs/metrics.md lists them");
}

TEST(Goal, IsReadFromAStudy) {
  const auto goal = read_goal({{"metric", "samples_in_window"},
                               {"window_s", 600},
                               {"at_least", {{"throughput_per_s", 200}}},
                               {"at_most", {{"timed_peak_bytes", "1 GB"}}},
                               {"on", {"orin"}},
                               {"across", "worst"}});
  ASSERT_TRUE(goal);
  EXPECT_TRUE(goal->is_asked);
  EXPECT_EQ(goal->window_s, 600);
  EXPECT_EQ(goal->bounds.at(1).in_words(), "timed_peak_bytes of at most 1e+09 bytes");
  EXPECT_EQ(goal->across, Across::worst);
  EXPECT_FALSE(read_goal(nullptr)->is_asked);
}

// A results file may come from anybody.
TEST(Goal, OfAnyJsonIsReadWithoutAnException) {
  for (const char* const text :
       {R"({"metric": 5, "on": 7, "across": [], "at_least": 3, "window_s": "x"})", R"({"on": [1, {}], "at_most": [2]})",
        R"({"at_least": {"throughput_per_s": {}}})", R"([])", R"("speed")"}) {
    EXPECT_NO_THROW((void)read_goal(nlohmann::json::parse(text))) << text;
  }
}

TEST(Goal, NeedsTheWindowOfAMetricOfOne) {
  const auto goal = read_goal({{"metric", "samples_in_window"}});
  ASSERT_FALSE(goal);
  EXPECT_EQ(goal.error().what, "samples_in_window is of a window that the goal does not give");
  EXPECT_FALSE(read_goal({{"metric", "throughput_per_s"}, {"at_least", {{"bits_in_window", 5}}}}));
}

}  // namespace
}  // namespace ngb::metrics

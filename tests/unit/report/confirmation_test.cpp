// SPDX-License-Identifier: Apache-2.0
#include "report/choice/confirmation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "base/json_text.h"

namespace ngb::report {
namespace {

using testing::HasSubstr;

// Requests that were answered after 1, 2, …, `last` ms, one by one; the repetition before them was warm-up.
store::CellData answered_after(int last) {
  store::RecordedProcess process = made_up::process(0, std::vector<double>(static_cast<std::size_t>(last), 1.0));
  process.latencies_ns = {{900'000'000}};
  for (int ms = 1; ms <= last; ++ms) process.latencies_ns.push_back({ms * 1'000'000});
  return made_up::cell_of("fast", 1, {process});
}

Confirmation judged_by(double latency_s, int last = 1000) {
  return confirmation_of(answered_after(last), {.percentile = 99, .latency_s = latency_s, .requests_per_s = 50});
}

// The interval of p99 of 1,000 values is from the 983rd to the 997th (statistics/percentile_test.cpp).
TEST(Confirmation, HoldsIfTheWholeIntervalKeepsTheLimit) {
  const Confirmation held = judged_by(0.9975);
  EXPECT_EQ(held.held, Held::yes);
  EXPECT_EQ(held.requests, 1000U);
  EXPECT_NEAR(held.answered_s.value, 0.99001, 1e-9);
  EXPECT_NEAR(held.answered_s.low.value(), 0.983, 1e-9);
  EXPECT_NEAR(held.late_ratio, 0.003, 1e-12);
  EXPECT_EQ(judged_by(0.9965).held, Held::open);
  EXPECT_EQ(judged_by(0.9835).held, Held::open);
  EXPECT_EQ(judged_by(0.9825).held, Held::no);
}

TEST(Confirmation, IsOpenIfTheRequestsAreTooFewForAnUpperEnd) {
  EXPECT_EQ(judged_by(10, 367).held, Held::open);
  EXPECT_EQ(judged_by(10, 368).held, Held::yes);
}

TEST(Confirmation, IsPrintedBesideThePrediction) {
  const store::CellData cell = answered_after(1000);
  const Demand demand{.latency_s = 0.5, .requests_per_s = 50};
  Candidate predicted{.cell = &cell, .fit = Fit::holds, .answered_s = 0.4, .low_s = 0.3, .high_s = std::nullopt};
  const Confirmation judged = confirmation_of(cell, demand);
  const std::string text = confirmation_text(judged, predicted, demand);
  EXPECT_THAT(text, HasSubstr("not held: fast 1.0, resnet18, batch 1, on local, 2 threads: 1000 requests at 50/s in"));
  EXPECT_THAT(text, HasSubstr("measured:  p99 990 ms [983 ms, 997 ms], 50.00 % later than 500 ms"));
  EXPECT_THAT(text, HasSubstr("predicted: p99 400 ms [300 ms, ∞]"));
  predicted.low_s.reset();
  predicted.why = "too slow for so many requests";
  EXPECT_THAT(confirmation_text(judged, predicted, demand), HasSubstr("predicted: too slow for so many requests"));
  const auto json = json_text::parse(confirmation_json(judged, predicted, "here"));
  EXPECT_EQ(json["confirmation"]["held"], "not held");
  EXPECT_EQ(json["compiler"], "fast");
}

TEST(Confirmation, TakesTwiceTheRequestsOfMlperfsRules) {
  EXPECT_EQ(usual_requests(99), 1324U);
  EXPECT_EQ(usual_requests(90), 128U);
}

}  // namespace
}  // namespace ngb::report

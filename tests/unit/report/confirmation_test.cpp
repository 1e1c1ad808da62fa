// SPDX-License-Identifier: Apache-2.0
#include "report/choice/confirmation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "../metrics/made_up_cells.h"
#include "base/json_text.h"

namespace ngb::report {
namespace {

using testing::HasSubstr;

// Requests that were answered after 1, 2, …, `last` ms, one every two seconds, so that none waits; the repetition
// before them was warm-up.
store::CellData answered_after(int last) {
  store::RecordedProcess process = made_up::process(0, {});
  process.latencies_ns = {{900'000'000}};
  for (int ms = 1; ms <= last; ++ms) {
    const std::int64_t latency_ns = std::int64_t{ms} * 1'000'000;
    process.repetitions.push_back({latency_ns, 1, false, std::int64_t{ms} * 2'000'000'000});
    process.latencies_ns.push_back({latency_ns});
  }
  return made_up::cell_of("fast", 1, {process});
}

constexpr double kRarely = 0.001;  // requests per second

Confirmation judged_by(double latency_s, int last = 1000) {
  return confirmation_of(answered_after(last), {.percentile = 99, .latency_s = latency_s, .requests_per_s = kRarely});
}

// Ten of the 1,000 requests are beyond p99, each a busy period of its own: t of 9 degrees is 2.2622, so that they are
// worth 1000 / 1.0010 · (1.9600 / 2.2622)² = 749.9. By scipy's beta distribution, the interval of so many is from the
// 982nd to the 998th.
TEST(Confirmation, HoldsIfTheWholeIntervalKeepsTheLimit) {
  const Confirmation held = judged_by(0.9985);
  EXPECT_EQ(held.held, Held::yes);
  EXPECT_EQ(held.requests, 1000U);
  EXPECT_EQ(held.periods, 1000U);
  EXPECT_NEAR(held.independent_requests, 749.9, 0.1);
  EXPECT_NEAR(held.answered_s.value, 0.99001, 1e-9);
  EXPECT_NEAR(held.answered_s.low.value(), 0.982, 1e-9);
  EXPECT_NEAR(held.answered_s.high.value(), 0.998, 1e-9);
  EXPECT_NEAR(held.late_ratio, 0.002, 1e-12);
  EXPECT_EQ(judged_by(0.9975).held, Held::open);
  EXPECT_EQ(judged_by(0.9825).held, Held::open);
  EXPECT_EQ(judged_by(0.9815).held, Held::no);
}

TEST(Confirmation, IsOpenIfTheRequestsAreTooFewForAnUpperEnd) {
  EXPECT_EQ(judged_by(10, 520).held, Held::open);  // worth 301.7 of the 368 that p99 needs
  EXPECT_EQ(judged_by(10, 1000).held, Held::yes);
}

TEST(Confirmation, IsPrintedBesideThePrediction) {
  const store::CellData cell = answered_after(1000);
  const Demand demand{.latency_s = 0.5, .requests_per_s = kRarely};
  Candidate predicted{.cell = &cell, .fit = Fit::holds, .answered_s = 0.4, .low_s = 0.3, .high_s = std::nullopt};
  const Confirmation judged = confirmation_of(cell, demand);
  const std::string text = confirmation_text(judged, predicted, demand);
  EXPECT_THAT(text,
              HasSubstr("not held: fast 1.0, resnet18, batch 1, on local, 2 threads: 1000 requests at 0.001/s in"));
  EXPECT_THAT(text, HasSubstr("measured:  p99 990 ms [982 ms, 998 ms], 50.00 % later than 500 ms"));
  EXPECT_THAT(text, HasSubstr("predicted: p99 400 ms [300 ms, ∞]"));
  EXPECT_THAT(text, HasSubstr("0 % busy: 1000 busy periods, and 1000 requests are worth 750 independent ones"));
  predicted.low_s.reset();
  predicted.answered_s.reset();
  predicted.why = "too slow for so many requests";
  EXPECT_THAT(confirmation_text(judged, predicted, demand), HasSubstr("predicted: too slow for so many requests"));
  const auto json = json_text::parse(confirmation_json(judged, predicted, "here"));
  EXPECT_EQ(json["confirmation"]["held"], "not held");
  EXPECT_EQ(json["compiler"], "fast");
}

TEST(Confirmation, TakesTwiceTheRequestsOfMlperfsRulesAndMoreOfABusyServer) {
  EXPECT_EQ(usual_requests(99, 0), 1324U);
  EXPECT_EQ(usual_requests(90, 0), 128U);
  EXPECT_EQ(usual_requests(90, 0.5), 512U);  // / (1 - 0.5)²
  EXPECT_EQ(usual_requests(99, 0.9), 132'400U);
  EXPECT_EQ(usual_requests(99, 1.5), 1324U);  // that it piles up is seen at once
  EXPECT_EQ(usual_requests(99, 0.99), 1'000'000U);
}

// A server, event by event: requests of one sample arrive at random, and each is answered by an inference of one second
// with a deviation of 10 %, times `factor`.
class Server {
 public:
  Server(double requests_per_s, std::uint64_t seed) : gap_(requests_per_s), random_(seed) {}

  store::RecordedProcess process(int index, std::size_t requests, double factor = 1) {
    store::RecordedProcess made = made_up::process(index, {});
    made.repetitions.clear();
    double now_s = 0;
    double free_s = 0;
    for (std::size_t i = 0; i < requests; ++i) {
      now_s += gap_(random_);
      const double begin_s = std::max(now_s, free_s);
      const double takes_s = factor * std::max(0.1, takes_(random_));
      free_s = begin_s + takes_s;
      made.repetitions.push_back({std::llround(takes_s * 1e9), 1, false, std::llround(begin_s * 1e9)});
      made.latencies_ns.push_back({std::llround((free_s - now_s) * 1e9)});
    }
    return made;
  }

 private:
  std::exponential_distribution<double> gap_;
  std::normal_distribution<double> takes_{1, 0.1};
  std::mt19937_64 random_;
};

double true_percentile_s(double load, int percentile) {
  const store::RecordedProcess process = Server(load, 99).process(0, 1'000'000);
  std::vector<std::int64_t> all_ns;
  for (const auto& each : process.latencies_ns) all_ns.push_back(each.front());
  const auto place =
      all_ns.begin() + static_cast<std::ptrdiff_t>(all_ns.size() * static_cast<std::size_t>(percentile) / 100);
  std::nth_element(all_ns.begin(), place, all_ns.end());
  return static_cast<double>(*place) * 1e-9;
}

struct Judged {
  int covers = 0;
  int holds_falsely = 0;  // though the true percentile is 5 % beyond the limit
  int decides = 0;        // the interval has an upper end
};

// Judges 100 simulated confirmations, each of several processes.
Judged judge_servers(double load, int percentile, std::size_t requests, std::size_t processes = 4) {
  const double truth_s = true_percentile_s(load, percentile);
  Server server(load, 7);
  Judged judged;
  for (int study = 0; study < 100; ++study) {
    std::vector<store::RecordedProcess> made;
    for (std::size_t i = 0; i < processes; ++i)
      made.push_back(server.process(static_cast<int>(i), requests / processes));
    const Confirmation found =
        confirmation_of(made_up::cell_of("fast", 1, made),
                        {.percentile = percentile, .latency_s = truth_s / 1.05, .requests_per_s = load});
    const auto& [value, low, high] = found.answered_s;
    judged.covers += low.value_or(0) <= truth_s && truth_s <= high.value_or(1e9) ? 1 : 0;
    judged.holds_falsely += found.held == Held::yes ? 1 : 0;
    judged.decides += high ? 1 : 0;
  }
  return judged;
}

// Whatever the load, the interval of few requests holds the truth; near full load it is open at the upper side.
TEST(Confirmation, OfFewRequestsHoldsTheTruePercentileOfASimulatedServerOrIsOpen) {
  for (const double load : {0.3, 0.5, 0.7, 0.9}) {
    const Judged judged = judge_servers(load, 99, usual_requests(99, 0));
    EXPECT_GE(judged.covers, 90) << load;
    EXPECT_LE(judged.holds_falsely, 5) << load;
  }
  EXPECT_EQ(judge_servers(0.9, 99, usual_requests(99, 0)).decides, 0);
}

TEST(Confirmation, OfTheUsualRequestsHoldsTheTruePercentileAndDecides) {
  for (const double load : {0.3, 0.5, 0.7, 0.9}) {
    const Judged judged = judge_servers(load, 90, usual_requests(90, load));
    EXPECT_GE(judged.covers, 90) << load;
    EXPECT_LE(judged.holds_falsely, 5) << load;
    EXPECT_GE(judged.decides, 85) << load;
  }
}

TEST(Confirmation, OfRequestsThatPileUpHasNotHeld) {
  const store::CellData cell =
      made_up::cell_of("fast", 1, {Server(1.2, 5).process(0, 64), Server(1.2, 6).process(1, 64)});
  const Confirmation judged = confirmation_of(cell, {.percentile = 90, .latency_s = 1000, .requests_per_s = 1.2});
  EXPECT_EQ(judged.held, Held::no);
  EXPECT_GT(judged.utilisation_ratio, 1);
}

// One of four processes is twice as slow.
TEST(Confirmation, SaysThatProcessesDifferAndCountsThem) {
  Server server(0.1, 3);
  std::vector<store::RecordedProcess> processes;
  for (int i = 0; i < 4; ++i) processes.push_back(server.process(i, 64, i == 3 ? 2 : 1));
  const Confirmation judged = confirmation_of(made_up::cell_of("fast", 1, processes),
                                              {.percentile = 90, .latency_s = 9, .requests_per_s = 0.1});
  EXPECT_TRUE(judged.do_processes_differ);
  EXPECT_LT(judged.independent_requests, 36);
  EXPECT_EQ(judged.held, Held::open);
}

}  // namespace
}  // namespace ngb::report

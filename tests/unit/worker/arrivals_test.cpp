// SPDX-License-Identifier: Apache-2.0
#include "worker/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace ngb::worker {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kMs = 1'000'000;

// Its time moves only by waiting and by inferences, which all take equally long.
class MadeUpServer final : public Server {
 public:
  explicit MadeUpServer(std::int64_t inference_ns, std::size_t fails_at = SIZE_MAX)
      : inference_ns_(inference_ns), fails_at_(fails_at) {}
  [[nodiscard]] std::int64_t now_ns() const override { return now_ns_; }
  void wait_until(std::int64_t time_ns) override { now_ns_ = time_ns; }
  bool infer() override {
    now_ns_ += inference_ns_;
    return inferences_++ != fails_at_;
  }

 private:
  std::int64_t now_ns_ = 77 * kMs;
  std::int64_t inference_ns_;
  std::size_t fails_at_;
  std::size_t inferences_ = 0;
};

// Inferences of 10 ms end at 15, 25, 35 and 110 ms.
TEST(Requests, WaitForThoseBeforeThemAndAreTimedFromTheirArrival) {
  MadeUpServer server(10 * kMs);
  const std::vector<std::int64_t> arrivals{5 * kMs, 6 * kMs, 7 * kMs, 100 * kMs};
  EXPECT_THAT(serve_requests(arrivals, 1, server),
              ElementsAre(ElementsAre(10 * kMs), ElementsAre(19 * kMs), ElementsAre(28 * kMs), ElementsAre(10 * kMs)));
}

// A batch begins with its second request: at 6 and, after the first inference, at 100 ms. The fifth is not sent.
TEST(Requests, WaitUntilTheirBatchIsFull) {
  MadeUpServer server(10 * kMs);
  const std::vector<std::int64_t> arrivals{5 * kMs, 6 * kMs, 7 * kMs, 100 * kMs, 101 * kMs};
  EXPECT_THAT(serve_requests(arrivals, 2, server),
              ElementsAre(ElementsAre(11 * kMs, 10 * kMs), ElementsAre(103 * kMs, 10 * kMs)));
}

TEST(Requests, EndWithTheInferenceThatFails) {
  MadeUpServer server(10 * kMs, 1);
  const std::vector<std::int64_t> arrivals{0, 0, 0};
  EXPECT_THAT(serve_requests(arrivals, 1, server), ElementsAre(ElementsAre(10 * kMs)));
}

TEST(Arrivals, AreEqualForOneSeedAndHaveExponentialGaps) {
  constexpr std::size_t kRequests = 100'000;
  const auto arrivals = arrivals_ns(50, kRequests, 7);
  EXPECT_EQ(arrivals, arrivals_ns(50, kRequests, 7));
  EXPECT_NE(arrivals, arrivals_ns(50, kRequests, 8));
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end()));
  EXPECT_NEAR(static_cast<double>(arrivals.back()) / kRequests, 20.0 * kMs, 0.02 * 20 * kMs);  // 6 standard errors
  std::vector<std::int64_t> gaps(kRequests);
  std::adjacent_difference(arrivals.begin(), arrivals.end(), gaps.begin());
  // exp(-1) of the gaps are longer than the mean, exp(-3) than three times the mean.
  const auto share_above = [&](std::int64_t gap_ns) {
    return static_cast<double>(std::count_if(gaps.begin(), gaps.end(), [&](auto gap) { return gap > gap_ns; })) /
           kRequests;
  };
  EXPECT_NEAR(share_above(20 * kMs), 0.36788, 0.01);
  EXPECT_NEAR(share_above(60 * kMs), 0.04979, 0.005);
}

// M/D/1 at a load of 0.5: the mean wait is 0.5 · 10 ms / (2 · (1 - 0.5)) = 5 ms (Pollaczek and Khinchine). At 0.8: 20
// ms.
TEST(Requests, WaitAsLongAsTheTheoryOfQueuesSays) {
  for (const auto& [requests_per_s, wait_ms] : {std::pair{50.0, 5.0}, std::pair{80.0, 20.0}}) {
    MadeUpServer server(10 * kMs);
    double sum_ns = 0;
    const auto latencies = serve_requests(arrivals_ns(requests_per_s, 400'000, 3), 1, server);
    for (const auto& each : latencies) sum_ns += static_cast<double>(each.front());
    EXPECT_NEAR(sum_ns / static_cast<double>(latencies.size()) / kMs - 10, wait_ms, 0.05 * wait_ms);
  }
}

}  // namespace
}  // namespace ngb::worker

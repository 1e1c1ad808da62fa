// SPDX-License-Identifier: Apache-2.0
#include "worker/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace ngb::worker {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kMs = 1'000'000;

constexpr std::int64_t kBegin_ns = 77 * kMs;

// A server with a clock of its own: only waiting and inferences take time.
class MadeUpServer final : public Server {
 public:
  explicit MadeUpServer(std::int64_t inference_ns, std::size_t fails_at = SIZE_MAX)
      : MadeUpServer([inference_ns](std::size_t) { return inference_ns; }, fails_at) {}
  explicit MadeUpServer(std::function<std::int64_t(std::size_t)> inference_ns, std::size_t fails_at = SIZE_MAX)
      : inference_ns_(std::move(inference_ns)), fails_at_(fails_at) {}
  [[nodiscard]] std::int64_t now_ns() const override { return now_ns_; }
  void wait_until(std::int64_t time_ns) override { now_ns_ = time_ns; }
  bool infer() override {
    now_ns_ += inference_ns_(inferences_);
    return inferences_++ != fails_at_;
  }

 private:
  std::int64_t now_ns_ = kBegin_ns;
  std::function<std::int64_t(std::size_t)> inference_ns_;
  std::size_t fails_at_;
  std::size_t inferences_ = 0;
};

// Serves all batches by this server.
std::vector<std::vector<std::int64_t>> served(std::span<const std::int64_t> arrivals_ns, std::size_t batch,
                                              Server& server) {
  return serve_requests({arrivals_ns, batch, kBegin_ns}, [next = std::size_t{0}]() mutable { return next++; }, server);
}

// Inferences of 10 ms end at 15, 25, 35 and 110 ms.
TEST(Requests, WaitForThoseBeforeThemAndAreTimedFromTheirArrival) {
  MadeUpServer server(10 * kMs);
  const std::vector<std::int64_t> arrivals{5 * kMs, 6 * kMs, 7 * kMs, 100 * kMs};
  EXPECT_THAT(served(arrivals, 1, server),
              ElementsAre(ElementsAre(10 * kMs), ElementsAre(19 * kMs), ElementsAre(28 * kMs), ElementsAre(10 * kMs)));
}

// A batch begins with its second request: at 6 and, after the first inference, at 100 ms. The fifth is not sent.
TEST(Requests, WaitUntilTheirBatchIsFull) {
  MadeUpServer server(10 * kMs);
  const std::vector<std::int64_t> arrivals{5 * kMs, 6 * kMs, 7 * kMs, 100 * kMs, 101 * kMs};
  EXPECT_THAT(served(arrivals, 2, server),
              ElementsAre(ElementsAre(11 * kMs, 10 * kMs), ElementsAre(103 * kMs, 10 * kMs)));
}

TEST(Requests, EndWithTheInferenceThatFails) {
  MadeUpServer server(10 * kMs, 1);
  const std::vector<std::int64_t> arrivals{0, 0, 0};
  EXPECT_THAT(served(arrivals, 1, server), ElementsAre(ElementsAre(10 * kMs)));
}

// Two servers, and inferences of 10 ms. Both are free at first, so that one waits for the first request and the other
// for the second. They are free again at 15 and 16 ms, and take the third and the fourth request, which have waited
// since 7 and 8 ms; then at 25 and 26 ms, when the first of them waits for the fifth.
TEST(Requests, OfOneQueueGoToTheServerThatIsFreeFirst) {
  const std::vector<std::int64_t> arrivals{5 * kMs, 6 * kMs, 7 * kMs, 8 * kMs, 100 * kMs};
  const Queue queue{arrivals, 1, kBegin_ns};
  const auto serve = [&](std::vector<std::size_t> turns) {
    MadeUpServer server(10 * kMs);
    return serve_requests(queue, [turns, next = std::size_t{0}]() mutable { return turns.at(next++); }, server);
  };
  EXPECT_THAT(serve({0, 2, 4, 6}), ElementsAre(ElementsAre(10 * kMs), ElementsAre(18 * kMs), ElementsAre(10 * kMs)));
  EXPECT_THAT(serve({1, 3, 5}), ElementsAre(ElementsAre(10 * kMs), ElementsAre(18 * kMs)));
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
    const auto latencies = served(arrivals_ns(requests_per_s, 400'000, 3), 1, server);
    for (const auto& each : latencies) sum_ns += static_cast<double>(each.front());
    EXPECT_NEAR(sum_ns / static_cast<double>(latencies.size()) / kMs - 10, wait_ms, 0.05 * wait_ms);
  }
}

// Returns the mean wait in milliseconds if two servers take batches in turn as they become free.
double mean_wait_of_two_ms(double requests_per_s, const std::function<std::int64_t(std::size_t)>& inference_ns) {
  const auto arrivals = arrivals_ns(requests_per_s, 400'000, 3);
  const Queue queue{arrivals, 1, kBegin_ns};
  std::size_t inference = 0;
  const auto next_ns = [&](std::size_t) { return inference_ns(inference++); };
  std::vector<MadeUpServer> servers(2, MadeUpServer(next_ns));
  double wait_ns = 0;
  for (std::size_t i = 0; i < queue.batches(); ++i) {
    MadeUpServer& free = *std::min_element(servers.begin(), servers.end(),
                                           [](const Server& a, const Server& b) { return a.now_ns() < b.now_ns(); });
    std::int64_t latency_ns = 0;
    EXPECT_TRUE(serve_batch(queue, i, free, {&latency_ns, 1}));
    wait_ns += static_cast<double>(latency_ns - inference_ns(i));
  }
  return wait_ns / static_cast<double>(queue.batches()) / kMs;
}

// M/M/2 with 10 ms and 150 requests/s, which one server cannot bear: a request waits with the probability 9/14
// (Erlang's C formula), and then for 10 ms / (2 · (1 - 0.75)) = 20 ms on average: 12.86 ms of all. M/D/2: by Cosmetatos
// (1975), half of that times 1 + (1 - 0.75) · (√14 - 2) / (32 · 0.75) = 6.55 ms; the rule of `ngb choose` says
// half, 6.43 ms.
TEST(Requests, OfTwoServersWaitAsLongAsTheTheoryOfQueuesSays) {
  const auto times = arrivals_ns(100, 400'000, 5);
  const auto exponential = [&](std::size_t i) { return i == 0 ? times[0] : times[i] - times[i - 1]; };
  EXPECT_NEAR(mean_wait_of_two_ms(150, exponential), 12.86, 0.05 * 12.86);
  EXPECT_NEAR(mean_wait_of_two_ms(150, [](std::size_t) { return 10 * kMs; }), 6.55, 0.03 * 6.55);
}

}  // namespace
}  // namespace ngb::worker

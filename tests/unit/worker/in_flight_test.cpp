// SPDX-License-Identifier: Apache-2.0
#include "worker/in_flight.h"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>

namespace ngb::worker {
namespace {

// A library with one thread, which ends inferences in the order in which they began.
class Library {
 public:
  Library() : thread_([this] { work(); }) {}
  ~Library() {
    {
      const std::scoped_lock lock(mutex_);
      is_ending_ = true;
    }
    wakes_.notify_one();
    thread_.join();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  ngb_status start(std::uint32_t slot, ngb_completed completed, void* context, ngb_error* error) {
    const std::scoped_lock lock(mutex_);
    if (++begun == refuses_start_of) return NGB_OUT_OF_MEMORY;
    queue_.push_back({slot, completed, context, error});
    most_in_flight = std::max(most_in_flight, queue_.size() + (is_working_ ? 1 : 0));
    wakes_.notify_one();
    return NGB_OK;
  }

  int begun = 0;
  int refuses_start_of = -1;
  int fails_in = -1;
  std::uint32_t finish_fails_in_slot = 99;
  std::size_t most_in_flight = 0;

 private:
  struct Inference {
    std::uint32_t slot;
    ngb_completed completed;
    void* context;
    ngb_error* error;
  };
  void work() {
    for (int ended = 1;; ++ended) {
      Inference next{};
      {
        std::unique_lock lock(mutex_);
        wakes_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
        if (queue_.empty()) return;
        next = queue_.front();
        queue_.pop_front();
        is_working_ = true;
      }
      {
        const std::scoped_lock lock(mutex_);
        is_working_ = false;
      }
      if (ended == fails_in) std::strcpy(next.error->message, "broken");
      next.completed(next.context, next.slot, ended == fails_in ? NGB_DEVICE_LOST : NGB_OK);
    }
  }

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<Inference> queue_;
  bool is_ending_ = false;
  bool is_working_ = false;
  std::thread thread_;
};

Library& library_of(ngb_session* session) { return *reinterpret_cast<Library*>(session); }

class InFlight : public testing::Test {
 protected:
  void SetUp() override {
    compiler_.start = [](ngb_session* session, std::uint32_t slot, ngb_completed completed, void* context,
                         ngb_error* error) { return library_of(session).start(slot, completed, context, error); };
    compiler_.finish = [](ngb_session* session, std::uint32_t slot, ngb_error*) {
      return library_of(session).finish_fails_in_slot == slot ? NGB_INTERNAL : NGB_OK;
    };
  }
  std::size_t run(std::uint32_t inferences) {
    return flight_.run_repetitions(inferences, {walls_ns_, begins_ns_}, latencies_ns_, &status_);
  }

  ngb_compiler compiler_{};
  ngb_error error_{};
  samples::RunCount done_{.repetitions = 5};
  Library library_;
  Flight flight_{{&compiler_, reinterpret_cast<ngb_session*>(&library_), &error_, &done_}, 3};
  std::array<std::int64_t, 4> walls_ns_{-1, -1, -1, -1};
  std::array<std::int64_t, 4> begins_ns_{-1, -1, -1, -1};
  std::array<std::int64_t, 24> latencies_ns_{};
  ngb_status status_ = NGB_INTERNAL;
};

TEST_F(InFlight, EachInferenceThatEndsBeginsTheNextUntilTheLastRepetitionHasEnded) {
  EXPECT_EQ(run(6), 4U);
  EXPECT_EQ(status_, NGB_OK);
  EXPECT_EQ(library_.begun, 4 * 6 + 2);
  EXPECT_LE(library_.most_in_flight, 3U);
  EXPECT_EQ(done_.repetitions.load(), 9U);
}

TEST_F(InFlight, RepetitionsFollowEachOtherWithoutAGap) {
  ASSERT_EQ(run(6), 4U);
  for (const std::int64_t wall_ns : walls_ns_) EXPECT_GT(wall_ns, 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(begins_ns_[i], begins_ns_[i - 1] + walls_ns_[i - 1]);
}

TEST_F(InFlight, TheLatencyOfEachInferenceIsKept) {
  ASSERT_EQ(run(6), 4U);
  for (const std::int64_t latency_ns : latencies_ns_) EXPECT_GT(latency_ns, 0);
  // Three are in flight at every moment, so the latencies together last three times as long as the repetitions; the
  // first ones in flight and the last ones make the difference of at most three latencies.
  const std::int64_t latencies_ns = std::accumulate(latencies_ns_.begin(), latencies_ns_.end(), std::int64_t{0});
  const std::int64_t all_ns = std::accumulate(walls_ns_.begin(), walls_ns_.end(), std::int64_t{0});
  EXPECT_LE(latencies_ns, 3 * all_ns);
}

TEST_F(InFlight, StopsAfterAnInferenceThatFailsAndNamesItsError) {
  library_.fails_in = 10;
  EXPECT_EQ(run(6), 1U);  // 9 have ended before it, and at most 2 after it
  EXPECT_EQ(status_, NGB_DEVICE_LOST);
  EXPECT_STREQ(error_.message, "broken");
  EXPECT_EQ(library_.begun, 12);
}

TEST_F(InFlight, AnInferenceThatCannotBeginIsAFailure) {
  library_.refuses_start_of = 2;
  EXPECT_EQ(run(6), 0U);
  EXPECT_EQ(status_, NGB_OUT_OF_MEMORY);
}

TEST_F(InFlight, AFailureThatOnlyFinishReportsLeavesNoRepetition) {
  library_.finish_fails_in_slot = 1;
  EXPECT_EQ(run(6), 0U);
  EXPECT_EQ(status_, NGB_INTERNAL);
}

TEST_F(InFlight, RunsAgainAfterARun) {
  EXPECT_EQ(run(3), 4U);
  EXPECT_EQ(run(6), 4U);
  EXPECT_EQ(done_.repetitions.load(), 13U);
}

TEST(LatenciesInFlight, OfALongRepetitionAreEvenlySpaced) {
  EXPECT_EQ(latency_stride(1), 1U);
  EXPECT_EQ(latency_count(256), 256U);
  EXPECT_EQ(latency_stride(257), 2U);
  EXPECT_EQ(latency_count(257), 129U);
  EXPECT_EQ(latency_stride(1000), 4U);
  EXPECT_EQ(latency_count(1000), 250U);
}

}  // namespace
}  // namespace ngb::worker

// SPDX-License-Identifier: Apache-2.0
// Runs a session's repetitions by the timed loop: one after the other, several in flight, or as requests arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "samples/process_result.h"
#include "work/job.h"
#include "worker/arrivals.h"
#include "worker/in_flight.h"
#include "worker/loop.h"
#include "worker/pass.h"
#include "worker/repetitions.h"

namespace ngb::worker {

// The times of a compiler that makes them up for tests, which need a relation of speeds and no real time.
struct MadeUp {
  std::int64_t inference_ns = 0;  // how long an inference is said to take; 0: times are measured
  std::uint64_t seed = 0;         // by which a repetition takes up to half a percent more or less than its inferences
  std::int64_t first_ns = 0;      // what an inference takes beside that which is the first of its kind (Pass::is_first)
};
// Such a compiler says so by the fact `made_up_ns`, which marks its results. No two processes of a study have one seed.
MadeUp made_up_times(const std::map<std::string, std::string>& facts, const work::WorkerRequest& request);

// Keeps the status of the inference that failed.
class TimedRepeater final : public Repeater {
 public:
  // `slots`: inferences in flight; 1 with made-up times and with passes. `passes` outlives it; null: none.
  TimedRepeater(const Target& target, std::uint32_t slots, MadeUp made_up = {}, Pass* passes = nullptr)
      : target_(target), flight_(target_, slots), made_up_(made_up), passes_(passes) {}
  std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) override;
  // Runs one inference, or a pass, whose time is not kept. Returns whether it succeeded.
  bool infer_untimed();
  [[nodiscard]] std::uint32_t in_flight() const override { return flight_.slots(); }
  [[nodiscard]] std::uint32_t pass() const override { return passes_ == nullptr ? 0 : passes_->steps(); }
  [[nodiscard]] ngb_status status() const { return status_; }
  // Returns the time of the clock on which repetitions begin. Made-up times have their own, which passes by their
  // repetitions and by `skip_to`.
  [[nodiscard]] std::int64_t now_ns() const;
  // Sets the clock of made-up times. Returns false for a clock that cannot be set.
  bool skip_to(std::int64_t time_ns);

 private:
  std::size_t run(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns);
  void make_up(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns);

  Target target_;
  Flight flight_;
  MadeUp made_up_;
  Pass* passes_;
  std::int64_t clock_ns_ = worker::now_ns();  // of made-up times
  std::uint64_t made_up_repetitions_ = 0;
  bool has_inferred_ = false;
  ngb_status status_ = NGB_OK;
};

// Serves requests with the timed loop: each inference is a repetition of its own, whose times are kept.
class TimedServer final : public Server {
 public:
  TimedServer(TimedRepeater& repeater, std::size_t inferences);
  [[nodiscard]] std::int64_t now_ns() const override { return repeater_.now_ns(); }
  void wait_until(std::int64_t time_ns) override;
  bool infer() override;
  [[nodiscard]] std::size_t inferences() const { return done_; }  // completed
  // Makes the completed inferences the ones that count: the repetitions before them were the warm-up. `served_ns` has
  // the latencies of the requests that each of them answered.
  void replace(samples::ProcessResult& result, const std::vector<std::vector<std::int64_t>>& served_ns) const;

 private:
  TimedRepeater& repeater_;
  std::vector<std::int64_t> walls_ns_;
  std::vector<std::int64_t> begins_ns_;
  std::size_t done_ = 0;
};

}  // namespace ngb::worker

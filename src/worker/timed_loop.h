// SPDX-License-Identifier: Apache-2.0
// Runs a session's repetitions by the timed loop: one after the other, several in flight, or as requests arrive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "samples/process_result.h"
#include "worker/arrivals.h"
#include "worker/in_flight.h"
#include "worker/loop.h"
#include "worker/repetitions.h"

namespace ngb::worker {

// Keeps the status of the inference that failed.
class TimedRepeater final : public Repeater {
 public:
  // `slots`: inferences in flight.
  TimedRepeater(const Target& target, std::uint32_t slots) : target_(target), flight_(target_, slots) {}
  std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) override;
  // Runs one inference whose time is not kept. Returns whether it succeeded.
  bool infer_untimed();
  [[nodiscard]] std::uint32_t in_flight() const override { return flight_.slots(); }
  [[nodiscard]] ngb_status status() const { return status_; }

 private:
  Target target_;
  Flight flight_;
  bool has_inferred_ = false;
  ngb_status status_ = NGB_OK;
};

// Serves requests with the timed loop: each inference is a repetition of its own, whose times are kept.
class TimedServer final : public Server {
 public:
  TimedServer(TimedRepeater& repeater, std::size_t inferences);
  [[nodiscard]] std::int64_t now_ns() const override { return worker::now_ns(); }
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

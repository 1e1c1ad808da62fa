// SPDX-License-Identifier: Apache-2.0
// The timed loop with several inferences in flight. Whenever one ends, the thread that ended it begins the next one, so
// that no thread of ours takes part. A repetition is as many ended inferences as are asked for; the flight stays full
// from the first repetition of a call to the last.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "worker/loop.h"

namespace ngb::worker {

// A repetition's latencies of which at most this many are kept, evenly spaced in the order in which inferences ended.
inline constexpr std::uint32_t kMostLatencies = 256;

// Returns the distance of the kept latencies of a repetition: 1 keeps each.
constexpr std::uint32_t latency_stride(std::uint32_t inferences) {
  return inferences / kMostLatencies + (inferences % kMostLatencies == 0 ? 0 : 1);
}
// Returns how many latencies of a repetition are kept.
constexpr std::uint32_t latency_count(std::uint32_t inferences) {
  const std::uint32_t stride = latency_stride(inferences);
  return inferences / stride + (inferences % stride == 0 ? 0 : 1);
}

class Flight {
 public:
  // `slots`: inferences in flight, at least 1. The target's compiler has `start` and `finish`. The flight outlives its
  // session.
  Flight(const Target& target, std::uint32_t slots);
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // As run_repetitions. `latencies_ns` receives latency_count(inferences) values for each repetition, as far as it has
  // room. A latency lasts from `start` until the inference has ended.
  std::size_t run_repetitions(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns,
                              ngb_status* status);
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(begins_ns_.size()); }

 private:
  static void completed(void* flight, std::uint32_t slot, ngb_status status);
  void begin(std::uint32_t slot, std::int64_t now_ns);
  void end(std::uint32_t slot, ngb_status status, std::int64_t now_ns);
  void record(std::uint64_t index, std::int64_t latency_ns, std::int64_t now_ns);
  void fail_with(std::uint32_t slot, ngb_status status);
  void leave();
  std::size_t finish(ngb_status* status);

  Target target_;
  std::vector<std::int64_t> begins_ns_;  // by slot: when its inference began
  std::vector<ngb_error> errors_;        // by slot

  // The state of the current call.
  Times times_{};
  std::span<std::int64_t> latencies_ns_{};
  std::uint32_t inferences_ = 1;
  std::uint64_t wanted_ = 0;    // inferences of all repetitions
  std::uint64_t to_begin_ = 0;  // as many more as keep the flight full until the last wanted one ends
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<std::uint32_t> flying_{0};
  std::atomic<bool> has_failed_{false};
  std::uint32_t failed_slot_ = 0;
  ngb_status failure_ = NGB_OK;
};

}  // namespace ngb::worker

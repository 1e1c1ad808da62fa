// SPDX-License-Identifier: Apache-2.0
#include "worker/in_flight.h"

#include <algorithm>

namespace ngb::worker {

Flight::Flight(const Target& target, std::uint32_t slots) : target_(target), begins_ns_(slots, 0), errors_(slots) {}

void Flight::completed(void* flight, std::uint32_t slot, ngb_status status) {
  static_cast<Flight*>(flight)->end(slot, status, now_ns());
}

void Flight::begin(std::uint32_t slot, std::int64_t now_ns) {
  begins_ns_[slot] = now_ns;
  const ngb_status status = target_.compiler->start(target_.session, slot, completed, this, &errors_[slot]);
  if (status == NGB_OK) [[likely]]
    return;
  fail_with(slot, status);
  leave();
}

void Flight::end(std::uint32_t slot, ngb_status status, std::int64_t now_ns) {
  if (status == NGB_OK) [[likely]] {
    const std::uint64_t index = ended_.fetch_add(1, std::memory_order_relaxed);
    if (index < wanted_) record(index, now_ns - begins_ns_[slot], now_ns);
  } else {
    fail_with(slot, status);
  }
  if (!has_failed_.load(std::memory_order_relaxed) && begun_.fetch_add(1, std::memory_order_relaxed) < to_begin_) {
    begin(slot, now_ns);
  } else {
    leave();
  }
}

void Flight::record(std::uint64_t index, std::int64_t latency_ns, std::int64_t now_ns) {
  const std::uint64_t repetition = index / inferences_;
  const std::uint64_t position = index % inferences_;
  const std::uint32_t stride = latency_stride(inferences_);
  if (position % stride == 0) {
    const std::uint64_t place = repetition * latency_count(inferences_) + position / stride;
    if (place < latencies_ns_.size()) latencies_ns_[place] = latency_ns;
  }
  if (position + 1 < inferences_) return;
  times_.walls_ns[repetition] = now_ns;  // the end, until the call has ended
  target_.done->repetitions.fetch_add(1, std::memory_order_relaxed);
  target_.done->inferences.fetch_add(inferences_, std::memory_order_relaxed);
}

void Flight::fail_with(std::uint32_t slot, ngb_status status) {
  if (has_failed_.exchange(true)) return;
  failed_slot_ = slot;
  failure_ = status;
}

// The last one to leave ends the call.
void Flight::leave() {
  if (flying_.fetch_sub(1, std::memory_order_acq_rel) == 1) flying_.notify_one();
}

std::size_t Flight::run_repetitions(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns,
                                    ngb_status* status) {
  times_ = times;
  latencies_ns_ = latencies_ns;
  inferences_ = inferences;
  wanted_ = std::uint64_t{inferences} * times.walls_ns.size();
  to_begin_ = wanted_ + slots() - 1;
  begun_ = slots();
  ended_ = 0;
  flying_ = slots();
  has_failed_ = false;
  failure_ = NGB_OK;
  const std::int64_t begin_ns = now_ns();
  for (std::uint32_t slot = 0; slot < slots(); ++slot) begin(slot, now_ns());
  for (std::uint32_t flying = flying_.load(std::memory_order_acquire); flying != 0;
       flying = flying_.load(std::memory_order_acquire)) {
    flying_.wait(flying, std::memory_order_acquire);
  }
  const std::size_t done = finish(status);
  std::int64_t previous_ns = begin_ns;
  for (std::size_t i = 0; i < done; ++i) {
    // Two threads may read the clock in one order and be counted in the other.
    const std::int64_t end_ns = std::max(times.walls_ns[i], previous_ns + 1);
    times.begins_ns[i] = previous_ns;
    times.walls_ns[i] = end_ns - previous_ns;
    previous_ns = end_ns;
  }
  return done;
}

// Returns the number of complete repetitions, and says in *status what failed.
std::size_t Flight::finish(ngb_status* status) {
  for (std::uint32_t slot = 0; slot < slots() && !has_failed_; ++slot) {
    const ngb_status ended = target_.compiler->finish(target_.session, slot, &errors_[slot]);
    if (ended == NGB_OK) continue;
    fail_with(slot, ended);
    ended_ = 0;  // which inferences failed is not known
  }
  *status = failure_;
  if (failure_ != NGB_OK) *target_.error = errors_[failed_slot_];
  return static_cast<std::size_t>(std::min(ended_.load(), wanted_) / inferences_);
}

}  // namespace ngb::worker

// SPDX-License-Identifier: Apache-2.0
// Lanes runs inferences of a library that has no asynchronous ones: each lane is a thread with a session of its own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ngraphbench/compiler.h"

namespace ngb::plugin {

class Lanes {
 public:
  // Runs one inference in a lane, on that lane's thread. It does not throw.
  using Run = std::function<ngb_status(std::size_t lane, ngb_error* error)>;

  // Starts the threads. Slot s belongs to lane s % lanes; a lane runs its slots' inferences one after the other.
  Lanes(std::size_t lanes, std::size_t slots, const Run& run) {
    for (std::size_t i = 0; i < lanes; ++i) lanes_.push_back(std::make_unique<Lane>(slots));
    for (std::size_t i = 0; i < lanes; ++i) {
      lanes_[i]->thread = std::thread([this, i, run] { work(*lanes_[i], i, run); });
    }
  }
  // Precondition: nothing is in flight.
  ~Lanes() {
    for (const auto& lane : lanes_) {
      const std::scoped_lock lock(lane->mutex);
      lane->is_ending = true;
      lane->wakes.notify_one();
    }
    for (const auto& lane : lanes_) lane->thread.join();
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  void start(std::uint32_t slot, ngb_completed completed, void* context, ngb_error* error) {
    Lane& lane = *lanes_[slot % lanes_.size()];
    const std::scoped_lock lock(lane.mutex);
    lane.queue[(lane.first + lane.count) % lane.queue.size()] = {slot, completed, context, error};
    if (++lane.count == 1) lane.wakes.notify_one();
  }

 private:
  struct Inference {
    std::uint32_t slot = 0;
    ngb_completed completed = nullptr;
    void* context = nullptr;
    ngb_error* error = nullptr;
  };
  struct Lane {
    explicit Lane(std::size_t slots) : queue(slots) {}
    std::mutex mutex;
    std::condition_variable wakes;
    std::vector<Inference> queue;  // a ring
    std::size_t first = 0;
    std::size_t count = 0;
    bool is_ending = false;
    std::thread thread;
  };

  static bool take(Lane& lane, Inference& next) {
    std::unique_lock lock(lane.mutex);
    lane.wakes.wait(lock, [&] { return lane.count > 0 || lane.is_ending; });
    if (lane.count == 0) return false;
    next = lane.queue[lane.first];
    lane.first = (lane.first + 1) % lane.queue.size();
    --lane.count;
    return true;
  }
  static void work(Lane& lane, std::size_t index, const Run& run) {
    for (Inference next; take(lane, next);) next.completed(next.context, next.slot, run(index, next.error));
  }

  std::vector<std::unique_ptr<Lane>> lanes_;
};

// Returns the threads of one of `lanes` lanes that share `threads`: their shares differ by at most one.
inline int share_of(std::size_t lane, std::size_t lanes, int threads) {
  const auto all = static_cast<std::size_t>(threads);
  return static_cast<int>(all / lanes + (lane < all % lanes ? 1 : 0));
}

}  // namespace ngb::plugin

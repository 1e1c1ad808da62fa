// SPDX-License-Identifier: Apache-2.0
// Threads that keep what their work throws: an exception that leaves a bare std::thread ends the program. All of
// NGraphBench's threads are started here.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

namespace ngb {

class Thread {
 public:
  Thread() = default;
  // Throws std::system_error if no thread can be started.
  explicit Thread(std::function<void()> work);
  // Waits until the work has ended; what it threw is lost if nobody called `join`.
  ~Thread() = default;
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread other) noexcept {
    thrown_.swap(other.thrown_);
    thread_.swap(other.thread_);
    return *this;
  }

  [[nodiscard]] bool joinable() const { return thread_.joinable(); }
  // Waits until the work has ended, and throws what it threw.
  void join();

 private:
  std::unique_ptr<std::exception_ptr> thrown_{};
  std::jthread thread_{};
};

// Calls work(0), work(1), … work(count - 1) side by side, the first on the caller's thread. If no more threads can be
// started, those that are left run on the caller's, one after the other. Returns when all have ended, or throws what
// the first of them in this order threw.
void run_side_by_side(std::size_t count, const std::function<void(std::size_t index)>& work);

}  // namespace ngb

// SPDX-License-Identifier: Apache-2.0
// The clocks of the project. Code that decides by time takes a Clock, so that tests can pass their own.
#pragma once

#include <chrono>
#include <cstdint>

namespace ngb {

using Nanoseconds = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  // Returns a monotonic time since an arbitrary start.
  [[nodiscard]] virtual Nanoseconds now() const = 0;
  // Returns the wall clock since the Unix epoch, which may jump. It dates results and never measures a duration.
  [[nodiscard]] virtual Nanoseconds unix_now() const = 0;
};

// Returns the clock that reads CLOCK_MONOTONIC and CLOCK_REALTIME of this machine.
const Clock& system_clock();

// FakeClock moves only when advance() is called.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override { return now_; }
  [[nodiscard]] Nanoseconds unix_now() const override { return now_; }
  void advance(Nanoseconds by) { now_ += by; }

 private:
  Nanoseconds now_{0};
};

}  // namespace ngb

// SPDX-License-Identifier: Apache-2.0
// Waits for a quiet machine before a disturbed process is measured again. The repetition follows soon in any case, so
// that the processes of a round stay neighbours in time. Reads no clock.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "probe/contention.h"

namespace ngb::agent {

class QuietWait {
 public:
  // `cpus`: the processors of the next worker, none of which has work of ours now. They are quiet when other programs
  // use at most `busy_ratio` of their time. The wait ends after `patience` in any case.
  QuietWait(const std::vector<int>& cpus, double busy_ratio, Nanoseconds now, Nanoseconds patience,
            const std::string& root = "/");

  // Called once a second.
  void look(Nanoseconds now);
  [[nodiscard]] bool is_over(Nanoseconds now) const { return is_quiet_ || now >= end_; }
  [[nodiscard]] Nanoseconds end() const { return end_; }
  // Returns for what it waits: "waits for a quiet machine: other programs use 48 % of 2 processors".
  [[nodiscard]] std::string text() const;

 private:
  probe::ContentionMeter meter_;
  probe::Counters last_;
  std::size_t cpus_;
  double busy_ratio_;
  Nanoseconds last_look_;
  Nanoseconds end_;
  double busy_percent_ = 100;
  bool is_quiet_ = false;
};

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
// Causes faults on request, in the process and attempt that the worker names in NGB_PROCESS_INDEX and NGB_ATTEMPT.
#pragma once

#include <atomic>
#include <string>

#include "settings.h"

namespace ngb::null_compiler {

class Faults {
 public:
  explicit Faults(const Settings& settings);
  // Causes the fault if it is due in this phase.
  void strike(const std::string& phase);
  // Causes the fault if it is due in an inference.
  void strike_in_run() {
    if (is_armed_) count_run();
  }
  // Depends on no phase, because outputs are read once.
  [[nodiscard]] bool outputs_are_wrong() const { return outputs_are_wrong_; }

 private:
  void count_run();

  std::string fault_;
  std::string phase_;
  bool is_armed_ = false;
  bool outputs_are_wrong_ = false;
  std::atomic<int> runs_{0};  // also of several inferences in flight
};

}  // namespace ngb::null_compiler

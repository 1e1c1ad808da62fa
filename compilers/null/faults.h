// SPDX-License-Identifier: Apache-2.0
// Things that go wrong when told to, in the process and attempt that the worker names in NGB_PROCESS_INDEX and
// NGB_ATTEMPT.
#pragma once

#include <string>

#include "settings.h"

namespace ngb::null_compiler {

class Faults {
 public:
  explicit Faults(const Settings& settings);
  // Does what is due in this phase, if anything.
  void strike(const std::string& phase);
  // In each inference.
  void strike_in_run() {
    if (is_armed_) count_run();
  }
  // Whatever the phase: outputs are read once.
  [[nodiscard]] bool outputs_are_wrong() const { return outputs_are_wrong_; }

 private:
  void count_run();

  std::string fault_;
  std::string phase_;
  bool is_armed_ = false;
  bool outputs_are_wrong_ = false;
  int runs_ = 0;
};

}  // namespace ngb::null_compiler

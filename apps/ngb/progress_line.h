// SPDX-License-Identifier: Apache-2.0
// What a running study says: one line that is redrawn on a terminal, a line per finished process elsewhere.
#pragma once

#include <cstdio>
#include <string>

#include "base/clock.h"

namespace ngb::app {

class ProgressLine {
 public:
  // `out` stays the caller's. `is_terminal`: redraw in place. `total`: processes of the run, `done` of them before now.
  ProgressLine(std::FILE* out, bool is_terminal, int total, int done, const Clock& clock);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // What runs now: "openvino 2026.4.1 · resnet18 batch 8 · process 3 · timed".
  void show(const std::string& doing);
  // One process more has ended; `line` says how ("resnet18 batch 8, openvino: 23.1 samples/s").
  void finish_process(const std::string& line);
  // A process that will not run (its cell failed).
  void skip_processes(int count) { total_ -= count; }
  // A message that stays.
  void say(const std::string& line);
  void clear();

  // "3 of 60 processes, 2 min left": from the mean of those that this run has finished.
  [[nodiscard]] std::string counts() const;

 private:
  std::FILE* out_;
  bool is_terminal_;
  int total_;
  int done_;
  int done_before_;
  const Clock* clock_;
  Nanoseconds started_;
  bool is_drawn_ = false;
};

}  // namespace ngb::app

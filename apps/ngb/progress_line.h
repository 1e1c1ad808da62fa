// SPDX-License-Identifier: Apache-2.0
// Prints the progress of a run: one line that is redrawn on a terminal; otherwise a line for each of the first five
// finished processes and for the last one, and between them at most one every ten seconds.
#pragma once

#include <cstdio>
#include <string>

#include "campaign/observer.h"

namespace ngb::app {

class ProgressLine {
 public:
  // The caller owns `out`. With `is_terminal` the line is redrawn in place. The run has `total` processes, of which
  // `done` ended before now. `seconds_left` estimates the time that is left. The clock must outlive the line.
  ProgressLine(std::FILE* out, bool is_terminal, int total, int done, campaign::SecondsLeft seconds_left,
               const Clock& clock = system_clock());
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows what runs now: "openvino 2026.4.1 · resnet18 batch 8 · process 3 · timed".
  void show(const std::string& doing);
  // Counts one more ended process; `line` is its result ("resnet18 batch 8, openvino: 23.1 samples/s").
  void finish_process(const std::string& line);
  // Removes processes that need not run, because their cell's rounds have decided enough, from the total.
  void skip_processes(int count) { total_ -= count; }
  // Counts processes that will not run, because their cell failed.
  void give_up_processes(int count) { given_up_ += count; }
  // From now on the line contains this, until it is replaced: "14 attempts disturbed".
  void note(std::string text);
  // Prints a message that is not redrawn.
  void say(const std::string& line);
  void clear();

  // Returns "3 of 60 processes, 2 min left" or "57 of 60 processes, 3 given up", with the note if there is one: " · 14
  // attempts disturbed".
  [[nodiscard]] std::string counts() const;

 private:
  [[nodiscard]] bool is_over() const { return done_ + given_up_ == total_; }
  [[nodiscard]] bool is_due() const;
  void write(const std::string& line);

  std::FILE* out_;
  bool is_terminal_;
  int total_;
  int done_;
  int given_up_ = 0;
  campaign::SecondsLeft seconds_left_;
  const Clock* clock_;
  std::string note_{};
  int lines_ = 0;  // written without a terminal
  Nanoseconds written_{0};
  bool is_drawn_ = false;
};

}  // namespace ngb::app

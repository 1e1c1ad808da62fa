// SPDX-License-Identifier: Apache-2.0
// Prints the progress of a run: one line that is redrawn on a terminal; otherwise a line for each of the first five
// finished processes and for the last one, and between them at most one every ten seconds, which says what happens.
#pragma once

#include <cstdio>
#include <string>

#include "campaign/observer.h"

namespace ngb::app {

class ProgressLine {
 public:
  enum class Detail {
    none,  // only what `say` is given
    usual,
    all  // a line for each process, also on a terminal
  };
  struct Form {
    bool is_terminal = false;  // the line is redrawn in place
    Detail detail = Detail::usual;
    bool may_end_early = false;  // the number of processes and the time left are bounds
  };
  // The caller owns `out`. The run has `total` processes, of which `done` ended before now. `seconds_left` estimates
  // the time that is left. The clock must outlive the line.
  ProgressLine(std::FILE* out, const Form& form, int total, int done, campaign::SecondsLeft seconds_left,
               const Clock& clock = system_clock());
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows what runs now: "resnet18 batch 8, openvino 2026.4.1: repetition 3 of 20".
  void show(const std::string& doing);
  // Called often: draws the line again when a second has passed, so that its times move.
  void tick();
  // Counts one more ended process, with its result: as a line of its own ("resnet18 batch 8, openvino: 23.1
  // samples/s"), and as the line that is redrawn has it, which may be cut ("openvino: 23.1 samples/s · resnet18 batch
  // 8").
  void finish_process(const std::string& line, const std::string& redrawn);
  // Removes processes that need not run, because their cell's rounds have decided enough, from the total.
  void skip_processes(int count) { total_ -= count; }
  // Counts processes that will not run, because their cell failed.
  void give_up_processes(int count) { given_up_ += count; }
  // From now on the line contains this, until it is replaced: "14 attempts disturbed".
  void note(std::string text);
  // Prints a message that is not redrawn.
  void say(const std::string& line);
  void clear();

  // Returns "3 of 60 processes, 2 min 00 s left after 9 s" or "57 of at most 60 processes, 3 given up".
  [[nodiscard]] std::string counts() const;

 private:
  [[nodiscard]] bool is_over() const { return done_ + given_up_ == total_; }
  [[nodiscard]] double elapsed_s() const;
  [[nodiscard]] std::optional<double> left_s() const;
  // Returns "[####------] " for the share of the time, or of the processes while that is not known.
  [[nodiscard]] std::string bar() const;
  [[nodiscard]] std::string with_note() const;  // the counts
  // Returns the counts for a narrow terminal: "3/60 in 0:09, 2:00 left".
  [[nodiscard]] std::string short_counts() const;
  // Returns a line that fits. It has what is being done, the note and the last result; if these are too long together,
  // it shows each of them for some seconds.
  [[nodiscard]] std::string line_of(std::size_t columns) const;
  [[nodiscard]] bool is_due() const;
  void draw_line();
  void write(const std::string& line);

  std::FILE* out_;
  Form form_;
  int total_;
  int done_;
  int given_up_ = 0;
  campaign::SecondsLeft seconds_left_;
  const Clock* clock_;
  Nanoseconds begun_;
  std::string note_{};
  std::string doing_{};
  std::string last_{};   // result
  int lines_ = 0;        // written without a terminal
  Nanoseconds written_;  // when a line was, or drawn
  bool is_drawn_ = false;
};

}  // namespace ngb::app

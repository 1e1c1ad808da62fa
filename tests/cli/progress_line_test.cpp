// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/progress_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace ngb::app {
namespace {

// What was written to a FILE* in memory.
class Captured {
 public:
  Captured() : file_(std::tmpfile()) {}
  ~Captured() { std::fclose(file_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::string text() const {
    std::rewind(file_);
    std::string all(1000, '\0');
    all.resize(std::fread(all.data(), 1, all.size(), file_));
    return all;
  }

 private:
  std::FILE* file_;
};

TEST(ProgressLine, AsksForTheTimeLeftEachTimeAndNotForAFinishedRun) {
  double left_s = 300;
  const Captured out;
  ProgressLine line(out.file(), false, 60, 58, [&left_s] { return left_s; });
  EXPECT_EQ(line.counts(), "58 of 60 processes, 5 min 00 s left");
  left_s = 288;
  line.finish_process("a");
  EXPECT_EQ(line.counts(), "59 of 60 processes, 4 min 48 s left");
  line.skip_processes(1);
  EXPECT_EQ(line.counts(), "59 of 59 processes");
}

TEST(ProgressLine, CountsProcessesOfFailedCellsAsGivenUp) {
  const Captured out;
  ProgressLine line(out.file(), false, 60, 57, [] { return 3.0; });
  line.give_up_processes(2);
  EXPECT_EQ(line.counts(), "57 of 60 processes, 2 given up, 3.0 s left");
  line.give_up_processes(1);
  EXPECT_EQ(line.counts(), "57 of 60 processes, 3 given up");
}

TEST(ProgressLine, WritesPlainLinesWithoutATerminal) {
  const Captured out;
  {
    ProgressLine line(out.file(), false, 2, 0, [] { return 3.0; });
    line.show("not shown");
    line.finish_process("resnet18 batch 1, openvino: 23.1 samples/s");
    line.finish_process("resnet18 batch 1, identity: 8.6 samples/s");
  }
  EXPECT_EQ(out.text(),
            "1 of 2 processes, 3.0 s left · resnet18 batch 1, openvino: 23.1 samples/s\n"
            "2 of 2 processes · resnet18 batch 1, identity: 8.6 samples/s\n");
}

TEST(ProgressLine, WithoutATerminalIsWrittenAtMostEveryTenSecondsAfterTheFirstFive) {
  const Captured out;
  FakeClock clock;
  const auto unknown = [] { return std::optional<double>(); };
  ProgressLine line(out.file(), false, 40, 0, unknown, clock);
  for (int i = 0; i < 40; ++i) {  // one each second
    clock.advance(std::chrono::seconds(1));
    if (i == 30) line.note("3 attempts disturbed");
    line.finish_process("a");
  }
  EXPECT_EQ(out.text(),
            "1 of 40 processes · a\n2 of 40 processes · a\n3 of 40 processes · a\n4 of 40 processes · a\n"
            "5 of 40 processes · a\n15 of 40 processes · a\n25 of 40 processes · a\n"
            "35 of 40 processes · 3 attempts disturbed · a\n40 of 40 processes · 3 attempts disturbed · a\n");
}

TEST(ProgressLine, TellsWhatDisturbsWhileNothingIsFinished) {
  const Captured out;
  FakeClock clock;
  ProgressLine line(out.file(), false, 2, 0, [] { return std::optional<double>(); }, clock);
  for (int i = 1; i <= 21; ++i) {  // one each second
    clock.advance(std::chrono::seconds(1));
    line.note(std::to_string(i) + " disturbed");
  }
  EXPECT_EQ(out.text(),
            "0 of 2 processes · 1 disturbed\n0 of 2 processes · 11 disturbed\n0 of 2 processes · 21 disturbed\n");
}

TEST(ProgressLine, ErasesItselfBeforeAMessage) {
  const Captured out;
  {
    ProgressLine line(out.file(), true, 2, 0, [] { return 60.0; });
    line.show("openvino");
    line.say("a message");
  }
  EXPECT_EQ(out.text(), "\r\x1b[2K0 of 2 processes, 1 min 00 s left · openvino\r\x1b[2Ka message\n");
}

}  // namespace
}  // namespace ngb::app

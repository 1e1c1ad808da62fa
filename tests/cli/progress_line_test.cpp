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

constexpr ProgressLine::Form kTerminal{.is_terminal = true};
const std::string kErase = "\r\x1b[2K";

TEST(ProgressLine, AsksForTheTimeLeftEachTimeAndNotForAFinishedRun) {
  double left_s = 300;
  const Captured out;
  ProgressLine line(out.file(), {}, 60, 58, [&left_s] { return left_s; });
  EXPECT_EQ(line.counts(), "58 of 60 processes, 5 min 00 s left");
  left_s = 288;
  line.finish_process("a", "a");
  EXPECT_EQ(line.counts(), "59 of 60 processes, 4 min 48 s left");
  line.skip_processes(1);
  EXPECT_EQ(line.counts(), "59 of 59 processes");
}

TEST(ProgressLine, CountsProcessesOfFailedCellsAsGivenUp) {
  const Captured out;
  ProgressLine line(out.file(), {}, 60, 57, [] { return 3.0; });
  line.give_up_processes(2);
  EXPECT_EQ(line.counts(), "57 of 60 processes, 2 given up, 3.0 s left");
  line.give_up_processes(1);
  EXPECT_EQ(line.counts(), "57 of 60 processes, 3 given up");
}

TEST(ProgressLine, WritesPlainLinesWithoutATerminal) {
  const Captured out;
  {
    ProgressLine line(out.file(), {}, 2, 0, [] { return 3.0; });
    line.show("not shown");
    line.finish_process("resnet18 batch 1, openvino: 23.1 samples/s", "resnet18 batch 1, openvino: 23.1 samples/s");
    line.finish_process("resnet18 batch 1, identity: 8.6 samples/s", "resnet18 batch 1, identity: 8.6 samples/s");
  }
  EXPECT_EQ(out.text(),
            "1 of 2 processes, 3.0 s left · resnet18 batch 1, openvino: 23.1 samples/s\n"
            "2 of 2 processes · resnet18 batch 1, identity: 8.6 samples/s\n");
}

TEST(ProgressLine, WithoutATerminalIsWrittenAtMostEveryTenSecondsAfterTheFirstFive) {
  const Captured out;
  FakeClock clock;
  const auto unknown = [] { return std::optional<double>(); };
  ProgressLine line(out.file(), {}, 40, 0, unknown, clock);
  for (int i = 0; i < 40; ++i) {  // one each second
    clock.advance(std::chrono::seconds(1));
    if (i == 30) line.note("3 attempts disturbed");
    line.finish_process("a", "a");
  }
  EXPECT_EQ(out.text(),
            "1 of 40 processes after 1 s · a\n2 of 40 processes after 2 s · a\n3 of 40 processes after 3 s · a\n"
            "4 of 40 processes after 4 s · a\n5 of 40 processes after 5 s · a\n15 of 40 processes after 15 s · a\n"
            "25 of 40 processes after 25 s · a\n35 of 40 processes after 35 s · 3 attempts disturbed · a\n"
            "40 of 40 processes after 40 s · 3 attempts disturbed · a\n");
}

TEST(ProgressLine, TellsWhatDisturbsWhileNothingIsFinished) {
  const Captured out;
  FakeClock clock;
  ProgressLine line(out.file(), {}, 2, 0, [] { return std::optional<double>(); }, clock);
  for (int i = 1; i <= 21; ++i) {  // one each second
    clock.advance(std::chrono::seconds(1));
    line.note(std::to_string(i) + " disturbed");
  }
  EXPECT_EQ(out.text(),
            "0 of 2 processes after 1 s · 1 disturbed\n0 of 2 processes after 11 s · 11 disturbed\n"
            "0 of 2 processes after 21 s · 21 disturbed\n");
}

TEST(ProgressLine, SaysWhatItDoesWhileNothingIsFinished) {
  const Captured out;
  FakeClock clock;
  ProgressLine line(out.file(), {}, 2, 0, [] { return std::optional<double>(); }, clock);
  for (int i = 1; i <= 21; ++i) {  // one each second
    clock.advance(std::chrono::seconds(1));
    line.show("reference outputs of resnet18 batch 1");
  }
  EXPECT_EQ(out.text(),
            "0 of 2 processes after 10 s · reference outputs of resnet18 batch 1\n"
            "0 of 2 processes after 20 s · reference outputs of resnet18 batch 1\n");
}

TEST(ProgressLine, CallsNumbersBoundsWhereRoundsMayEndEarly) {
  const Captured out;
  FakeClock clock;
  ProgressLine line(out.file(), {.may_end_early = true}, 60, 3, [] { return 90.0; }, clock);
  clock.advance(std::chrono::seconds(75));
  EXPECT_EQ(line.counts(), "3 of at most 60 processes, at most 1 min 30 s left after 1 min 15 s");
  line.skip_processes(57);
  EXPECT_EQ(line.counts(), "3 of 3 processes after 1 min 15 s");
}

TEST(ProgressLine, MovesBetweenEventsOnATerminal) {
  const Captured out;
  FakeClock clock;
  double left_s = 30;
  ProgressLine line(out.file(), kTerminal, 4, 1, [&left_s] { return left_s; }, clock);
  line.tick();
  EXPECT_EQ(out.text(), "") << "there is nothing to show yet";
  line.show("compiling");
  clock.advance(std::chrono::milliseconds(300));
  line.tick();
  clock.advance(std::chrono::milliseconds(9700));
  left_s = 20;
  line.tick();
  EXPECT_EQ(out.text(), kErase + "[----------] 1 of 4 processes, 30.0 s left · compiling" + kErase +
                            "[###-------] 1 of 4 processes, 20.0 s left after 10 s · compiling");
}

TEST(ProgressLine, ShowsWhatIsDoneAndTheLastResultByTurnsWhereBothDoNotFit) {
  const Captured out;  // no terminal has a width of its own here: 79 columns
  FakeClock clock;
  ProgressLine line(out.file(), kTerminal, 4, 0, [] { return std::optional<double>(); }, clock);
  line.finish_process("mlp batch 1, openvino: 30.9 samples/s", "openvino: 30.9 samples/s · mlp batch 1");
  line.show("starting (process 1) · mlp batch 1, identity");
  clock.advance(std::chrono::seconds(4));
  line.show("starting (process 1) · mlp batch 1, identity");
  EXPECT_EQ(out.text(), kErase + "[##--------] 1 of 4 processes · starting (process 1) · mlp batch 1, identity" +
                            kErase + "1/4 in 0:04 · last: openvino: 30.9 samples/s · mlp batch 1");
}

TEST(ProgressLine, IsShorterWhereLittleElseWouldFit) {
  const Captured out;
  FakeClock clock;
  ProgressLine line(out.file(), {.is_terminal = true, .may_end_early = true}, 60, 3, [] { return 90.0; }, clock);
  clock.advance(std::chrono::seconds(3605));
  line.show("compiling · resnet18");
  line.show("repetition 11 of 20 (process 2) · resnet18 batch 8, openvino 2026.4.1");
  EXPECT_EQ(out.text(), kErase + "3/≤60 in 1:00:05, ≤1:30 left · compiling · resnet18" + kErase +
                            "3/≤60 in 1:00:05, ≤1:30 left · repetition 11 of 20 (process 2) · resnet18 batch");
}

TEST(ProgressLine, OfOneWhoWantsEachProcessHasALineForEach) {
  const Captured out;
  FakeClock clock;
  ProgressLine line(
      out.file(), {.detail = ProgressLine::Detail::all}, 8, 0, [] { return std::optional<double>(); }, clock);
  for (const char* each : {"a", "b", "c", "d", "e", "f", "g"}) line.finish_process(each, each);
  EXPECT_TRUE(out.text().ends_with("6 of 8 processes · f\n7 of 8 processes · g\n")) << out.text();
}

TEST(ProgressLine, OfOneWhoWantsNoneSaysWhatIsWrongAlone) {
  const Captured out;
  {
    ProgressLine line(out.file(), {.is_terminal = true, .detail = ProgressLine::Detail::none}, 2, 0,
                      [] { return 60.0; });
    line.show("openvino");
    line.finish_process("a", "a");
    line.note("1 attempt disturbed");
    line.say("a message");
  }
  EXPECT_EQ(out.text(), "a message\n");
}

TEST(ProgressLine, ErasesItselfBeforeAMessage) {
  const Captured out;
  {
    ProgressLine line(out.file(), kTerminal, 2, 0, [] { return 60.0; });
    line.show("openvino");
    line.say("a message");
  }
  EXPECT_EQ(out.text(), kErase + "[----------] 0 of 2 processes, 1 min 00 s left · openvino" + kErase + "a message\n");
}

}  // namespace
}  // namespace ngb::app

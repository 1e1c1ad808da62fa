// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/progress_line.h"

#include <gtest/gtest.h>

namespace ngb::app {
namespace {

using std::chrono::seconds;

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

TEST(ProgressLine, EstimatesTheTimeLeftFromTheMeanOfThisRunsProcesses) {
  FakeClock clock;
  const Captured out;
  ProgressLine line(out.file(), false, 60, 10, clock);
  EXPECT_EQ(line.counts(), "10 of 60 processes");
  clock.advance(seconds(8));
  line.finish_process("a");
  clock.advance(seconds(4));
  line.finish_process("b");
  EXPECT_EQ(line.counts(), "12 of 60 processes, 4 min 48 s left");  // 12 s for 2, 48 to go
}

TEST(ProgressLine, WritesPlainLinesWithoutATerminal) {
  FakeClock clock;
  const Captured out;
  {
    ProgressLine line(out.file(), false, 2, 0, clock);
    line.show("not shown");
    clock.advance(seconds(3));
    line.finish_process("resnet18 batch 1, openvino: 23.1 samples/s");
    line.finish_process("resnet18 batch 1, identity: 8.6 samples/s");
  }
  EXPECT_EQ(out.text(),
            "1 of 2 processes, 3.0 s left · resnet18 batch 1, openvino: 23.1 samples/s\n"
            "2 of 2 processes · resnet18 batch 1, identity: 8.6 samples/s\n");
}

TEST(ProgressLine, ErasesItselfBeforeAMessage) {
  FakeClock clock;
  const Captured out;
  {
    ProgressLine line(out.file(), true, 2, 0, clock);
    line.show("openvino");
    line.say("a message");
  }
  EXPECT_EQ(out.text(), "\r\x1b[2K0 of 2 processes · openvino\r\x1b[2Ka message\n");
}

}  // namespace
}  // namespace ngb::app

// SPDX-License-Identifier: Apache-2.0
#include "campaign/durations_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::campaign {
namespace {

plan::MeasuredProcess process(const std::string& model, double start_s) {
  return {{.device = "here", .compiler = "null", .options = "[]", .precision = "f32", .model = model},
          {.start_s = start_s, .compile_s = 2, .tuning_s = 0, .inference_s = 0.1, .warming_s = 0}};
}

TEST(DurationsFile, ReturnsWhatWasAppendedByOneProgramAfterAnother) {
  const TemporaryFolder folder;
  const DurationsFile file(folder.path() / "durations.jsonl");
  EXPECT_FALSE(file.read().find(process("a", 0).like)) << "there is no file yet";
  ASSERT_TRUE(file.append(std::vector{process("a", 1), process("b", 5)}));
  ASSERT_TRUE(DurationsFile(folder.path() / "durations.jsonl").append(std::vector{process("a", 3)}));
  ASSERT_TRUE(file.append(plan::MeasuredStudy{.device = "here", .study = "s", .between_s = 7, .groups = 2}));
  const plan::Durations durations = file.read();
  EXPECT_DOUBLE_EQ(durations.find(process("a", 0).like)->time.start_s, 2);  // the mean of 1 and 3
  EXPECT_DOUBLE_EQ(durations.find(process("b", 0).like)->time.start_s, 5);
  EXPECT_DOUBLE_EQ(durations.between_s({.device = "here", .study = "s", .groups = 2}, 1), 7);
  EXPECT_DOUBLE_EQ(durations.between_s({.device = "here", .study = "other", .groups = 4}, 1), 14);
}

TEST(DurationsFile, SkipsTornAndForeignLinesAndTimesThatAreNone) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "durations.jsonl";
  const DurationsFile file(path);
  ASSERT_TRUE(file.append(std::vector{process("a", 1)}));
  const std::string whole = file::read(path).value();
  std::ofstream(path, std::ios::app) << whole.substr(0, whole.size() / 2);  // its program was killed
  ASSERT_TRUE(file.append(std::vector{process("b", 1)}));
  std::ofstream(path, std::ios::app) << "\n[1, 2]\n{}\n\x00\xff\n{\"type\": \"process\"}\n";
  ASSERT_TRUE(file.append(std::vector{process("c", -1), process("d", 1e300)}));
  const plan::Durations durations = file.read();
  for (const char* const model : {"a", "b"}) {
    EXPECT_EQ(durations.find(process(model, 0).like)->processes.size(), 1U) << model;
  }
  for (const char* const model : {"c", "d"}) EXPECT_FALSE(durations.find(process(model, 0).like)) << model;
}

TEST(DurationsFile, DropsItsOlderHalfWhenItIsFull) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "durations.jsonl";
  const DurationsFile file(path, 20'000);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(file.append(std::vector{process(std::to_string(i), 1)}));
    ASSERT_LT(std::filesystem::file_size(path), 21'000U);
  }
  const plan::Durations durations = file.read();
  EXPECT_FALSE(durations.find(process("0", 0).like));
  for (int i = 180; i < 200; ++i) EXPECT_TRUE(durations.find(process(std::to_string(i), 0).like)) << i;
}

TEST(DurationsFile, KeepsTheLinesOfProgramsThatAppendAtTheSameTime) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "durations.jsonl";
  std::vector<std::thread> programs;
  for (int program = 0; program < 4; ++program) {
    programs.emplace_back([&path, program] {
      const DurationsFile file(path);
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(file.append(std::vector{process(std::to_string(program * 50 + i), 1)}));
      }
    });
  }
  for (std::thread& program : programs) program.join();
  const plan::Durations durations = DurationsFile(path).read();
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(durations.find(process(std::to_string(i), 0).like)) << i;
}

TEST(DurationsFile, ThatCannotBeWrittenIsAnErrorAndOneWithoutAPathIsNone) {
  EXPECT_FALSE(DurationsFile("/nowhere/durations.jsonl").append(std::vector{process("a", 1)}));
  EXPECT_TRUE(DurationsFile({}).append(std::vector{process("a", 1)}));
  EXPECT_FALSE(DurationsFile({}).read().find(process("a", 1).like));
}

TEST(DurationsFile, SplitsTheTimeOfAProcess) {
  using samples::Phase;
  samples::ProcessResult result;
  result.wall_ns = 100'000'000'000;
  const auto use = [](Phase phase, std::int64_t seconds) {
    return samples::PhaseUse{phase, seconds * 1'000'000'000, {}, {}};
  };
  result.phases = {use(Phase::open, 1), use(Phase::compile, 60), use(Phase::check, 1), use(Phase::warm_up, 5),
                   use(Phase::timed, 21)};
  result.repetitions = {{5'000'000'000, 1, true}, {8'000'000'000, 4, false}, {12'000'000'000, 4, false}};
  result.facts["tuning_seconds_here"] = "45.0";
  plan::ProcessTime time = time_of(result, {});
  EXPECT_DOUBLE_EQ(time.start_s, 14);  // 100 - 60 - 5 - 21
  EXPECT_DOUBLE_EQ(time.compile_s.value(), 15);
  EXPECT_FALSE(time.load_s);
  EXPECT_DOUBLE_EQ(time.tuning_s, 45);
  EXPECT_DOUBLE_EQ(time.inference_s, 2.5);
  EXPECT_DOUBLE_EQ(time.warming_s, 6);
  result.phases[1].phase = Phase::load;
  result.facts.clear();
  time = time_of(result, {});
  EXPECT_DOUBLE_EQ(time.load_s.value(), 60);
  EXPECT_FALSE(time.compile_s);
}

TEST(DurationsFile, LeavesOutWhatOnlyTheFirstProcessOfACellDoes) {
  using samples::Phase;
  samples::ProcessResult result;
  result.wall_ns = 10'000'000'000;
  result.phases = {{Phase::open, 1'000'000'000, {}, {}},
                   {Phase::compile, 2'000'000'000, {}, {}},
                   {Phase::timed, 1'000'000'000, {}, {}},
                   {Phase::alone, 1'000'000'000, {}, {}}};
  // Out of turn for 1 s, then 5 % of five such processes and a quarter of that with the other allocator.
  EXPECT_DOUBLE_EQ(again_s(result, {.processes = 5}), 10 - 1 - 1.25 * 1.25);
  EXPECT_DOUBLE_EQ(time_of(result, {.processes = 5}).start_s, 10 - 1 - 1.25 * 1.25 - 2 - 1);
  result.process_index = 1;
  EXPECT_DOUBLE_EQ(again_s(result, {.processes = 5}), 10);
}

}  // namespace
}  // namespace ngb::campaign

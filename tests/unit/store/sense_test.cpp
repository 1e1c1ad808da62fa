// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "made_up.h"

namespace ngb::store {
namespace {

using made_up::Folder;
using samples::ProcessResult;
using testing::HasSubstr;

class Nonsense : public testing::Test {
 protected:
  void SetUp() override { run_ = store_.begin_run(made_up::plan(), 7).value(); }

  // Returns why an event is refused, and checks that nothing of it was recorded.
  std::string refusal(const decltype(samples::Event::body)& body) {
    const Status refused = store_.record(run_, "local", {1, body});
    EXPECT_EQ(store_.last_sequence(run_, "local").value(), 0U);
    EXPECT_TRUE(store_.flush());
    EXPECT_TRUE(store_.load_cells().value()[0].processes.empty());
    return refused ? "it was recorded" : refused.error().what;
  }
  std::string refusal_of(const std::function<void(ProcessResult&)>& change) {
    ProcessResult process = made_up::process("aa", 0);
    change(process);
    return refusal(process);
  }

  Folder folder_;
  Store store_ = std::move(*Store::open(folder_.results(), Mode::read_write));
  std::string run_;
};

TEST_F(Nonsense, OfIndicesAndAttemptsIsRefused) {
  EXPECT_EQ(
      refusal_of([](auto& p) { p.process_index = -5; }),
      "local sent an event that cannot be true, and it was not recorded: process -5 of cell aa: process_index is -5, "
      "expected 0 to 1");
  EXPECT_THAT(refusal_of([](auto& p) { p.process_index = 2; }), HasSubstr("process_index is 2, expected 0 to 1"));
  EXPECT_THAT(refusal_of([](auto& p) { p.attempt = 0; }), HasSubstr("attempt is 0, expected 1 to 3"));
  EXPECT_THAT(refusal_of([](auto& p) { p.attempt = 4; }), HasSubstr("attempt is 4, expected 1 to 3"));
}

TEST_F(Nonsense, OfTimesIsRefused) {
  EXPECT_THAT(refusal_of([](auto& p) { p.wall_ns = 0; }), HasSubstr("wall_ns is 0, expected 1 to"));
  EXPECT_THAT(refusal_of([](auto& p) { p.started_unix_ns = -1; }), HasSubstr("started_unix_ns is -1, expected 0 to"));
  EXPECT_THAT(refusal_of([](auto& p) { p.phases[0].wall_ns = -1; }),
              HasSubstr("wall_ns of start is -1, expected 0 to"));
  EXPECT_THAT(refusal_of([](auto& p) { p.phases[0].cpu_ns = Known<std::int64_t>::of(-1); }),
              HasSubstr("cpu_ns of start is -1"));
  EXPECT_THAT(refusal_of([](auto& p) { p.phases[1].started_ns = -1; }), HasSubstr("started_ns of timed is -1"));
  EXPECT_THAT(refusal_of([](auto& p) { p.repetitions[1].started_ns = -1; }),
              HasSubstr("repetitions: started_ns is -1"));
  EXPECT_THAT(refusal_of([](auto& p) { p.readings[2].at_ns = -1; }), HasSubstr("readings: at_ns is -1"));
  EXPECT_THAT(refusal_of([](auto& p) { p.neighbours = {{"x", 0, 1}}; }), HasSubstr("neighbours: pid is 0"));
  EXPECT_THAT(refusal_of([](auto& p) { p.repetitions[1].wall_ns = -7; }),
              HasSubstr("repetitions: wall_ns is -7, expected 1 to"));
}

TEST_F(Nonsense, OfCountsIsRefused) {
  EXPECT_THAT(refusal_of([](auto& p) { p.repetitions[1].inferences = 0; }),
              HasSubstr("repetitions: inferences is 0, expected 1 to"));
  EXPECT_THAT(refusal_of([](auto& p) { p.repetitions.clear(); }), HasSubstr("repetitions is \"empty\""));
  EXPECT_THAT(refusal_of([](auto& p) { p.threads_used = Known<int>::of(-1); }), HasSubstr("threads_used is -1"));
  EXPECT_THAT(refusal_of([](auto& p) {
                p.phases[0].peak_rss_bytes = Known<std::uint64_t>::of(std::numeric_limits<std::uint64_t>::max());
              }),
              HasSubstr("peak_rss_bytes of start is 18446744073709551615"));
  EXPECT_THAT(refusal_of([](auto& p) { p.check->max_absolute_error = Known<double>::of(-1); }),
              HasSubstr("max_absolute_error is -1"));
}

TEST_F(Nonsense, OfWordsAndPathsIsRefused) {
  EXPECT_THAT(refusal_of([](auto& p) { p.stop_reason = "tired"; }),
              HasSubstr("stop_reason is \"tired\", expected one of"));
  EXPECT_THAT(refusal_of([](auto& p) { p.readings[0].moment = "later"; }),
              HasSubstr("moment is \"later\", expected one of: start, end, timed"));
  for (const char* path : {"../x", "/etc/passwd", "logs/../../x", "logs//x"}) {
    EXPECT_THAT(refusal_of([&](auto& p) { p.log_path = path; }), HasSubstr("expected a path below the work folder"));
  }
}

TEST_F(Nonsense, OfSizesIsRefused) {
  EXPECT_THAT(refusal_of([](auto& p) { p.facts["library"] = std::string(2'000'000, 'x'); }),
              HasSubstr("facts: library has a length of 2000000, expected at most 1048576"));
  EXPECT_THAT(refusal_of([](auto& p) { p.readings.resize(20'000, p.readings[0]); }),
              HasSubstr("readings has a length of 20000, expected at most 10000"));
  EXPECT_THAT(refusal_of([](auto& p) {
                p.failure = samples::Failure{};
                p.failure->message = std::string(2'000'000, 'x');
              }),
              HasSubstr("failure: message has a length of 2000000"));
}

TEST_F(Nonsense, OfModelsAndEnvironmentsIsRefused) {
  const std::string hash(64, 'a');
  EXPECT_THAT(refusal(samples::ModelWritten{{"m"}, "none", 1, 1}), HasSubstr("file_sha256 is \"none\""));
  EXPECT_THAT(refusal(samples::ModelWritten{{"m"}, hash, 0, 1}), HasSubstr("file_bytes is 0, expected 1 to"));
  samples::ModelWritten without_file{{"m"}, "", 0, 1};
  EXPECT_THAT(refusal(without_file), HasSubstr("file_sha256 is \"\""));
  without_file.no_file_reason = "no exporter can write it";
  without_file.exporter = "by hand";
  EXPECT_THAT(refusal(without_file), HasSubstr("exporter is \"by hand\", expected tracing, dynamo or none"));
  EXPECT_THAT(refusal(samples::ModelWritten{{"not planned"}, hash, 1, 1}),
              HasSubstr("this run has not planned this model for that device"));
  EXPECT_THAT(refusal(samples::ModelWritten{{"m"}, hash, 1, -1}), HasSubstr("wall_ns is -1, expected 0 to"));
  EXPECT_THAT(refusal(samples::Environment{{{"", "", Known<std::string>::of("x"), true}}}),
              HasSubstr("expected a name"));
}

TEST_F(Nonsense, OfACellOfAnotherRunIsRefused) {
  plan::Plan other = made_up::plan();
  other.cells.push_back(made_up::cell("ee", 0, 1));
  ASSERT_TRUE(store_.begin_run(other, 8));
  EXPECT_THAT(refusal(made_up::process("ee", 0)),
              HasSubstr("a cell that this run has not planned for that device: ee"));
}

TEST_F(Nonsense, OfAnEndWhileProcessesAreMissingIsRefused) {
  EXPECT_THAT(refusal(samples::Finished{}), HasSubstr("`finished`: 2 of 2 processes of cell aa are missing"));
  ASSERT_TRUE(store_.record(run_, "local", {1, made_up::crash("aa", 0, 1)}));  // not the last attempt
  EXPECT_FALSE(store_.record(run_, "local", {2, samples::Finished{}}));
  for (const samples::Event& event : made_up::ending(2, {"aa", "bb", "cc", "dd"})) {
    EXPECT_TRUE(store_.record(run_, "local", event));
  }
}

TEST_F(Nonsense, DoesNotIncludeTheFailureOfAWorkerThatNeverStarted) {
  ProcessResult none = made_up::crash("aa", 0, 2);
  none.failure->kind = samples::FailureKind::toolchain_missing;
  EXPECT_TRUE(store_.record(run_, "local", {1, none}));
}

}  // namespace
}  // namespace ngb::store

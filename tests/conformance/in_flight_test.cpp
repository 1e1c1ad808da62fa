// SPDX-License-Identifier: Apache-2.0
// Several inferences in flight: throughput of all and the latency of each, on the threads of one.
#include <algorithm>
#include <limits>

#include "worker_process.h"

#include <gtest/gtest.h>

namespace ngb::conformance {
namespace {

CompilerUnderTest newest_of(const std::string& name) {
  CompilerUnderTest found;
  for (const CompilerUnderTest& each : compilers_under_test()) {
    if (each.name == name) found = each;
  }
  return found;
}

WorkerRun run_in_flight(const CompilerUnderTest& compiler, std::optional<int> in_flight, int threads,
                        const work::Options& options = {}, int repetitions = 5) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(compiler, conv_model(), scratch);
  request.compiler.in_flight = in_flight;
  request.compiler.threads = threads;
  request.compiler.options = options;
  request.protocol.repetitions = repetitions;
  return run_worker(compiler, request);
}

class SeveralInFlight : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    compiler_ = newest_of(GetParam());
    if (const std::string missing = compiler_.missing(); !missing.empty()) GTEST_SKIP() << missing;
  }
  CompilerUnderTest compiler_;
};

TEST_P(SeveralInFlight, EachRepetitionHasAMultipleOfThemAndTheirLatencies) {
  const WorkerRun run = run_in_flight(compiler_, 3, 2);
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_EQ(run.result->facts.at("in_flight"), "3");
  const auto& repetitions = run.result->repetitions;
  const auto& latencies_ns = run.result->latencies_ns;
  ASSERT_EQ(latencies_ns.size(), repetitions.size());
  EXPECT_EQ(repetitions.front().inferences, 1U);  // the one whose outputs are checked runs alone
  EXPECT_TRUE(latencies_ns.front().empty());
  for (std::size_t i = 1; i < repetitions.size(); ++i) {
    EXPECT_EQ(repetitions[i].inferences % 3, 0U);
    EXPECT_FALSE(latencies_ns[i].empty());
    for (const std::int64_t latency_ns : latencies_ns[i]) EXPECT_GT(latency_ns, 0);
  }
}

TEST_P(SeveralInFlight, TheCompilerChoosesHowManyIfItIsAuto) {
  const WorkerRun run = run_in_flight(compiler_, std::nullopt, 2);
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_GE(std::stoi(run.result->facts.at("in_flight")), 1);
}

TEST_P(SeveralInFlight, OneIsTheLoopOfAllOtherCompilers) {
  const WorkerRun run = run_in_flight(compiler_, 1, 2);
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_FALSE(run.result->facts.contains("in_flight"));
  EXPECT_TRUE(run.result->latencies_ns.empty());
}

INSTANTIATE_TEST_SUITE_P(Compilers, SeveralInFlight, testing::Values("null", "onnxruntime", "openvino"),
                         [](const auto& compiler) { return std::string(compiler.param); });

// One after the other, two of 2 ms each would take 4 ms. On a busy machine few repetitions have two processors, and it
// runs until one has.
TEST(NullInFlight, TwoRunAtATimeOnTwoThreads) {
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (int tries = 0; tries < 20 && fastest_ns >= 1'900'000; ++tries) {
    const WorkerRun run = run_in_flight(newest_of("null"), 2, 2, {{"run_ns", "2000000"}}, 200);
    ASSERT_EQ(run.ending(), "none") << run.message();
    for (const samples::Repetition& repetition : run.result->repetitions) {
      if (repetition.inferences >= 2) fastest_ns = std::min(fastest_ns, repetition.wall_ns / repetition.inferences);
    }
    for (const auto& of_repetition : run.result->latencies_ns) {
      for (const std::int64_t latency_ns : of_repetition) EXPECT_GE(latency_ns, 2'000'000);
    }
  }
  EXPECT_GE(fastest_ns, 1'000'000);
  EXPECT_LT(fastest_ns, 1'900'000);
}

TEST(NullInFlight, AFaultInOneOfThemIsTheProcessesFailure) {
  const WorkerRun run = run_in_flight(newest_of("null"), 2, 2, {{"run_ns", "1000000"}, {"fault", "error"}});
  EXPECT_EQ(run.ending(), "internal") << run.message();
  EXPECT_NE(run.message().find("null was told to fail"), std::string::npos) << run.message();
}

TEST(NullInFlight, ACompilerThatHasOneAtATimeRefusesMore) {
  const CompilerUnderTest compiler = newest_of("tvm");
  if (const std::string missing = compiler.missing(); !missing.empty()) GTEST_SKIP() << missing;
  const WorkerRun run = run_in_flight(compiler, 2, 2);
  EXPECT_EQ(run.ending(), "invalid_option") << run.message();
  EXPECT_NE(run.message().find("tvm runs one inference at a time"), std::string::npos) << run.message();
}

}  // namespace
}  // namespace ngb::conformance

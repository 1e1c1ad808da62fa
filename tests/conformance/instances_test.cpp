// SPDX-License-Identifier: Apache-2.0
// Every compiler runs in several instances at once: native ones, and those that a Python hosts.
#include <array>

#include "probe/probe.h"
#include "worker_process.h"

#include <gtest/gtest.h>

namespace ngb::conformance {
namespace {

class TwoInstances : public testing::TestWithParam<CompilerUnderTest> {};

TEST_P(TwoInstances, EachHasRepetitionsThatCountInTheTimeOfBoth) {
  const CompilerUnderTest& compiler = GetParam();
  if (const std::string missing = compiler.missing(); !missing.empty()) GTEST_SKIP() << missing;
  if (probe::allowed_cpus().size() < 2) GTEST_SKIP() << "one processor";
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(compiler, conv_model(), scratch);
  request.compiler.threads = 1;
  request.compiler.instances = 2;
  // At least 300 ms, so that both are timed at once even where other programs hold up one of them for some time slices.
  request.protocol.repetitions = 300;
  request.protocol.min_repetition_ns = 1'000'000;
  const WorkerRun run = run_worker(compiler, request, 2 * kPatience_s);
  ASSERT_EQ(run.ending(), "none") << run.message() << run.log;
  std::array<int, 2> counted{};
  for (const samples::Repetition& repetition : run.result->repetitions) {
    counted.at(repetition.instance) += repetition.is_warm_up ? 0 : 1;
  }
  EXPECT_GE(counted[0], 3);
  EXPECT_GE(counted[1], 3);
}

INSTANTIATE_TEST_SUITE_P(Compilers, TwoInstances, testing::ValuesIn(compilers_under_test()),
                         [](const auto& compiler) { return test_name(compiler.param); });

}  // namespace
}  // namespace ngb::conformance

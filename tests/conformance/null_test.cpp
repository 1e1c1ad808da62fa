// SPDX-License-Identifier: Apache-2.0
// Failures on demand: that the null compiler fails as it is told to, where and when it is told to.
#include <signal.h>

#include <algorithm>

#include "worker_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::conformance {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

const CompilerUnderTest& null_compiler() {
  static const CompilerUnderTest found = [] {
    const std::vector<CompilerUnderTest> all = compilers_under_test();
    return *std::find_if(all.begin(), all.end(), [](const auto& compiler) { return compiler.name == "null"; });
  }();
  return found;
}

WorkerRun run_with(const Options& options, const std::function<void(work::WorkerRequest&)>& change = {},
                   int limit_s = kPatience_s, const std::vector<std::string>& prefix = {}) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(null_compiler(), add_model(), scratch);
  request.compiler.options = options;
  request.protocol.repetitions = 20;
  if (change) change(request);
  return run_worker(null_compiler(), request, limit_s, prefix);
}

// Makes reference outputs and returns the request that measures against them.
work::WorkerRequest with_reference(const TemporaryFolder& scratch) {
  work::WorkerRequest request = make_request(null_compiler(), add_model(), scratch);
  request.task = work::Task::make_references;
  request.reference_path = (scratch.path() / "outputs").string();
  EXPECT_EQ(run_worker(null_compiler(), request).ending(), "none");
  request.task = work::Task::measure;
  return request;
}

// Returns how the outputs at the end differ from those that were checked; "" if they do not.
std::string output_change(const WorkerRun& run) {
  return run.result && run.result->check ? run.result->check->output_change : "no check: " + run.message();
}

std::int32_t number(samples::Phase phase) { return static_cast<std::int32_t>(phase); }

}  // namespace

TEST(NullCompiler, CrashesInThePhaseThatItIsTold) {
  for (const samples::Phase phase : {samples::Phase::open, samples::Phase::compile, samples::Phase::check}) {
    const WorkerRun run = run_with({{"fault", "crash"}, {"fault_phase", std::string(name(phase))}});
    EXPECT_EQ(run.outcome.signal, SIGSEGV) << run.message();
    EXPECT_FALSE(run.result);
    EXPECT_EQ(run.last_phase, number(phase));
  }
}

TEST(NullCompiler, CrashesInTheTenthInferenceWhenTold) {
  const WorkerRun run = run_with({{"fault", "crash"}, {"fault_phase", "timed"}, {"run_ns", "10000000"}});
  EXPECT_EQ(run.outcome.signal, SIGSEGV) << run.message();
  EXPECT_EQ(run.last_phase, number(samples::Phase::timed));
  EXPECT_EQ(run.repetitions, 9U);  // the first of them is what the check looks at
}

TEST(NullCompiler, HangsUntilItIsKilled) {
  const WorkerRun run = run_with({{"fault", "hang"}, {"fault_phase", "compile"}}, {}, 1);
  EXPECT_TRUE(run.was_killed) << run.message();
  EXPECT_EQ(run.last_phase, number(samples::Phase::compile));
}

TEST(NullCompiler, ExitsWithoutAResult) {
  const WorkerRun run = run_with({{"fault", "exit"}, {"fault_phase", "check"}});
  EXPECT_EQ(run.outcome.exit_code, 7) << run.message();
  EXPECT_FALSE(run.result);
}

TEST(NullCompiler, EatsMemoryUntilThereIsNone) {
  const WorkerRun run =
      run_with({{"fault", "eat_memory"}, {"fault_phase", "compile"}}, {}, kPatience_s, {"prlimit", "--as=1000000000"});
  EXPECT_EQ(run.ending(), "out_of_memory") << run.message();
  ASSERT_TRUE(run.result);
  EXPECT_EQ(run.result->failure->phase, samples::Phase::compile);
  EXPECT_GT(run.result->phases.back().peak_rss_bytes.value.value_or(0), 500'000'000U);
}

TEST(NullCompiler, IsComparedOnlyWithReferenceOutputsOfTheSameModelAndSaysWhoMadeThem) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(null_compiler(), add_model(), scratch);
  request.task = work::Task::make_references;
  request.reference_path = (scratch.path() / "outputs").string();
  request.reference_name = "null";
  request.reference_key = "this model";
  ASSERT_EQ(run_worker(null_compiler(), request).ending(), "none");
  request.task = work::Task::measure;
  request.reference_is_given = true;
  const WorkerRun run = run_worker(null_compiler(), request);
  ASSERT_TRUE(run.result && run.result->check) << run.message();
  EXPECT_EQ(run.result->check->reference, "null, made by the client");
  request.reference_key = "another model";
  EXPECT_EQ(run_worker(null_compiler(), request).ending(), "no_reference");
}

TEST(NullCompiler, ReturnsAnErrorValue) {
  const WorkerRun run = run_with({{"fault", "error"}, {"fault_phase", "timed"}, {"run_ns", "10000000"}});
  EXPECT_EQ(run.ending(), "internal") << run.message();
  EXPECT_EQ(run.result->failure->phase, samples::Phase::timed);
  EXPECT_EQ(run.result->failure->message, "null was told to fail");
  EXPECT_EQ(run.result->repetitions.size(), 9U);
}

TEST(NullCompiler, ReturnsWrongOutputs) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = with_reference(scratch);
  EXPECT_EQ(run_worker(null_compiler(), request).ending(), "none");
  request.compiler.options = {{"fault", "wrong_output"}};
  const WorkerRun wrong = run_worker(null_compiler(), request);
  EXPECT_EQ(wrong.ending(), "inaccurate") << wrong.message();
  EXPECT_TRUE(wrong.result->repetitions.empty());
}

TEST(NullCompiler, ChangesItsOutputsWhichAreComparedWithTheReferenceAgainOrWithTheFirst) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = with_reference(scratch);
  request.protocol.repetitions = 20;
  EXPECT_EQ(output_change(run_worker(null_compiler(), request)), "");
  request.compiler.options = {{"fault", "change_output"}, {"run_ns", "10000000"}};
  EXPECT_THAT(output_change(run_worker(null_compiler(), request)), testing::HasSubstr("the reference is"));
  request.reference_path.clear();
  EXPECT_THAT(output_change(run_worker(null_compiler(), request)), testing::HasSubstr("the first inference"));
}

TEST(NullCompiler, IsRefusedIfItIsAnotherVersionThanTheStudyNames) {
  const auto version = [](const char* asked) {
    return [asked](work::WorkerRequest& request) { request.compiler.version = asked; };
  };
  EXPECT_EQ(run_with({}, version("1")).ending(), "none");
  const WorkerRun other = run_with({}, version("2"));
  EXPECT_EQ(other.ending(), "fallback") << other.message();
  EXPECT_EQ(other.result->failure->message, "null 2 was requested, but the loaded library says that it is 1");
}

TEST(NullCompiler, FailsInOneProcessOnly) {
  const Options options = {{"fault", "error"}, {"fault_phase", "open"}, {"fault_process", "2"}};
  const auto process = [](int index) { return [index](work::WorkerRequest& r) { r.process_index = index; }; };
  EXPECT_EQ(run_with(options, process(1)).ending(), "none");
  EXPECT_EQ(run_with(options, process(2)).ending(), "internal");
}

TEST(NullCompiler, FailsInOneAttemptOnly) {
  const Options options = {{"fault", "exit"}, {"fault_phase", "open"}, {"fault_attempt", "1"}};
  const auto attempt = [](int number) { return [number](work::WorkerRequest& r) { r.attempt = number; }; };
  EXPECT_EQ(run_with(options, attempt(1)).outcome.exit_code, 7);
  EXPECT_EQ(run_with(options, attempt(2)).ending(), "none");
}

TEST(NullCompiler, IsAsSlowAsItIsTold) {
  const WorkerRun run = run_with({{"run_ns", "2000000"}, {"compile_ns", "30000000"}});
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_GE(run.result->phases[2].wall_ns, 30'000'000);
  for (const samples::Repetition& repetition : run.result->repetitions) EXPECT_GE(repetition.wall_ns, 2'000'000);
}

TEST(NullCompiler, SaysThatItsTimesAreMadeUp) {
  const WorkerRun run = run_with({{"made_up_ns", "60000000000"}});  // a minute, twenty times
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_EQ(run.result->facts.at("made_up_ns"), "60000000000");
  for (const samples::Repetition& repetition : run.result->repetitions) {
    EXPECT_NEAR(static_cast<double>(repetition.wall_ns), 6e10, 3e8);
  }
}

TEST(NullCompiler, GroupsItsInferencesToAtLeastAMillisecond) {
  const auto change = [](work::WorkerRequest& request) { request.protocol.min_repetition_ns = 1'000'000; };
  const WorkerRun run = run_with({{"run_ns", "10000"}}, change);
  ASSERT_EQ(run.ending(), "none") << run.message();
  std::uint32_t group = 0;
  for (const samples::Repetition& repetition : run.result->repetitions) {
    if (repetition.is_warm_up) continue;
    EXPECT_GE(repetition.wall_ns, 1'000'000);
    EXPECT_GT(repetition.inferences, 90U);
    if (group == 0) group = repetition.inferences;
    EXPECT_EQ(repetition.inferences, group);
  }
}

TEST(NullCompiler, HoldsTheMemoryThatItIsTold) {
  const WorkerRun run = run_with({{"memory_bytes", "200000000"}});
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_LT(run.result->phases[1].peak_rss_bytes.value.value_or(0), 100'000'000U);
  EXPECT_GE(run.result->phases[2].peak_rss_bytes.value.value_or(0), 200'000'000U);
}

TEST(Worker, GoesOnWhenItIsInterrupted) {
  ::signal(SIGINT, SIG_DFL);  // which the worker inherits; a suite in the background ignores it
  const WorkerRun run = run_with({{"fault", "interrupt"}});
  EXPECT_EQ(run.ending(), "none") << run.message();
}

// Two threads that begin at the same moment may share a processor for a while. The null compiler counts the inferences.
TEST(Worker, OfSeveralThreadsInfersForSomeMillisecondsBeforeItIsTimed) {
  const auto of_threads = [](int threads) {
    return run_with({{"run_ns", "10000"}, {"fault", "error"}}, [threads](work::WorkerRequest& request) {
      request.compiler.threads = threads;
      request.protocol.warm_up = 1;
      request.protocol.repetitions = 1;
      request.protocol.min_repetition_ns = 0;
    });
  };
  EXPECT_EQ(of_threads(1).ending(), "none") << "fewer than ten inferences";
  EXPECT_EQ(of_threads(2).ending(), "internal") << "its fault is in the tenth";
}

TEST(Worker, SaysWhatIsWrongWithARequestThatIsNone) {
  const Result<process::Outcome> outcome = process::run({.arguments = {worker_program().string()}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_NE(outcome->output.find("request"), std::string::npos) << outcome->output;
}

TEST(Worker, ReportsAPluginThatDoesNotLoad) {
  const WorkerRun run = run_with({}, [](work::WorkerRequest& request) { request.plugin_path = "/dev/null"; });
  EXPECT_EQ(run.ending(), "import_error") << run.message();
  EXPECT_EQ(run.result->failure->phase, samples::Phase::start);
}

TEST(Worker, ReportsReferenceOutputsThatAreMissing) {
  const WorkerRun run =
      run_with({}, [](work::WorkerRequest& request) { request.reference_path = "/nonexistent/outputs"; });
  EXPECT_EQ(run.ending(), "no_reference") << run.message();
}

TEST(Worker, SaysOnWhichProcessorsItRan) {
  const WorkerRun run = run_with({});
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_FALSE(run.result->facts.at("affinity").empty());
}

TEST(Worker, RefusesMoreThreadsThanProcessors) {
  const WorkerRun many = run_with({}, [](work::WorkerRequest& request) { request.compiler.threads = 4096; });
  EXPECT_EQ(many.ending(), "invalid_option");
  EXPECT_NE(many.message().find("4096 threads are more than the "), std::string::npos) << many.message();
}

}  // namespace ngb::conformance

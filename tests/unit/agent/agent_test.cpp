// SPDX-License-Identifier: Apache-2.0
// Tests a real agent with real processes. The worker does no work and misbehaves as the test says (fake_worker.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "agent_client.h"
#include "base/hash.h"

namespace ngb::agent::test {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::Phase;
using testing::HasSubstr;

TEST(Agent, RunsEveryProcessOfAJobInItsOrder) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a");
  add_cell(job, "b");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 4U);
  std::vector<std::pair<std::string, int>> order;
  for (const auto& process : run.processes) order.emplace_back(process.cell_id, process.process_index);
  EXPECT_THAT(order, testing::ElementsAre(testing::Pair("a", 0), testing::Pair("b", 0), testing::Pair("a", 1),
                                          testing::Pair("b", 1)));
  EXPECT_FALSE(run.processes[0].failure);
  EXPECT_EQ(run.processes[2].repetitions[0].wall_ns, 1'001'000);
  EXPECT_EQ(run.outcome.exit_code, 0);
}

TEST(Agent, NumbersItsEventsFromOneWithoutGapsAndEndsWithFinished) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.events.size(), 4U);  // environment, model, process, finished
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.events[i].sequence, i + 1);
  EXPECT_TRUE(std::holds_alternative<samples::Environment>(run.events[0].body));
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(Agent, ReportsTheModelFileThatItMadeAndRemovesItAfterTheGroup) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path(), job);
  const auto* model = std::get_if<samples::ModelWritten>(&run.events.at(1).body);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->model, job.models[0].key);
  EXPECT_EQ(model->file_bytes, 17U);  // {"family":"tiny"}
  EXPECT_EQ(model->file_sha256, hash::sha256(R"({"family":"tiny"})"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "models"));
}

TEST(Agent, AddsToAResultWhatOnlyTheAgentKnows) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  compiler_of(job, 0).threads = 3;
  const WholeRun run = run_job(folder.path(), job);
  const auto& environment = std::get<samples::Environment>(run.events.at(0).body);
  const samples::ProcessResult& process = run.processes.at(0);
  EXPECT_EQ(process.environment_hash, environment.hash());
  EXPECT_GT(process.wall_ns, 100'000);
  EXPECT_GT(process.started_unix_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(process.log_path, "logs/a-0-1.log");
  EXPECT_EQ(process.facts.at("OMP_NUM_THREADS"), "3");
  EXPECT_EQ(process.facts.at("NGB_PROCESS_INDEX"), "0");
  EXPECT_EQ(process.facts.at("NGB_ATTEMPT"), "1");
}

TEST(Agent, GivesWorkersTheDevicesVariablesBelowItsOwnAndRecordsThem) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  compiler_of(job, 0).threads = 3;
  job.environment = {{"OMP_NUM_THREADS", "64"}, {"OMP_PROC_BIND", "close"}};
  const WholeRun run = run_job(folder.path(), job);
  const samples::ProcessResult& process = run.processes.at(0);
  EXPECT_EQ(process.facts.at("OMP_PROC_BIND"), "close");
  EXPECT_EQ(process.facts.at("OMP_NUM_THREADS"), "3");
  std::map<std::string, std::string> recorded;
  for (const auto& entry : std::get<samples::Environment>(run.events.at(0).body).entries) {
    recorded[entry.name] = entry.value.value.value_or("");
  }
  EXPECT_EQ(recorded.at("variable_OMP_PROC_BIND"), "close");
}

TEST(Agent, GivesWorkersOfItsOwnVariablesOnlyWhatItRecords) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  ::setenv("ONEDNN_MAX_CPU_ISA", "SSE41", 1);
  ::setenv("LD_LIBRARY_PATH", "/nowhere", 1);
  const WholeRun run = run_job(folder.path(), job);
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
  ::unsetenv("LD_LIBRARY_PATH");
  const samples::ProcessResult& process = run.processes.at(0);
  EXPECT_FALSE(process.facts.contains("ONEDNN_MAX_CPU_ISA"));
  EXPECT_EQ(process.facts.at("LD_LIBRARY_PATH"), "/nowhere");
  std::set<std::string> recorded;
  for (const auto& entry : std::get<samples::Environment>(run.events.at(0).body).entries) recorded.insert(entry.name);
  EXPECT_FALSE(recorded.contains("variable_ONEDNN_MAX_CPU_ISA"));
  EXPECT_TRUE(recorded.contains("variable_LD_LIBRARY_PATH"));
}

TEST(Agent, ForbidsTf32AndLetsTheDriverKeepCompiledCodeForOneProcessOnly) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.environment = {{"NVIDIA_TF32_OVERRIDE", "1"}};
  const WholeRun run = run_job(folder.path(), job);
  const samples::ProcessResult& process = run.processes.at(0);
  EXPECT_EQ(process.facts.at("NVIDIA_TF32_OVERRIDE"), "0");
  EXPECT_EQ(std::filesystem::path(process.facts.at("CUDA_CACHE_PATH")).parent_path().filename(), "scratch");
}

TEST(Agent, StopsBetweenProcessesWhenTheDevicesTimeIsOver) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.device_limits.time_ns = 0;
  const WholeRun stopped = run_job(folder.path(), job);
  EXPECT_TRUE(stopped.processes.empty());
  ASSERT_TRUE(stopped.error);
  EXPECT_THAT(stopped.error->what, HasSubstr("and that time is over"));
  job.device_limits.time_ns.reset();
  EXPECT_EQ(run_job(folder.path(), job).processes.size(), 1U);
}

// Runs a cell whose first attempt of process 0 misbehaves. Expects that the run continues, and returns the failure.
Failure first_failure(const std::string& behave, work::Job job = small_job(2)) {
  const TemporaryFolder folder;
  add_cell(job, "a", behave, "0:1");
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_TRUE(ends_finished(run.events));
  EXPECT_EQ(run.outcome.exit_code, 0);
  if (run.processes.empty() || !run.processes[0].failure) return {};
  return *run.processes[0].failure;
}

TEST(Agent, NamesTheSignalOfACrash) {
  const Failure failure = first_failure("crash");
  EXPECT_EQ(failure.kind, FailureKind::crash);
  EXPECT_EQ(failure.signal, SIGABRT);
  EXPECT_EQ(failure.phase, Phase::compile);
}

TEST(Agent, NamesTheExitCodeOfAWorkerWithoutAResult) {
  const Failure failure = first_failure("exit");
  EXPECT_EQ(failure.kind, FailureKind::exit);
  EXPECT_EQ(failure.exit_code, 7);
}

TEST(Agent, ReportsASigkillOfUnknownOriginAsACrash) {
  const Failure failure = first_failure("killed");
  EXPECT_EQ(failure.kind, FailureKind::crash);
  EXPECT_EQ(failure.signal, SIGKILL);
}

TEST(Agent, EndsACompilationThatTakesTooLong) {
  work::Job job = small_job(2);
  job.limits.timeouts.compile_ns = 1'500'000'000;
  const Failure failure = first_failure("hang", job);
  EXPECT_EQ(failure.kind, FailureKind::timeout);
  EXPECT_EQ(failure.phase, Phase::compile);
  EXPECT_THAT(failure.message, HasSubstr("took longer than 1.5 s"));
}

TEST(Agent, EndsRepetitionsThatTakeTooLong) {
  work::Job job = small_job(2);
  job.limits.timeouts.run_ns = 300'000'000;
  const Failure failure = first_failure("hang_timed", job);
  EXPECT_EQ(failure.kind, FailureKind::timeout);
  EXPECT_EQ(failure.phase, Phase::timed);
}

TEST(Agent, ReportsAnUnreadableResultAsAnInternalFailure) {
  const Failure failure = first_failure("garbage");
  EXPECT_EQ(failure.kind, FailureKind::internal);
  EXPECT_THAT(failure.message, HasSubstr("invalid result"));
}

TEST(Agent, RefusesTheResultOfAnotherProcess) {
  const Failure failure = first_failure("other");
  EXPECT_EQ(failure.kind, FailureKind::internal);
  EXPECT_THAT(failure.message, HasSubstr("another process"));
}

TEST(Agent, RefusesTwoResultsOfOneProcess) { EXPECT_EQ(first_failure("twice").kind, FailureKind::internal); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Agent, GivesAWorkerNoMoreMemoryThanTheLimit) {
  work::Job job = small_job(2);
  job.limits.memory_bytes = 200'000'000;
  const Failure failure = first_failure("memory", job);
  EXPECT_EQ(failure.kind, FailureKind::out_of_memory);
  EXPECT_EQ(failure.signal, SIGABRT);  // malloc yields nothing, and the worker aborts
  EXPECT_THAT(failure.message, HasSubstr("of its limit of 200 MB"));
}
#endif

TEST(Agent, EndsAWorkerWhoseProcessesHoldMoreThanTheLimit) {
  work::Job job = small_job(2);
  job.limits.memory_bytes = 300'000'000;
  const Failure failure = first_failure("shared_memory", job);
  EXPECT_EQ(failure.kind, FailureKind::out_of_memory);
  EXPECT_THAT(failure.message, HasSubstr("ended by the memory limit: its processes held"));
}

TEST(Agent, LeavesNoFileOfAWorkerForTheNext) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a", "litter");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].facts.at("finds_litter"), "no");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "scratch"));
}

TEST(Agent, KeepsTheFailureOfAWorkerThatReportsThatItLacksMemory) {
  EXPECT_EQ(first_failure("out_of_memory").kind, FailureKind::out_of_memory);
}

TEST(Agent, KeepsTheResultOfAWorkerThatCrashesAfterIt) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "crash_late");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_FALSE(run.processes[0].failure);
  EXPECT_EQ(run.processes[0].facts.at("ended"), "signal 6, after its result");
}

TEST(Agent, QuotesTheLastLinesOfTheLogAsValidUtf8) {
  const Failure failure = first_failure("chatter");
  EXPECT_THAT(failure.message, HasSubstr("logs/a-0-1.log"));
  EXPECT_THAT(failure.message, HasSubstr("line 99 of \xEF\xBF\xBD\xEF\xBF\xBD chatter"));
  EXPECT_THAT(failure.message, HasSubstr("line 80 of"));
  EXPECT_THAT(failure.message, testing::Not(HasSubstr("line 79 of")));
}

TEST(Agent, TriesAgainAfterACrashAndKeepsBoth) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a", "crash", "0:1");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_TRUE(run.processes[0].failure);
  EXPECT_EQ(run.processes[1].process_index, 0);
  EXPECT_EQ(run.processes[1].attempt, 2);
  EXPECT_FALSE(run.processes[1].failure);
  EXPECT_EQ(run.processes[2].process_index, 1);
}

TEST(Agent, GivesUpACellAfterTheLastAttemptAndContinuesWithTheOthers) {
  const TemporaryFolder folder;
  work::Job job = small_job(3);
  add_cell(job, "bad", "crash");
  add_cell(job, "good");
  const WholeRun run = run_job(folder.path(), job);
  std::ostringstream order;
  for (const auto& process : run.processes) {
    order << process.cell_id << process.process_index << ':' << process.attempt << ' ';
  }
  EXPECT_EQ(order.str(), "bad0:1 bad0:2 good0:1 good1:1 good2:1 ");
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(Agent, GivesUpACellAtOnceForWrongOutputs) {
  const TemporaryFolder folder;
  work::Job job = small_job(3);
  add_cell(job, "wrong", "wrong");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::inaccurate);
}

TEST(Agent, LeavesNoProcessOfAWorkerBehind) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "stray");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_FALSE(run.processes[0].failure);
  const std::string log = file::read(folder.path() / "logs/a-0-1.log").value_or("");
  ASSERT_THAT(log, HasSubstr("stray "));
  EXPECT_FALSE(is_alive(std::stoi(log.substr(6)))) << "the stray process still lives";
}

TEST(Agent, ReportsItsProgressAtMostOnceASecond) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "slow");  // 1.5 s
  const auto begin = std::chrono::steady_clock::now();
  const WholeRun run = run_job(folder.path(), job);
  const auto took = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  ASSERT_GE(run.progress.size(), 1U);
  EXPECT_LE(static_cast<std::int64_t>(run.progress.size()), took.count());
  EXPECT_EQ(run.progress[0].cell_id, "a");
  EXPECT_EQ(run.progress[0].phase, Phase::timed);
  EXPECT_EQ(run.progress[0].repetitions_done, 3U);
}

TEST(Agent, FailsTheCellsOfAModelThatCannotBeWritten) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  job.models[0].source = work::Recipe{R"({"family":"impossible"})"};
  add_cell(job, "a");
  add_cell(job, "b");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[1].cell_id, "b");
  EXPECT_EQ(run.processes[1].failure->kind, FailureKind::internal);
  EXPECT_THAT(run.processes[1].failure->message, HasSubstr("no such family"));
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(Agent, WritesAModelWhoseParametersAreLongerThanAnArgumentMayBe) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  job.models[0].source = work::Recipe{R"({"family":"tiny","padding":")" + std::string(200'000, 'x') + "\"}"};
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_FALSE(run.processes[0].failure) << run.processes[0].failure->message;
}

TEST(Agent, RefusesAUsersModelThatHasChangedSinceThePlan) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder.path() / "user.onnx", "new content"));
  work::Job job = small_job(1);
  job.models[0].source = work::OnnxFile{};
  job.models[0].files = {{"model/user.onnx", (folder.path() / "user.onnx").string(), hash::sha256("new content")},
                         {"model/weights.bin", (folder.path() / "weights.bin").string(), hash::sha256("old content")}};
  ASSERT_TRUE(file::write_atomically(folder.path() / "weights.bin", "newer content"));
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::invalid_model);
  EXPECT_THAT(run.processes[0].failure->message, HasSubstr("weights.bin has changed since"));
}

TEST(Agent, MeasuresAUsersModelWhereItIs) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder.path() / "user.onnx", "content"));
  work::Job job = small_job(1);
  job.models[0].source = work::OnnxFile{};
  job.models[0].files = {{"model/user.onnx", (folder.path() / "user.onnx").string(), hash::sha256("content")}};
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path() / "work", job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_FALSE(run.processes[0].failure);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "user.onnx"));
}

TEST(Agent, ReportsAMissingExporterOfAModuleAsAMissingToolchain) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  job.models[0].source = work::Module{R"({"module":{"timm":"resnet18"}})"};
  job.exporter = {.name = "identity", .version = "2.15.0"};
  job.places.push_back({.compiler = "identity", .version = "2.15.0", .host = "python"});
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::toolchain_missing);
  EXPECT_EQ(run.processes[0].failure->message,
            "identity 2.15.0, which exports this model, is not installed on this device");
}

TEST(Agent, RefusesAJobWhoseStepsNameNoCell) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.groups[0].steps.push_back({7, 0});
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.error->what, "names cell 7, which is not in its list");
  EXPECT_EQ(run.outcome.exit_code, 3);
}

TEST(Agent, RefusesAJobBeforeHello) {
  const TemporaryFolder folder;
  AgentClient client(folder.path());
  client.send(small_job(1));
  client.follow_to_the_end();
  ASSERT_TRUE(client.error());
  EXPECT_EQ(client.error()->what, "received a job before hello");
  EXPECT_EQ(client.wait().exit_code, 3);
}

}  // namespace
}  // namespace ngb::agent::test

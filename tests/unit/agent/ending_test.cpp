// SPDX-License-Identifier: Apache-2.0
// Tests processes that must be ended or cannot be ended, and that models are made within the limits of a worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>

#include "agent/workers/attempt.h"
#include "agent/workers/control_group.h"
#include "agent/workers/ending.h"
#include "agent/workers/process_tree.h"
#include "agent_client.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;

// Keeps a process from dying, as a hanging disk or driver does, with version 1 of the kernel's freezer.
class Freezer {
 public:
  Freezer() : folder_("/sys/fs/cgroup/freezer/ngb-test-" + std::to_string(::getpid())) {
    is_there_ = std::filesystem::exists(folder_.parent_path() / "cgroup.procs") && ::mkdir(folder_.c_str(), 0700) == 0;
  }
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;
  ~Freezer() {
    if (!is_there_) return;
    say("freezer.state", "THAWED");
    for (int i = 0; ::rmdir(folder_.c_str()) != 0 && i < 500; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  [[nodiscard]] bool is_there() const { return is_there_; }
  void freeze(pid_t pid) const {
    say("cgroup.procs", std::to_string(pid));
    say("freezer.state", "FROZEN");
  }

 private:
  void say(const char* control, const std::string& words) const { std::ofstream(folder_ / control) << words; }
  std::filesystem::path folder_;
  bool is_there_ = false;
};

TEST(Ending, AWorkerThatCannotBeKilledIsAFailureThatNamesTheProcess) {
  const Freezer freezer;
  if (!freezer.is_there()) GTEST_SKIP() << "needs root and version 1 of the freezer's control groups";
  const TemporaryFolder folder;
  for (const char* name : {"logs", "scratch"}) std::filesystem::create_directory(folder / name);
  work::Job job = small_job(1);
  add_cell(job, "a", "hang");
  const Surroundings surroundings{fake_worker(), {}, folder.path(), {0}};
  Children children{std::chrono::milliseconds(300)};
  ProgramLauncher launcher(surroundings, children, {fake_worker().string()}, {});
  AttemptPlan plan;
  plan.request.cell_id = "a";
  plan.request.compiler = compiler_of(job, 0);
  plan.request.place = place_of(job, 0);
  plan.timeouts = job.limits.timeouts;
  plan.request.protocol = job.protocol;
  plan.log_name = "a.log";
  plan.memory_limit_bytes = 1ULL << 34U;
  plan.exit_patience = std::chrono::milliseconds(100);
  Attempt attempt(surroundings, children, launcher, std::move(plan));
  ASSERT_TRUE(launcher.launched().pid);
  const pid_t worker = *launcher.launched().pid;
  freezer.freeze(worker);
  attempt.abandon();
  while (!attempt.result()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    attempt.advance();
  }
  ASSERT_TRUE(attempt.result()->failure);
  EXPECT_EQ(attempt.result()->failure->kind, FailureKind::device_lost);
  EXPECT_THAT(attempt.result()->failure->message, HasSubstr("did not end after SIGKILL"));
  EXPECT_THAT(attempt.result()->failure->message, HasSubstr("process " + std::to_string(worker)));
  EXPECT_THAT(attempt.left(), testing::ElementsAre(worker));
}

TEST(Ending, NothingIsMeasuredBesideAWorkerThatCannotBeKilled) {
  const Freezer freezer;
  if (!freezer.is_there()) GTEST_SKIP() << "needs root and version 1 of the freezer's control groups";
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  job.limits.timeouts.compile_ns = 3'000'000'000;
  add_cell(job, "a", "hang");
  AgentClient client(folder.path());
  client.begin(job);
  std::vector<pid_t> workers;
  for (bool is_made = false; !is_made || workers.empty();) {
    const auto message = client.next(std::chrono::milliseconds(20));
    const auto* event = message ? std::get_if<samples::Event>(&*message) : nullptr;
    is_made = is_made || (event != nullptr && std::holds_alternative<samples::ModelWritten>(event->body));
    if (is_made) workers = descendants(client.pid());
  }
  freezer.freeze(workers[0]);
  const auto results = processes_of(client.follow_to_the_end());
  ASSERT_EQ(results.size(), 1U) << "the other process was measured beside it";
  ASSERT_TRUE(results[0].failure);
  EXPECT_EQ(results[0].failure->kind, FailureKind::device_lost);
  ASSERT_TRUE(client.error());
  EXPECT_THAT(client.error()->what, HasSubstr("nothing more is measured here: process " + std::to_string(workers[0])));
  EXPECT_EQ(client.wait().exit_code, 3);
}

TEST(Ending, CutsALongTextOfACompiler) {
  samples::ProcessResult result;
  result.failure.emplace();
  result.failure->message = std::string(5'000'000, 'x');
  result.facts["curve"] = "short";
  shorten(result);
  EXPECT_LT(result.failure->message.size(), 70'000U);
  EXPECT_THAT(result.failure->message, HasSubstr("(4934464 more bytes)"));
  EXPECT_EQ(result.facts["curve"], "short");
}

TEST(Ending, AWorkerThatEndsLeavesNoProcess) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_FALSE(run.processes[0].failure);
  EXPECT_FALSE(run.error);
}

// Returns the failure of the only cell of a job whose model has this family; the fake worker decides by that name.
std::optional<samples::Failure> failure_of_model(const std::string& family) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.models[0].source = work::Recipe{R"({"family":")" + family + "\"}"};
  job.limits.memory_bytes = 300'000'000;
  job.limits.attempts = 1;
  const WholeRun run = run_job(folder.path(), job);
  return run.processes.size() == 1 ? run.processes[0].failure : std::nullopt;
}

TEST(MakingAModel, HasNoMoreMemoryThanTheLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more memory than any limit";
#endif
  const auto failure = failure_of_model("eats_memory");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::out_of_memory) << failure->message;
  EXPECT_THAT(failure->advice, HasSubstr("memory limit"));
}

TEST(MakingAModel, HasItsMemoryCheckedOnceASecond) {
  const auto failure = failure_of_model("shares_memory");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::out_of_memory) << failure->message;
}

TEST(MakingAModel, LeavesNothingRunningBesideTheFirstMeasuredProcess) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a", "hang");
  job.models[0].source = work::Recipe{R"({"family":"strays"})"};
  AgentClient client(folder.path());
  client.begin(job);
  bool is_made = false;
  while (!is_made) {
    const auto message = client.next();
    ASSERT_TRUE(message);
    const auto* event = std::get_if<samples::Event>(&*message);
    is_made = event != nullptr && std::holds_alternative<samples::ModelWritten>(event->body);
  }
  pid_t stray = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "logs")) {
    const std::string log = file::read(entry.path()).value_or("");
    if (log.starts_with("stray ")) stray = std::stoi(log.substr(6));
  }
  ASSERT_GT(stray, 0);
  EXPECT_FALSE(is_alive(stray));
  client.send(samples::Stop{});
  client.follow_to_the_end();
}

TEST(ControlGroups, KillAllProcessesOfAGroupAtOnceAndRemoveIt) {
  const ControlGroups groups = ControlGroups::find();
  if (!groups.description().value) GTEST_SKIP() << groups.description().reason;
  std::array<int, 2> gate{};
  std::array<int, 2> born{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  ASSERT_EQ(::pipe(born.data()), 0);
  // The process waits for a line on its input, so that it is in the group before it starts one in another session.
  const auto sleeper =
      process::spawn({.arguments = {"sh", "-c", "read go; setsid sh -c 'echo $$; exec sleep 1000' & wait"},
                      .descriptors = {{gate[0], 0}, {born[1], 1}}});
  ASSERT_TRUE(sleeper);
  std::string own;
  {
    const auto group = groups.make(1ULL << 34U);
    ASSERT_TRUE(group);
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(group->add(*sleeper));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
    RecordProperty("moving_a_process_ms", std::to_string(took.count()));
    own = file::read("/proc/" + std::to_string(*sleeper) + "/cgroup").value_or("");
    EXPECT_THAT(own, HasSubstr("/ngb-" + std::to_string(::getpid())));
    EXPECT_FALSE(group->has_run_out_of_memory());
    ASSERT_EQ(::write(gate[1], "go\n", 3), 3);
    std::array<char, 16> pid{};
    ASSERT_GT(::read(born[0], pid.data(), pid.size() - 1), 0);
    const pid_t below = std::stoi(pid.data());
    EXPECT_TRUE(is_alive(below));
    group->kill();
    for (int i = 0; is_alive(below) && i < 1000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(is_alive(below));
    int status = 0;
    ASSERT_EQ(::waitpid(*sleeper, &status, 0), *sleeper);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  const auto again = groups.make(1ULL << 34U);
  EXPECT_TRUE(again) << "a second group can be made after the first";
}

TEST(ControlGroups, AreNotUsedInAFolderThatIsNoGroup) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "ngb-1-1");
  std::filesystem::create_directory(folder / "other");
  const ControlGroups groups = ControlGroups::below(folder.path());
  EXPECT_FALSE(groups.description().value);
  EXPECT_THAT(groups.description().reason, HasSubstr("cgroup.kill"));
  EXPECT_FALSE(groups.make(1));
  EXPECT_FALSE(std::filesystem::exists(folder / "ngb-1-1")) << "groups of killed agents are removed";
  EXPECT_TRUE(std::filesystem::exists(folder / "other"));
  EXPECT_THAT(ControlGroups::below(folder / "none").description().reason, HasSubstr("cannot create a group"));
}

TEST(ControlGroups, AreDescribedInTheEnvironment) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  const WholeRun run = run_job(folder.path(), job);
  bool is_told = false;
  for (const samples::Event& event : run.events) {
    const auto* environment = std::get_if<samples::Environment>(&event.body);
    if (environment == nullptr) continue;
    for (const samples::EnvironmentEntry& entry : environment->entries) {
      is_told = is_told || (entry.name == "process_control" && (entry.value.value || !entry.value.reason.empty()));
    }
  }
  EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace ngb::agent::test

// SPDX-License-Identifier: Apache-2.0
// Tests the agent's small parts: logs, endings, process trees, reference files and builds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "agent/builds.h"
#include "agent/reference_cache.h"
#include "agent/workers/attempt_log.h"
#include "agent/workers/ending.h"
#include "agent/workers/process_tree.h"
#include "agent_client.h"
#include "base/hash.h"

namespace ngb::agent {
namespace {

using samples::FailureKind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(AttemptLog, ReturnsTheLastTwentyLines) {
  const TemporaryFolder folder;
  std::string content;
  for (int i = 1; i <= 30; ++i) content += "line " + std::to_string(i) + "\n";
  ASSERT_TRUE(file::write_atomically(folder.path() / "log", content));
  const std::string lines = last_lines(folder.path() / "log");
  EXPECT_TRUE(lines.starts_with("line 11\n"));
  EXPECT_TRUE(lines.ends_with("line 30"));
}

TEST(AttemptLog, CutsLongOutputAtALine) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder.path() / "log", std::string(5000, 'x') + "\nlast\n"));
  EXPECT_EQ(last_lines(folder.path() / "log"), "last");
}

TEST(AttemptLog, BeginsWithTheInnermostCallWherePythonCrashed) {
  const TemporaryFolder folder;
  std::string content =
      "a warning\nFatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n";
  for (int i = 1; i <= 90; ++i) content += fmt::format("  File \"compile.py\", line {} in call\n", i);
  ASSERT_TRUE(file::write_atomically(folder.path() / "log", content));
  const std::string lines = last_lines(folder.path() / "log");
  EXPECT_TRUE(lines.starts_with("Fatal Python error: Segmentation fault\n"));
  EXPECT_TRUE(lines.ends_with("line 17 in call"));  // the twentieth line
}

TEST(AttemptLog, NamesAnEmptyLog) {
  const TemporaryFolder folder;
  ASSERT_TRUE(create_log(folder.path() / "log"));
  samples::Failure failure;
  failure.message = "it crashed";
  quote_log(failure, folder.path() / "log", "logs/log");
  EXPECT_EQ(failure.message, "it crashed (logs/log is empty)");
}

work::WorkerRequest request() {
  work::WorkerRequest request;
  request.cell_id = "a";
  request.process_index = 1;
  return request;
}

TEST(Ending, ReportsASigkillAsOutOfMemoryIfTheKernelHasKilledForMemory) {
  Ending ending;
  ending.launched.wait_status = SIGKILL;
  ending.memory_limit_bytes = 1'000'000'000;
  ending.has_kernel_killed_for_memory = true;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::out_of_memory);
  ending.has_kernel_killed_for_memory = false;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::crash);
}

TEST(Ending, IsNoneOutOfMemoryBecauseTheKernelHasKilledAnotherProgramIfItCountsForTheGroup) {
  Ending ending;
  ending.launched.wait_status = SIGKILL;
  ending.memory_limit_bytes = 1'000'000'000;
  ending.has_kernel_killed_for_memory = true;
  ending.is_counted_for_group = true;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::crash);
  ending.has_group_run_out_of_memory = true;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::out_of_memory);
}

TEST(Ending, ReportsACrashAtTheMemoryLimitAsOutOfMemory) {
  Ending ending;
  ending.launched.wait_status = SIGSEGV;
  ending.memory_limit_bytes = 1'000'000'000;
  ending.launched.peak_rss_bytes = 899'000'000;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::crash);
  ending.launched.peak_rss_bytes = 901'000'000;
  EXPECT_EQ(result_of(request(), ending).failure->kind, FailureKind::out_of_memory);
}

TEST(Ending, PrefersTheAgentsOwnReasonToTheSignalItSent) {
  Ending ending;
  ending.launched.wait_status = SIGKILL;
  ending.ended_by_agent.emplace();
  ending.ended_by_agent->kind = FailureKind::timeout;
  ending.phase = samples::Phase::timed;
  const samples::ProcessResult result = result_of(request(), ending);
  EXPECT_EQ(result.failure->kind, FailureKind::timeout);
  EXPECT_EQ(result.failure->phase, samples::Phase::timed);
  EXPECT_EQ(result.process_index, 1);
}

TEST(Ending, NamesTheMissingKeyOfAResult) {
  Ending ending;
  ending.launched.wait_status = 0;
  ending.result_text = R"({"cell_id":"a"})";
  const samples::ProcessResult result = result_of(request(), ending);
  EXPECT_EQ(result.failure->kind, FailureKind::internal);
  EXPECT_THAT(result.failure->message, HasSubstr("\"process_index\" is missing"));
}

TEST(ProcessTree, FindsAGrandchildThatLeftItsGroupUntilItEnds) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::setsid();
      ::pause();
    }
    [[maybe_unused]] const ssize_t count = ::write(ends[1], &grandchild, sizeof grandchild);
    ::pause();
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_THAT(descendants(::getpid()), testing::UnorderedElementsAre(child, grandchild));
  EXPECT_THAT(descendants(child), ElementsAre(grandchild));
  EXPECT_GT(resident_bytes({child, grandchild}), 100'000U);
  ::kill(child, SIGKILL);
  ::kill(grandchild, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(descendants(::getpid()), Not(Contains(child)));
}

// Returns the state of a process (proc(5)).
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name;
  char state = '?';
  file >> number >> name >> state;
  return state;
}

TEST(ProcessTree, StopsWhatRunsAndLeavesWhatSleepsAsItIs) {
  const pid_t spinning = ::fork();
  for (volatile bool spins = spinning == 0; spins;) {
  }
  const pid_t sleeping = ::fork();
  if (sleeping == 0) {
    for (;;) ::pause();
  }
  while (state_of(sleeping) != 'S') std::this_thread::yield();
  calm(spinning);
  calm(sleeping);
  int status = 0;
  ASSERT_EQ(::waitpid(spinning, &status, WUNTRACED), spinning) << "it stops once it gets a processor";
  EXPECT_TRUE(WIFSTOPPED(status));
  EXPECT_EQ(state_of(sleeping), 'S');
  resume_all(spinning);
  EXPECT_EQ(state_of(spinning), 'R');
  for (const pid_t child : {spinning, sleeping}) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

TEST(ProcessTree, KillsOnlyTheProcessesThatWereLeftInAFolder) {
  const auto start = [](const std::string& folder) {
    process::Spawn spawn{{"sleep", "60"}};
    spawn.environment = {{kWorkFolderVariable, folder}};
    return *process::spawn(spawn);
  };
  const pid_t ours = start("/some/folder");
  const pid_t other = start("/some/folder2");
  EXPECT_THAT(kill_leftovers("/some/folder"), ElementsAre(ours));
  int status = 0;
  ASSERT_EQ(::waitpid(ours, &status, 0), ours);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(::waitpid(other, &status, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, &status, 0);
}

TEST(Reference, HasAKeyThatChangesWithEverythingThatOutputsDependOn) {
  work::Model model;
  model.key.hash = "abc";
  work::Protocol protocol;
  work::Compiler compiler;
  compiler.name = "identity";
  compiler.version = "2.15.0";
  samples::Provenance with{.manifest_sha256 = "m", .worker_sha256 = "w"};
  const std::string key = reference_key(model, protocol, compiler, with);
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(key, reference_key(model, protocol, compiler, with));
  std::set<std::string> keys{key};
  protocol.seed = 2;
  keys.insert(reference_key(model, protocol, compiler, with));
  protocol.tolerances.absolute = 0.1;  // decides what is random or sensitive
  keys.insert(reference_key(model, protocol, compiler, with));
  model.key.batch = 2;
  keys.insert(reference_key(model, protocol, compiler, with));
  compiler.version = "2.15.1";
  keys.insert(reference_key(model, protocol, compiler, with));
  compiler.options = {{"channels_last", "true"}};
  keys.insert(reference_key(model, protocol, compiler, with));
  for (std::string samples::Provenance::* const hash :
       {&samples::Provenance::manifest_sha256, &samples::Provenance::worker_sha256,
        &samples::Provenance::package_sha256, &samples::Provenance::plugin_sha256,
        &samples::Provenance::exporter_sha256}) {
    with.*hash += "2";
    keys.insert(reference_key(model, protocol, compiler, with));
  }
  EXPECT_EQ(keys.size(), 11U);
}

TEST(Reference, IsAdoptedOnlyIfItIsWhole) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder.path() / "bad", "NGBREF0"));
  EXPECT_FALSE(check_reference_file(folder.path() / "bad"));
  EXPECT_FALSE(adopt_reference(folder.path() / "bad", folder.path() / "good"));
  const std::string json = R"({"reference":"a","confirmed_by":"","doubt_kind":"random","doubt":"","sha256":")" +
                           hash::sha256("data") + R"("})";
  const std::string whole =
      "NGBREF05" + std::string(1, static_cast<char>(json.size())) + std::string(3, '\0') + json + "data";
  ASSERT_TRUE(file::write_atomically(folder.path() / "written", whole));
  ASSERT_TRUE(adopt_reference(folder.path() / "written", folder.path() / "good"));
  CheckedReferences references;
  EXPECT_EQ(references.look(folder.path() / "good").value_or(ReferenceFile{}).sha256, hash::sha256("data"));
  EXPECT_EQ(references.look(folder.path() / "good").value_or(ReferenceFile{}).doubt_kind, "random");
  for (const std::string& damaged : {whole.substr(0, whole.size() - 1), whole + "x", "NGBREF02" + whole.substr(8),
                                     whole.substr(0, whole.size() - 1) + "b", std::string()}) {
    ASSERT_TRUE(file::write_atomically(folder.path() / "good", damaged));
    EXPECT_FALSE(references.look(folder.path() / "good")) << damaged;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "written"));
}

class BuildsOf : public testing::Test {
 protected:
  BuildsOf() {
    for (const char* file : {"ngb-worker", "lib/python/ngraphbench/adaptor.py", "lib/compilers/identity/identity.py",
                             "lib/compilers/tvm/tvm.so", "lib/compilers/torchscript/torchscript.py"}) {
      write(file, "first");
    }
    write("lib/compilers/torchscript/compiler.json", R"({"toolchain":"identity"})");
  }
  void write(const std::string& file, const std::string& content) {
    std::filesystem::create_directories((folder_.path() / file).parent_path());
    ASSERT_TRUE(file::write_atomically(folder_.path() / file, content));
  }
  [[nodiscard]] std::string build(const std::string& compiler) const {
    Builds builds(surroundings_);
    return builds.of({.compiler = compiler}, nullptr).value().build();
  }

  TemporaryFolder folder_;
  Surroundings surroundings_{.worker = folder_.path() / "ngb-worker", .lib = folder_.path() / "lib"};
};

TEST_F(BuildsOf, DifferWhenAPartDoes) {
  const std::string tvm = build("tvm");
  EXPECT_EQ(build("tvm"), tvm);
  write("lib/compilers/tvm/tvm.so", "second");
  const std::string with_plugin = build("tvm");
  EXPECT_NE(with_plugin, tvm);
  write("ngb-worker", "second");
  const std::string with_worker = build("tvm");
  EXPECT_NE(with_worker, with_plugin);
  write("lib/python/ngraphbench/adaptor.py", "second");
  EXPECT_NE(build("tvm"), with_worker);
}

TEST_F(BuildsOf, IncludeTheFolderWhoseModulesAnAdaptorImports) {
  const std::string torchscript = build("torchscript");
  write("lib/compilers/identity/identity.py", "second");
  EXPECT_NE(build("torchscript"), torchscript);
}

TEST_F(BuildsOf, LeaveOutPythonsCaches) {
  const std::string before = build("identity");
  write("lib/compilers/identity/__pycache__/identity.pyc", "compiled");
  EXPECT_EQ(build("identity"), before);
}

TEST_F(BuildsOf, AreWatchedWhileTheyAreInUse) {
  const std::filesystem::path site = folder_.path() / "site";
  write("site/onnxruntime-1.31.1.dist-info/RECORD", "");
  Builds builds(surroundings_);
  ASSERT_TRUE(builds.of({.compiler = "tvm", .toolchain_dir = site.string()}, nullptr));
  EXPECT_TRUE(builds.check_unchanged());
  write("site/__pycache__/six.pyc", "compiled");
  EXPECT_TRUE(builds.check_unchanged());
  std::filesystem::rename(site / "onnxruntime-1.31.1.dist-info", site / "onnxruntime-1.30.0.dist-info");
  EXPECT_EQ(builds.check_unchanged().error().where, site.string());
  std::filesystem::rename(site / "onnxruntime-1.30.0.dist-info", site / "onnxruntime-1.31.1.dist-info");
  EXPECT_TRUE(builds.check_unchanged());
  write("lib/compilers/tvm/tvm.so", "second");
  EXPECT_EQ(builds.check_unchanged().error().where, (folder_.path() / "lib/compilers/tvm/tvm.so").string());
}

TEST_F(BuildsOf, NameThePartsInWhichTheyDiffer) {
  EXPECT_EQ(differing_parts({.manifest_sha256 = "aaaabbbbccccdddd", .worker_sha256 = "w", .plugin_sha256 = "1"},
                            {.worker_sha256 = "w", .plugin_sha256 = "2"}),
            "toolchain (aaaabbbbcccc before, none now), plugin or adaptor (1 before, 2 now)");
}

}  // namespace
}  // namespace ngb::agent

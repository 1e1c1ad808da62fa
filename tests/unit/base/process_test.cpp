// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "temporary_folder.h"

namespace ngb::process {
namespace {

TEST(Run, GivesExitCodeAndOutputOfBothStreams) {
  const auto outcome = run({.arguments = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_EQ(outcome->output, "out\nerr\n");
}

TEST(Run, ReportsTheSignalThatEndedTheProgram) {
  const auto outcome = run({.arguments = {"sh", "-c", "kill -SEGV $$"}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->signal, SIGSEGV);
  EXPECT_FALSE(outcome->exit_code);
}

TEST(Run, FailsIfThereIsNoSuchProgram) {
  const auto outcome = run({.arguments = {"no-such-program-here"}});
  EXPECT_EQ(outcome.error().text(), "no-such-program-here: cannot start: No such file or directory");
}

TEST(Run, SaysOfAProgramWhoseLoaderIsMissingThatItIsNotTheProgramThatIs) {
  const TemporaryFolder folder;
  const std::filesystem::path program = folder.write("program", "#!/no/such/loader\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto outcome = run({.arguments = {program.string()}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::not_found);
  EXPECT_THAT(outcome.error().text(), testing::HasSubstr("glibc 2.34 or later"));
}

TEST(Run, PassesEachLineOnAtOnce) {
  std::vector<std::string> lines;
  ASSERT_TRUE(run({.arguments = {"printf", "a\\nb\\nc"}}, [&](std::string_view line) { lines.emplace_back(line); }));
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Run, EndsAProgramThatHangsAndNamesItsCommand) {
  const auto outcome = run({.arguments = {"sleep", "1000"}}, {}, std::chrono::milliseconds(50));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().where, "sleep 1000");
  EXPECT_NE(outcome.error().what.find("did not end within"), std::string::npos);
}

TEST(Run, EndsAProgramThatHasClosedItsOutputAndHangs) {
  const auto outcome =
      run({.arguments = {"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}}, {}, std::chrono::milliseconds(100));
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().what.find("did not end within"), std::string::npos);
}

TEST(Run, DoesNotWaitForOthersThatHoldTheOutputOfAnEndedProgram) {
  const auto outcome = run({.arguments = {"sh", "-c", "sleep 5 & exit 0"}}, {}, std::chrono::milliseconds(50));
  EXPECT_FALSE(outcome);
}

TEST(Run, WorksIfFewDescriptorsAreAllowed) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto outcome = run({.arguments = {"echo", "started"}});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->output, "started\n");
}

TEST(Spawn, PassesDescriptorsWhoseNumbersCross) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FileDescriptor read_end(ends[0]);
  const FileDescriptor write_end(ends[1]);
  // Each is to have the other's number in the child.
  const auto pid = spawn({.arguments = {"sh", "-c", fmt::format("echo crossed >&{}", read_end.get())},
                          .descriptors = {{write_end.get(), read_end.get()}, {read_end.get(), write_end.get()}}});
  ASSERT_TRUE(pid) << pid.error().text();
  ASSERT_EQ(::waitpid(*pid, nullptr, 0), *pid);
  std::string said(8, '\0');
  ASSERT_EQ(::read(read_end.get(), said.data(), said.size()), 8);
  EXPECT_EQ(said, "crossed\n");
}

TEST(Run, NeverInterpretsArguments) {
  const auto outcome = run({.arguments = {"printf", "%s", "$(id) ; 'x' \n"}});
  EXPECT_EQ(outcome->output, "$(id) ; 'x' \n");
}

TEST(Run, AddsVariablesToTheEnvironment) {
  const auto outcome = run({.arguments = {"sh", "-c", "echo $NGB_TEST_WORD"}, .environment = {{"NGB_TEST_WORD", "w"}}});
  EXPECT_EQ(outcome->output, "w\n");
}

TEST(Spawn, PassesOnlyTheNamedDescriptors) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  const auto outcome = run({.arguments = {"sh", "-c", "echo hello >&9; ls /proc/self/fd | tr '\\n' ' '"},
                            .descriptors = {{write_end.get(), 9}}});
  write_end.reset();
  char text[16] = {};
  ASSERT_EQ(::read(read_end.get(), text, sizeof text), 6);
  EXPECT_STREQ(text, "hello\n");
  EXPECT_EQ(outcome->output, "0 1 2 3 9 ");  // 3: ls itself reads the folder
}

TEST(EndOf, IsReadableOnceTheProcessHasEnded) {
  const auto pid = spawn({.arguments = {"sleep", "60"}});
  ASSERT_TRUE(pid) << pid.error().text();
  const FileDescriptor end = end_of(*pid);
  if (!end.is_open()) GTEST_SKIP() << "this kernel has no pidfd_open";
  pollfd source{end.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&source, 1, 0), 0);
  ::kill(*pid, SIGKILL);
  wait_for_end(end, std::chrono::hours(1));
  EXPECT_EQ(::poll(&source, 1, 0), 1);
  EXPECT_EQ(::waitpid(*pid, nullptr, WNOHANG), *pid);
}

TEST(EndOf, WithoutAHandleWaitsOnlyAMoment) { wait_for_end(FileDescriptor(), std::chrono::hours(1)); }

}  // namespace
}  // namespace ngb::process

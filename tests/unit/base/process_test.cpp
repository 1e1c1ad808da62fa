// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>

namespace ngb::process {
namespace {

TEST(Run, GivesExitCodeAndOutputOfBothStreams) {
  const auto outcome = run({.arguments = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_EQ(outcome->output, "out\nerr\n");
}

TEST(Run, TellsTheSignalThatEndedTheProgram) {
  const auto outcome = run({.arguments = {"sh", "-c", "kill -SEGV $$"}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->signal, SIGSEGV);
  EXPECT_FALSE(outcome->exit_code);
}

TEST(Run, IsAnErrorWhenThereIsNoSuchProgram) {
  const auto outcome = run({.arguments = {"no-such-program-here"}});
  EXPECT_EQ(outcome.error().text(), "no-such-program-here: cannot start: No such file or directory");
}

TEST(Run, HandsOverLinesAsTheyCome) {
  std::vector<std::string> lines;
  ASSERT_TRUE(run({.arguments = {"printf", "a\\nb\\nc"}}, [&](std::string_view line) { lines.emplace_back(line); }));
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Run, NeverInterpretsArguments) {
  const auto outcome = run({.arguments = {"printf", "%s", "$(id) ; 'x' \n"}});
  EXPECT_EQ(outcome->output, "$(id) ; 'x' \n");
}

TEST(Run, AddsVariablesToTheEnvironment) {
  const auto outcome = run({.arguments = {"sh", "-c", "echo $NGB_TEST_WORD"}, .environment = {{"NGB_TEST_WORD", "w"}}});
  EXPECT_EQ(outcome->output, "w\n");
}

TEST(Spawn, PassesOnlyTheDescriptorsThatAreNamed) {
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

}  // namespace
}  // namespace ngb::process

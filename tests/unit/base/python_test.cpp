// SPDX-License-Identifier: Apache-2.0
#include "base/python.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::python {
namespace {

using testing::ElementsAre;

TEST(PythonOfAToolchain, SeesNoPackagesOfTheInterpreterIfNgbHasInstalledIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder / "manifest.json", R"({"adopted": false})"));
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3", "-S"));
}

TEST(PythonOfAToolchain, IsUsedAsItIsIfItWasAdoptedOrHasNoManifestBesideIt) {
  const TemporaryFolder folder;
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3"));
  EXPECT_THAT(of_toolchain("python3", ""), ElementsAre("python3"));
  ASSERT_TRUE(file::write_atomically(folder / "manifest.json", R"({"adopted": true})"));
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3"));
  ASSERT_TRUE(file::write_atomically(folder / "manifest.json", "[]"));
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3"));
}

TEST(Ask, AnswersByADescriptorThatNothingElseWritesTo) {
  const Result<std::string> answer = ask({.interpreter = {"python3"}, .program = R"(
import atexit, os, sys
atexit.register(os.write, 1, b'last words of a library\n')
os.write(1, b'first words\n')
sys.stdout.write('words of a module\n')
print('the answer')
)"});
  EXPECT_EQ(answer.value(), "the answer");
}

TEST(Ask, FailsWithTheLastLineOfTheProgram) {
  const Result<std::string> answer =
      ask({.interpreter = {"python3"}, .program = "print('half')\nraise ValueError('no')"});
  EXPECT_EQ(answer.error().what, "ValueError: no");
}

TEST(Ask, FailsWithTheCodeOfAProgramThatSaysNothing) {
  EXPECT_EQ(ask({.interpreter = {"/bin/false"}, .program = ""}).error().text(),
            "/bin/false: ended with code 1 and said nothing");
}

// An empty entry of PYTHONPATH, as of PYTHONPATH=$PYTHONPATH:/x, is the working folder.
TEST(Ask, DoesNotDependOnVariablesOfPythonThatTheUserHasSet) {
  const TemporaryFolder folder;
  folder.write("json.py", "raise SystemExit('json.py of the working folder was run')");
  for (const auto& [name, value] :
       {std::pair{"PYTHONPATH", ":/x"}, std::pair{"PYTHONPATH", "."}, std::pair{"PYTHONVERBOSE", "1"},
        std::pair{"PYTHONMALLOCSTATS", "1"}, std::pair{"PYTHONHOME", "/nowhere"}, std::pair{"PYTHONINSPECT", "1"}}) {
    ::setenv(name, value, 1);
    const Result<std::string> answer =
        ask({.interpreter = {"python3"}, .program = "import json\nprint(json.dumps([1]))", .folder = folder.path()});
    ::unsetenv(name);
    EXPECT_EQ(answer.value_or(answer ? "" : answer.error().text()), "[1]") << name << "=" << value;
  }
}

}  // namespace
}  // namespace ngb::python

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/process.h"
#include "toolchain/folders.h"
#include "toolchain/pins.h"
#include "toolchain/python.h"
#include "wheels.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class Install : public WithWheels {
 protected:
  void put_script(const std::string& name, const std::string& content) {
    put(name, "#!/bin/sh\n" + content);
    fs::permissions(folder() / name, fs::perms::owner_all);
  }
  [[nodiscard]] std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root() / "toy")) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".lock")) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

std::vector<std::string> names(const Toolchain& toolchain) {
  std::vector<std::string> all;
  for (const Package& package : toolchain.packages) all.push_back(package.name + " " + package.version);
  return all;
}

TEST_F(Install, InstallsDependenciesOnlyIfTheyAreWanted) {
  make_wheel({"toy", "1.0", {"leaf>=1"}, {{"toy.py", "x = 1\n"}}});
  make_wheel({"leaf", "1.5", {}, {{"leaf.py", ""}}});
  const auto alone = install(root(), toy(), "1.0", remember());
  ASSERT_TRUE(alone) << alone.error().text();
  EXPECT_THAT(names(*alone), ElementsAre("toy 1.0"));
  EXPECT_EQ(alone->site, root() / "toy/1.0/site");
  EXPECT_TRUE(fs::exists(alone->site / "toy.py"));
  EXPECT_EQ(alone->packages[0].sha256.size(), 64U);
  EXPECT_GE(alone->packages[0].size_bytes, 6U);
  EXPECT_EQ(alone->size_bytes, alone->packages[0].size_bytes);
  EXPECT_TRUE(fs::exists(alone->python));

  ASSERT_TRUE(remove(root(), "toy", "1.0"));
  CompilerDescription whole = toy();
  whole.with_dependencies = true;
  EXPECT_THAT(names(*install(root(), whole, "1.0", {})), ElementsAre("leaf 1.5", "toy 1.0"));
}

TEST_F(Install, MakesTheBytecodeOfAllButTheTestsOfPackages) {
  make_wheel(
      {"toy", "1.0", {}, {{"toy.py", "x = 1\n"}, {"kit/part.py", "y = 1\n"}, {"kit/tests/test_part.py", "z = 1\n"}}});
  const auto made = install(folder() / "tests/toolchains", toy(), "1.0", {});  // not everything in there is a test
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(fs::exists(made->site / "__pycache__"));
  EXPECT_TRUE(fs::exists(made->site / "kit/__pycache__"));
  EXPECT_TRUE(fs::exists(made->site / "kit/tests/test_part.py"));
  EXPECT_FALSE(fs::exists(made->site / "kit/tests/__pycache__"));
}

TEST_F(Install, KeepsTwoVersionsSideBySide) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", "x = 1\n"}}});
  make_wheel({"toy", "2.0", {}, {{"toy.py", "x = 2\n"}}});
  ASSERT_TRUE(install(root(), toy(), "2.0", {}));
  ASSERT_TRUE(install(root(), toy(), "1.0", {}));
  EXPECT_THAT(entries(), ElementsAre("1.0", "2.0"));
  EXPECT_EQ(file::read(root() / "toy/1.0/site/toy.py").value(), "x = 1\n");
  EXPECT_EQ(file::read(root() / "toy/2.0/site/toy.py").value(), "x = 2\n");
  EXPECT_EQ(list(root())->size(), 2U);
}

TEST_F(Install, ReplacesADamagedToolchainAndSaysSo) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", "x = 1\n"}}});
  ASSERT_TRUE(install(root(), toy(), "1.0", {}));
  put("toolchains/toy/1.0/manifest.json", "");
  const auto made = install(root(), toy(), "1.0", remember());
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(lines(), testing::Contains("toy 1.0 is damaged: not JSON; it will be replaced"));
  EXPECT_TRUE(find(root(), "toy", "1.0")->has_value());
}

// The package of a default version, made up here: its hash is not the one in versions.json.
TEST_F(Install, RefusesAnUnknownWheelWithTheNameAndVersionOfADefault) {
  const std::string version = default_version("onnxruntime");
  make_wheel({"onnxruntime", version, {}, {{"onnxruntime.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.name = compiler.toolchain = "onnxruntime";
  compiler.requirements = {"onnxruntime=={version}"};
  compiler.imports = {"onnxruntime"};
  const auto refused = install(root(), compiler, version, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what,
              testing::ContainsRegex("not the one that this ngb was tested with: its SHA-256 is [0-9a-f]{64}, expected "
                                     "[0-9a-f]{64}"));
  EXPECT_THAT(refused.error().next, testing::HasSubstr("NGB_OTHER_WHEELS=1"));
  EXPECT_FALSE(fs::exists(root() / "onnxruntime" / version));
  ::setenv("NGB_OTHER_WHEELS", "1", 1);
  const auto taken = install(root(), compiler, version, {});
  ::unsetenv("NGB_OTHER_WHEELS");
  EXPECT_TRUE(taken) << taken.error().text();
}

TEST_F(Install, ReturnsAnInstalledToolchainWithoutPip) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}}});
  const auto first = install(root(), toy(), "1.0", {});
  ASSERT_TRUE(first);
  ::setenv("NGB_PYTHON", "/nowhere/python3", 1);
  const auto second = install(root(), toy(), "1.0", {});
  ::unsetenv("NGB_PYTHON");
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(second->created, first->created);
}

TEST_F(Install, UsesPipOfTheBaseInterpreterInAVirtualEnvironmentWithoutPip) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}}});
  const auto base = find_python();
  ASSERT_TRUE(base) << base.error().text();
  const std::string venv = (folder() / "venv").string();
  const auto made = process::run({.arguments = {base->executable, "-m", "venv", "--without-pip", venv}});
  ASSERT_TRUE(made && made->succeeded());
  ::setenv("NGB_PYTHON", (venv + "/bin/python").c_str(), 1);
  const auto found = find_python();
  const auto installed = install(root(), toy(), "1.0", {});
  ::unsetenv("NGB_PYTHON");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->command, base->executable);
  EXPECT_EQ(found->pip_version, base->pip_version);
  EXPECT_TRUE(installed) << installed.error().text();
}

TEST_F(Install, FollowsExtrasAndMergesNamespaces) {
  make_wheel(
      {"toy", "1.0", {"kit[blas,fft]==3.0", "gone; python_version < \"3\""}, {{"toy.py", "import nv.blas, nv.rt\n"}}});
  make_wheel(
      {"kit", "3.0", {"nv-blas==3.1; extra == \"blas\"", "nv-solver==3.2; extra == \"solver\""}, {{"kit.py", ""}}});
  make_wheel({"nv-blas", "3.1", {"nv-rt<2"}, {{"nv/blas/__init__.py", ""}}});
  make_wheel({"nv-solver", "3.2", {}, {{"nv/solver/__init__.py", ""}}});
  make_wheel({"nv-rt", "1.9", {}, {{"nv/rt/__init__.py", ""}}});
  make_wheel({"nv-rt", "2.0", {}, {{"nv/rt/__init__.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  const auto made = install(root(), compiler, "1.0", {});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(names(*made), ElementsAre("kit 3.0", "nv-blas 3.1", "nv-rt 1.9", "toy 1.0"));
  EXPECT_TRUE(fs::exists(made->site / "nv/blas/__init__.py"));
  EXPECT_TRUE(fs::exists(made->site / "nv/rt/__init__.py"));
}

// As real packages do: an extra that names the package itself with more extras.
TEST_F(Install, InstallsNoExtraThatNothingRequires) {
  make_wheel({"toy", "1.0", {"toy[big]; extra == \"all\"", "huge; extra == \"big\"", "leaf"}, {{"toy.py", ""}}});
  make_wheel({"huge", "1.0", {}, {{"huge.py", ""}}});
  make_wheel({"leaf", "1.0", {}, {{"leaf.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  EXPECT_THAT(names(*install(root(), compiler, "1.0", {})), ElementsAre("leaf 1.0", "toy 1.0"));
}

TEST_F(Install, ChoosesAnOlderPackageIfALaterRequirementExcludesTheNewest) {
  make_wheel({"toy", "1.0", {"leaf", "branch"}, {{"toy.py", ""}}});
  make_wheel({"branch", "1.0", {"leaf<2"}, {{"branch.py", ""}}});
  make_wheel({"leaf", "1.0", {}, {{"leaf_one.py", ""}}});
  make_wheel({"leaf", "2.0", {}, {{"leaf_two.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  const auto made = install(root(), compiler, "1.0", {});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(names(*made), ElementsAre("branch 1.0", "leaf 1.0", "toy 1.0"));
  EXPECT_TRUE(fs::exists(made->site / "leaf_one.py"));
  EXPECT_FALSE(fs::exists(made->site / "leaf_two.py"));
}

TEST_F(Install, SkipsGpuPackagesWithoutAGpu) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA GPU";
  make_wheel({"toy", "1.0", {"nv-big==1.0", "leaf"}, {{"toy.py", ""}}});
  make_wheel({"nv-big", "1.0", {}, {{"nv_big.py", ""}}});
  make_wheel({"leaf", "1.0", {}, {{"leaf.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  compiler.skip_without_gpu = {"NV_Big"};
  EXPECT_THAT(names(*install(root(), compiler, "1.0", {})), ElementsAre("leaf 1.0", "toy 1.0"));
}

// pip's resolver chooses an older "branch", because the newest one and "toy" exclude each other.
TEST_F(Install, ChoosesAnOlderPackageIfTheNewestOneExcludesAnother) {
  make_wheel({"toy", "1.0", {"branch", "leaf<2"}, {{"toy.py", ""}}});
  make_wheel({"branch", "2.0", {"leaf>=2"}, {{"branch.py", ""}}});
  make_wheel({"branch", "1.0", {"leaf>=1"}, {{"branch.py", ""}}});
  for (const char* version : {"1.0", "2.0"}) make_wheel({"leaf", version, {}, {{"leaf.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  const auto made = install(root(), compiler, "1.0", {});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(names(*made), ElementsAre("branch 1.0", "leaf 1.0", "toy 1.0"));
}

TEST_F(Install, SaysInPipsWordsThatRequirementsExcludeEachOther) {
  make_wheel({"toy", "1.0", {"leaf<2", "leaf>=2"}, {{"toy.py", ""}}});
  for (const char* version : {"1.0", "2.0"}) make_wheel({"leaf", version, {}, {{"leaf.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  const auto made = install(root(), compiler, "1.0", {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what,
              HasSubstr("cannot install toy 1.0: Cannot install toy==1.0 because these package versions "
                        "have conflicting dependencies."));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Install, PrefersABuildWithoutCudaWithoutAGpu) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA GPU";
  make_wheel({"toy", "1.0", {"nv-big"}, {{"toy.py", "build = 'plain'\n"}}});
  make_wheel({"toy", "1.0+cu132", {"nv-big"}, {{"toy.py", "build = 'cu132'\n"}}});
  make_wheel({"toy", "1.0+cpu", {"leaf"}, {{"toy.py", "build = 'cpu'\n"}}});
  make_wheel({"nv-big", "1.0", {}, {{"nv_big.py", ""}}});
  for (const char* version : {"1.0+cpu", "2.0"}) make_wheel({"leaf", version, {}, {{"leaf.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  const auto made = install(root(), compiler, "1.0", {});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(names(*made), ElementsAre("leaf 2.0", "toy 1.0+cpu"));  // a newer release is still preferred
  EXPECT_EQ(file::read(made->site / "toy.py").value(), "build = 'cpu'\n");
  EXPECT_EQ(made->version, "1.0");
}

TEST_F(Install, SaysWhatThePackagesWeighBeforeTheyCome) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA GPU";
  make_wheel({"toy", "1.0", {"triton"}, {{"toy.py", std::string(50'000, '#')}}});
  make_wheel({"triton", "1.0", {}, {{"triton.py", std::string(90'000, '#')}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  compiler.skip_without_gpu = {"triton"};
  ASSERT_TRUE(install(root(), compiler, "1.0", remember()));
  ASSERT_EQ(lines().size(), 3U);
  EXPECT_EQ(lines()[0], "choosing packages");
  // The files, and less than 1 kB of what describes them.
  EXPECT_THAT(lines()[1],
              MatchesRegex("1 package: 50\\.[0-9] kB to download, 50\\.[0-9] kB on disk; left out, because only "
                           "a GPU needs them: triton \\(90\\.[0-9] kB\\)"));
  EXPECT_EQ(lines()[2], "importing toy");
}

TEST_F(Install, InstallsTheWholeSetIfTheSmallOneDoesNotLoad) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA GPU";
  make_wheel({"toy", "1.0", {"nv-big==1.0"}, {{"toy.py", "import nv_big\n"}}});
  make_wheel({"nv-big", "1.0", {}, {{"nv_big.py", ""}}});
  CompilerDescription compiler = toy();
  compiler.with_dependencies = true;
  compiler.skip_without_gpu = {"nv-big"};
  const auto made = install(root(), compiler, "1.0", remember());
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(names(*made), ElementsAre("nv-big 1.0", "toy 1.0"));
  EXPECT_THAT(lines(), Contains(HasSubstr("No module named 'nv_big'; installing the packages for GPUs too")));
}

TEST_F(Install, LeavesNothingBehindIfItDoesNotLoad) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", "raise RuntimeError('no such instruction')\n"}}});
  const auto made = install(root(), toy(), "1.0", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "cannot install toy 1.0: cannot import toy: RuntimeError: no such instruction");
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Install, ListsTheNearestVersionsIfAVersionDoesNotExist) {
  for (const char* version : {"1.0", "1.1", "2.0"}) make_wheel({"toy", version, {}, {{"toy.py", ""}}});
  const auto made = install(root(), toy(), "1.2", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "cannot install toy 1.2: no such version: toy==1.2");
  EXPECT_EQ(made.error().next, "versions near it: 1.0, 1.1, 2.0");
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Install, ListsTheVersionsThatTheIndexHas) {
  for (const char* version : {"1.0", "1.10", "1.9", "2.0rc1"}) make_wheel({"toy", version, {}, {{"toy.py", ""}}});
  const auto versions = available_versions(toy());
  ASSERT_TRUE(versions) << versions.error().text();
  EXPECT_THAT(*versions, ElementsAre("2.0rc1", "1.10", "1.9", "1.0"));
}

TEST_F(Install, ListsNoVersionsOfAnUnknownPackageOrOfAnIndexThatDoesNotAnswer) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}}});
  CompilerDescription unknown = toy();
  unknown.requirements = {"unheard-of=={version}"};
  EXPECT_EQ(available_versions(unknown).error().code, ErrorCode::not_found);
  ::unsetenv("PIP_NO_INDEX");
  ::setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple", 1);  // nothing listens on the port "discard"
  ::setenv("PIP_RETRIES", "0", 1);
  const auto half = available_versions(toy());  // the folder of wheels still answers
  ::setenv("PIP_NO_INDEX", "1", 1);
  ::unsetenv("PIP_INDEX_URL");
  ::unsetenv("PIP_RETRIES");
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().code, ErrorCode::unreachable);
  EXPECT_EQ(half.error().what, "no connection to the package index");
}

TEST_F(Install, GivesTheCompilersOwnAdviceIfItFails) {
  CompilerDescription compiler = toy();
  compiler.install_advice = "add the vendor's index";
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}}});
  EXPECT_EQ(install(root(), compiler, "1.2", {}).error().next, "versions near it: 1.0; add the vendor's index");
  EXPECT_TRUE(install(root(), compiler, "1.0", {}));
}

TEST_F(Install, TriesTheFirstExistingModuleOfSeveral) {
  CompilerDescription compiler = toy();
  compiler.imports = {"toy|toy_core"};
  make_wheel({"toy", "1.0", {}, {{"toy_core.py", ""}}});
  EXPECT_TRUE(install(root(), compiler, "1.0", {}));
  make_wheel({"toy", "1.1", {}, {{"toy.py", "raise RuntimeError('broken')\n"}, {"toy_core.py", ""}}});
  EXPECT_THAT(install(root(), compiler, "1.1", {}).error().what, HasSubstr("RuntimeError: broken"));
  make_wheel({"toy", "1.2", {}, {{"other.py", ""}}});
  EXPECT_THAT(install(root(), compiler, "1.2", {}).error().what, HasSubstr("No module named 'toy'"));
}

TEST_F(Install, RefusesToStartIfTheDiskIsTooSmall) {
  CompilerDescription compiler = toy();
  compiler.disk_bytes = 9'000'000'000'000'000'000U;
  const auto made = install(root(), compiler, "1.0", {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("about 9e+06 TB are needed"));
}

TEST_F(Install, SaysWhatToDoWithoutPythonWithoutPipAndWithAnOldPip) {
  const auto error_with = [&](const fs::path& python) {
    ::setenv("NGB_PYTHON", python.c_str(), 1);
    const auto made = install(root(), toy(), "1.0", {});
    ::unsetenv("NGB_PYTHON");
    return made ? Error{"no error", "", ""} : made.error();
  };
  EXPECT_THAT(error_with("/nowhere/python3").next, HasSubstr("install Python 3.9 or newer"));
  put_script("no_pip",
             "echo \"{\\\"executable\\\": \\\"$0\\\", \\\"version\\\": \\\"3.11.2\\\", \\\"pip\\\": \\\"\\\"}\" >&3\n");
  EXPECT_THAT(error_with(folder() / "no_pip").what, HasSubstr("this Python has no pip"));
  put_script("old_pip",
             "echo '{\"executable\": \"/usr/bin/python3\", \"version\": \"3.9.2\", \"pip\": \"20.3.4\"}' >&3\n");
  EXPECT_THAT(error_with(folder() / "old_pip").what, HasSubstr("pip 20.3.4 is too old"));
  put_script("old_python", "echo '{\"executable\": \"/usr/bin/python3\", \"version\": \"3.8.10\"}' >&3\n");
  EXPECT_THAT(error_with(folder() / "old_python").what, HasSubstr("Python 3.8.10 is too old"));
}

// The child is killed while it verifies the packages: everything is laid out, only manifest and name are missing.
TEST_F(Install, KilledInTheMiddleLeavesOnlyAPartialFolderThatTheNextOneRemoves) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}, {"endless.py", "import time\nwhile True: time.sleep(60)\n"}}});
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    CompilerDescription endless = toy();
    endless.imports = {"endless"};
    const auto unreachable = install(root(), endless, "1.0", [&](std::string_view line) {
      if (line.starts_with("importing")) [[maybe_unused]]
        const ssize_t count = ::write(ends[1], "x", 1);
    });
    ::_exit(unreachable ? 1 : 2);
  }
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ::close(ends[0]);
  ::close(ends[1]);

  EXPECT_THAT(entries(), ElementsAre(fmt::format("1.0.partial-{}", child)));
  EXPECT_TRUE(list(root())->empty());
  const auto made = install(root(), toy(), "1.0", {});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(entries(), ElementsAre("1.0"));
}

}  // namespace
}  // namespace ngb::toolchain

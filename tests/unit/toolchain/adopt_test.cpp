// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/process.h"
#include "base/python.h"
#include "wheels.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Adopt : public WithWheels {
 protected:
  void run(std::vector<std::string> arguments) {
    const auto outcome = process::run({.arguments = std::move(arguments), .inherits = environment::Share::network});
    ASSERT_TRUE(outcome && outcome->succeeded()) << (outcome ? outcome->output : outcome.error().text());
  }
  // A virtual environment with toy 2.0+cpu in it.
  fs::path make_venv() {
    make_wheel({"toy", "2.0+cpu", {}, {{"toy.py", ""}}});
    run({"python3", "-m", "venv", (folder() / "venv").string()});
    run({(folder() / "venv/bin/python").string(), "-m", "pip", "install", "--quiet", "toy"});
    return folder() / "venv";
  }
};

TEST_F(Adopt, AdoptsAVirtualEnvironmentWithItsOwnPython) {
  const fs::path venv = make_venv();
  const auto adopted = adopt(root(), toy(), venv);
  ASSERT_TRUE(adopted) << adopted.error().text();
  EXPECT_EQ(adopted->version, "2.0");
  EXPECT_EQ(adopted->python, fs::canonical(venv) / "bin/python");
  EXPECT_TRUE(adopted->is_adopted);
  EXPECT_TRUE(fs::exists(adopted->site / "toy.py"));
  ASSERT_EQ(list(root())->size(), 1U);
  bool has_toy = false;
  for (const Package& package : adopted->packages)
    has_toy = has_toy || (package.name == "toy" && package.version == "2.0+cpu");
  EXPECT_TRUE(has_toy);

  const auto again = adopt(root(), toy(), venv);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().what, "toy 2.0 exists already");

  ASSERT_TRUE(remove(root(), "toy", "2.0"));
  EXPECT_TRUE(fs::exists(adopted->site / "toy.py")) << "what was adopted is not ours to delete";
  EXPECT_TRUE(list(root())->empty());
}

TEST_F(Adopt, DetectsAnotherBuildOfTheAdoptedVersion) {
  const auto install = [this] {
    run({"python3", "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--force-reinstall", "--target",
         (folder() / "packages").string(), "toy"});
  };
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}}});
  install();
  const auto first = adopt(root(), toy(), folder() / "packages");
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_TRUE(check_adopted(*first));
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}, {"toy_slow.py", ""}}});
  install();
  const Status changed = check_adopted(*find(root(), "toy", "1.0").value());
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().what, HasSubstr("toy is not the 1.0 that was adopted"));
  ASSERT_TRUE(remove(root(), "toy", "1.0"));
  EXPECT_NE(adopt(root(), toy(), folder() / "packages")->manifest_sha256, first->manifest_sha256);
}

TEST_F(Adopt, AdoptsAFolderOfPackages) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", ""}}});
  run({"python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", (folder() / "packages").string(), "toy"});
  const auto adopted = adopt(root(), toy(), folder() / "packages");
  ASSERT_TRUE(adopted) << adopted.error().text();
  EXPECT_EQ(adopted->version, "1.0");
  EXPECT_EQ(adopted->site, fs::canonical(folder() / "packages"));
}

TEST_F(Adopt, IgnoresPackagesOfTheInterpreterWhereAFolderIsNamed) {
  put("packages/toy.py", "");
  put("packages/toy_gpu-2.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy-gpu\nVersion: 2.0\n");
  put("others/toy-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n");
  put("bin/python3", "#!/bin/sh\nPYTHONPATH=\"$PYTHONPATH:" + (folder() / "others").string() + "\" exec " +
                         python::default_command() + " \"$@\"\n");
  fs::permissions(folder() / "bin/python3", fs::perms::owner_all);
  ::setenv("NGB_PYTHON", (folder() / "bin/python3").c_str(), 1);
  CompilerDescription compiler = toy();
  compiler.distributions = {"toy", "toy-gpu"};
  const auto adopted = adopt(root(), compiler, folder() / "packages");
  ::unsetenv("NGB_PYTHON");
  ASSERT_TRUE(adopted) << adopted.error().text();
  EXPECT_EQ(adopted->version, "2.0");
  EXPECT_EQ(adopted->site, fs::canonical(folder() / "packages"));
}

TEST_F(Adopt, FailsIfTheCompilerIsMissing) {
  fs::create_directories(folder() / "empty");
  const auto adopted = adopt(root(), toy(), folder() / "empty");
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().what, "cannot adopt as toy: no package toy there");
  EXPECT_FALSE(adopt(root(), toy(), folder() / "nowhere"));
}

TEST_F(Adopt, FailsIfTheCompilerDoesNotLoad) {
  put("packages/toy.py", "import missing_library\n");
  put("packages/toy-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n");
  const auto adopted = adopt(root(), toy(), folder() / "packages");
  ASSERT_FALSE(adopted);
  EXPECT_THAT(adopted.error().what, HasSubstr("No module named 'missing_library'"));
}

}  // namespace
}  // namespace ngb::toolchain

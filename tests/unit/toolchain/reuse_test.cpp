// SPDX-License-Identifier: Apache-2.0
#include "toolchain/reuse.h"

#include <gmock/gmock.h>

#include "wheels.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Python kPython{.command = "python3", .executable = "/usr/bin/python3.11", .version = "3.11.7"};

Toolchain with_numpy(const std::string& compiler, const std::string& sha256) {
  return {.compiler = compiler,
          .version = "1.0",
          .python = kPython.executable,
          .python_version = kPython.version,
          .packages = {{.name = "numpy", .version = "2.4", .sha256 = sha256}}};
}

std::vector<std::string> lenders(const std::vector<Toolchain>& toolchains) {
  const ChosenWheel numpy{.name = "numpy", .version = "2.4", .sha256 = "a1"};
  std::vector<std::string> names;
  for (const Loan& loan : loans(toolchains, kPython, {numpy})) names.push_back(loan.from.compiler);
  return names;
}

TEST(Loans, AreOfTheSameWheelForTheSamePython) {
  Toolchain older = with_numpy("older", "a1");
  older.python_version = "3.11.2";
  Toolchain other = with_numpy("other", "a1");
  other.python = "/usr/local/bin/python3.11";
  Toolchain adopted = with_numpy("adopted", "a1");
  adopted.is_adopted = true;
  EXPECT_THAT(lenders({older, other, adopted, with_numpy("rebuilt", "b2")}), IsEmpty());
  EXPECT_THAT(lenders({older, with_numpy("tvm", "a1"), with_numpy("xla", "a1")}), ElementsAre("tvm"));
}

TEST(Loans, AreNotOfWheelsWhoseHashTheIndexDoesNotTell) {
  EXPECT_THAT(loans({with_numpy("tvm", "")}, kPython, {{.name = "numpy", .version = "2.4"}}), IsEmpty());
}

class Reuse : public WithWheels {
 protected:
  // Installs a compiler called like its package, with what it requires.
  Toolchain install_whole(const std::string& name) {
    CompilerDescription compiler = toy();
    compiler.name = compiler.toolchain = name;
    compiler.requirements = {name + "=={version}"};
    compiler.imports = {name};
    compiler.with_dependencies = true;
    const auto made = install(root(), compiler, "1.0", remember());
    EXPECT_TRUE(made) << made.error().text();
    return made.value_or(Toolchain{});
  }
};

TEST_F(Reuse, MakesBytecodeAnewBecauseThatOfTheLenderHasNoHash) {
  make_wheel({"toy", "1.0", {"whole"}, {{"toy.py", ""}}});
  make_wheel({"tree", "1.0", {"whole"}, {{"tree.py", "import whole\n"}}});
  make_wheel({"whole", "1.5", {}, {{"whole.py", "x = 1\n"}, {"tests/test_whole.py", "z = 1\n"}}});
  const Toolchain lender = install_whole("toy");
  const auto bytecode_in = [](const fs::path& site) {
    for (const auto& each : fs::directory_iterator(site / "__pycache__")) {
      if (each.path().filename().string().starts_with("whole.")) return each.path();
    }
    return fs::path("none");
  };
  const fs::path theirs = bytecode_in(lender.site);
  const std::string right = file::read(theirs).value();
  ASSERT_TRUE(file::write_atomically(theirs, right.substr(0, 16) + "another program"));
  const Toolchain tree = install_whole("tree");
  EXPECT_THAT(lines(), Contains("copied from toy 1.0: whole"));
  EXPECT_EQ(file::read(bytecode_in(tree.site)).value(), right);
  EXPECT_FALSE(fs::exists(tree.site / "tests/__pycache__"));
}

TEST_F(Reuse, CopiesWholePackagesWithTheirBytecodeAndLeavesToPipThoseWithAChangedOrMissingFile) {
  make_wheel({"toy", "1.0", {"whole", "changed", "missing"}, {{"toy.py", ""}}});
  make_wheel({"tree", "1.0", {"whole", "changed", "missing"}, {{"tree.py", "import whole, changed, missing\n"}}});
  for (const std::string name : {"whole", "changed", "missing"}) {
    make_wheel({name,
                "1.5",
                {},
                {{name + "/__init__.py", "x = 1\n"}, {name + "-1.5.data/scripts/" + name + "-run", "#!python\n"}}});
  }
  const Toolchain lender = install_whole("toy");
  put("toolchains/toy/1.0/site/changed/__init__.py", "x = 2\n");
  fs::remove(lender.site / "bin/missing-run");

  const Toolchain tree = install_whole("tree");
  EXPECT_THAT(lines(), Contains("copied from toy 1.0: whole"));
  for (const std::string name : {"whole", "changed", "missing"}) {
    EXPECT_EQ(file::read(tree.site / name / "__init__.py").value(), "x = 1\n") << name;
    EXPECT_TRUE(fs::exists(tree.site / name / "__pycache__")) << name;
    EXPECT_TRUE(fs::exists(tree.site / "bin" / (name + "-run"))) << name;
  }
  ASSERT_EQ(tree.packages.size(), 4U);
  EXPECT_EQ(tree.packages[3].name, "whole");
  EXPECT_EQ(tree.packages[3].sha256, lender.packages[3].sha256);
  EXPECT_EQ(tree.packages[3].size_bytes, lender.packages[3].size_bytes);
  // The same time, to which the bytecode refers, and another file.
  EXPECT_EQ(fs::last_write_time(tree.site / "whole/__init__.py"),
            fs::last_write_time(lender.site / "whole/__init__.py"));
  EXPECT_FALSE(fs::equivalent(tree.site / "whole/__init__.py", lender.site / "whole/__init__.py"));
  EXPECT_NE(fs::last_write_time(tree.site / "changed/__init__.py"),
            fs::last_write_time(lender.site / "changed/__init__.py"));
}

}  // namespace
}  // namespace ngb::toolchain

// SPDX-License-Identifier: Apache-2.0
// Tests `ngb toolchain install` of what is installed already, but is not as it was installed.
#include <gmock/gmock.h>

#include <functional>

#include "base/file.h"
#include "wheels.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Mending : public WithWheels {
 protected:
  [[nodiscard]] std::vector<std::string> folders() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root() / "toy")) {
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
    return names;
  }
};

// An ngb with another pin has installed the toolchain.
TEST_F(Mending, ChoosesPackagesAnewIfAPinHasMoved) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", "x = 1\n"}}});
  make_wheel({"leaf", "1.4", {}, {{"leaf.py", "x = 4\n"}}});
  make_wheel({"leaf", "1.5", {}, {{"leaf.py", "x = 5\n"}}});
  CompilerDescription compiler = toy();
  compiler.requirements.emplace_back("leaf==1.5");
  ASSERT_TRUE(install(root(), compiler, "1.0", {}));
  compiler.requirements.back() = "leaf==1.4";
  const auto made = install(root(), compiler, "1.0", remember());
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->packages.front().version, "1.4");
  EXPECT_EQ(file::read(made->site / "leaf.py").value(), "x = 4\n");
  EXPECT_THAT(lines(), Contains("leaf 1.5, pinned to 1.4: its packages are chosen anew"));
}

TEST_F(Mending, ReplacesWhatDiffersAndCopiesTheRest) {
  make_wheel({"toy", "1.0", {"leaf", "branch"}, {{"toy.py", "import leaf, branch\n"}}});
  make_wheel({"leaf", "1.0", {}, {{"leaf/__init__.py", "x = 1\n"}, {"leaf/library.so", std::string(5000, 'x')}}});
  make_wheel({"branch", "1.0", {}, {{"branch.py", "y = 1\n"}}});
  CompilerDescription whole = toy();
  whole.with_dependencies = true;
  const auto first = install(root(), whole, "1.0", {});
  ASSERT_TRUE(first) << first.error().text();
  make_wheel({"branch", "2.0", {}, {{"branch.py", "y = 2\n"}}});  // a newer one is not what was installed
  const std::vector<std::function<void()>> damages{
      [&] { fs::remove_all(first->site / "leaf"); },
      [&] { fs::resize_file(first->site / "leaf/library.so", 100); },
      [&] { put("toolchains/toy/1.0/site/leaf/__init__.py", "x = 2\n"); },
      [&] {
        fs::remove_all(first->site / "leaf");
        fs::remove_all(first->site / "leaf-1.0.dist-info");
      },
  };
  for (const auto& damage : damages) {
    damage();
    EXPECT_FALSE(verify(*first)->empty());
    const auto mended = install(root(), whole, "1.0", remember());
    ASSERT_TRUE(mended) << mended.error().text();
    EXPECT_EQ(mended->manifest_sha256, first->manifest_sha256);
    EXPECT_THAT(lines(), Contains("copied from toy 1.0: branch, toy"));
    EXPECT_EQ(file::read(mended->site / "leaf/__init__.py").value(), "x = 1\n");
    EXPECT_EQ(fs::file_size(mended->site / "leaf/library.so"), 5000U);
    EXPECT_THAT(*verify(*mended), IsEmpty());
    EXPECT_THAT(folders(), ElementsAre("1.0"));
  }
}

TEST_F(Mending, RemovesWhatIsOfNoPackage) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", "x = 1\n"}}});
  const auto first = install(root(), toy(), "1.0", {});
  ASSERT_TRUE(first) << first.error().text();
  put("toolchains/toy/1.0/site/json.py", "");  // some other program has put it there
  EXPECT_THAT(*verify(*first), ElementsAre("site/json.py"));
  ASSERT_TRUE(install(root(), toy(), "1.0", {}));
  EXPECT_FALSE(fs::exists(first->site / "json.py"));
  EXPECT_THAT(*verify(*first), IsEmpty());
}

TEST_F(Mending, OfAToolchainOfAnEarlierNgbComparesTheRecordsOfItsPackagesAndListsItsFiles) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", "x = 1\n"}}});
  const auto first = install(root(), toy(), "1.0", {});
  ASSERT_TRUE(first) << first.error().text();
  const fs::path list = first->folder / ".ngraphbench-files";
  fs::remove(list);
  ASSERT_TRUE(install(root(), toy(), "1.0", {}));
  EXPECT_TRUE(fs::exists(list));
  fs::remove(list);
  put("toolchains/toy/1.0/site/toy.py", "x = 2\n");
  EXPECT_THAT(*verify(*first), ElementsAre("site/toy.py"));
  ASSERT_TRUE(install(root(), toy(), "1.0", {}));
  EXPECT_EQ(file::read(first->site / "toy.py").value(), "x = 1\n");
}

TEST_F(Mending, KeepsADamagedToolchainIfPipHasNotWhatItLacks) {
  make_wheel({"toy", "1.0", {}, {{"toy.py", "x = 1\n"}}});
  const auto first = install(root(), toy(), "1.0", {});
  ASSERT_TRUE(first) << first.error().text();
  put("toolchains/toy/1.0/site/toy.py", "x = 2\n");
  fs::remove_all(wheels());
  EXPECT_FALSE(install(root(), toy(), "1.0", {}));
  EXPECT_EQ(file::read(first->site / "toy.py").value(), "x = 2\n");
}

}  // namespace
}  // namespace ngb::toolchain

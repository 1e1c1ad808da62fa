// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "toolchain/manifest.h"
#include "wheels.h"

namespace ngb::toolchain {
namespace {

const Target kBoard{"aarch64", "2.35", "3.10.12", false};

std::vector<std::string> package_names(const Toolchain& toolchain) {
  std::vector<std::string> all;
  for (const Package& package : toolchain.packages) all.push_back(package.name);
  return all;
}

class Download : public WithWheels {
 protected:
  void SetUp() override {
    WithWheels::SetUp();
    make_wheel({"toy",
                "1.0",
                {"for-arm; platform_machine == 'aarch64'", "for-intel; platform_machine == 'x86_64'",
                 "old-python; python_version < '3.11'"},
                {{"toy.py", "raise SystemExit('not to be imported here')"}}});
    for (const char* name : {"for-arm", "for-intel", "old-python"}) make_wheel({name, "1.0", {}, {}});
    compiler_ = toy();
    compiler_.with_dependencies = true;
  }
  CompilerDescription compiler_;
};

TEST_F(Download, InstallsWhatTheDeviceNeedsAndRunsNothingOfItHere) {
  const auto downloaded = download(targets_root(root(), kBoard), compiler_, "1.0", kBoard, {});
  ASSERT_TRUE(downloaded) << downloaded.error().text();
  EXPECT_EQ(downloaded->folder, folder() / "toolchains-aarch64-cp310-glibc2.35/toy/1.0");
  EXPECT_EQ(package_names(*downloaded), (std::vector<std::string>{"for-arm", "old-python", "toy"}));
  EXPECT_TRUE(std::filesystem::exists(downloaded->site / "toy.py"));
  EXPECT_EQ(downloaded->python, "python3");
}

// pip by itself would follow this machine's markers, and not find what only the device needs.
TEST_F(Download, FollowsTheDevicesMarkersThroughRequirements) {
  make_wheel({"for-arm", "1.0", {"deep; platform_machine == 'aarch64'", "absent; platform_machine != 'aarch64'"}, {}});
  make_wheel({"deep", "1.0", {}, {}});
  const auto downloaded = download(targets_root(root(), kBoard), compiler_, "1.0", kBoard, {});
  ASSERT_TRUE(downloaded) << downloaded.error().text();
  EXPECT_EQ(package_names(*downloaded), (std::vector<std::string>{"deep", "for-arm", "old-python", "toy"}));
}

TEST_F(Download, ChoosesTheSameWheelsWithoutDownloadingThem) {
  const std::filesystem::path targets = targets_root(root(), kBoard);
  const auto chosen = choose(targets, compiler_, "1.0", kBoard, {});
  ASSERT_TRUE(chosen) << chosen.error().text();
  EXPECT_FALSE(std::filesystem::exists(targets / "toy/1.0"));
  const auto downloaded = download(targets, compiler_, "1.0", kBoard, {});
  ASSERT_TRUE(downloaded) << downloaded.error().text();
  EXPECT_EQ(chosen->manifest_sha256, downloaded->manifest_sha256);
}

}  // namespace
}  // namespace ngb::toolchain

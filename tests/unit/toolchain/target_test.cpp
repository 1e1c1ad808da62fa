// SPDX-License-Identifier: Apache-2.0
#include "toolchain/target.h"

#include <gmock/gmock.h>

namespace ngb::toolchain {
namespace {

using ::testing::ElementsAre;

TEST(Target, AcceptsWheelsForItsGlibcAndOlderOnesUnderAllTheirNames) {
  EXPECT_THAT(platform_tags({"aarch64", "2.19", "3.11", false}),
              ElementsAre("manylinux_2_19_aarch64", "manylinux_2_18_aarch64", "manylinux_2_17_aarch64",
                          "manylinux2014_aarch64", "linux_aarch64"));
  EXPECT_THAT(
      platform_tags({"x86_64", "2.13", "3.11", false}),
      ElementsAre("manylinux_2_13_x86_64", "manylinux_2_12_x86_64", "manylinux2010_x86_64", "manylinux_2_11_x86_64",
                  "manylinux_2_10_x86_64", "manylinux_2_9_x86_64", "manylinux_2_8_x86_64", "manylinux_2_7_x86_64",
                  "manylinux_2_6_x86_64", "manylinux_2_5_x86_64", "manylinux1_x86_64", "linux_x86_64"));
}

TEST(Target, IsPassedToPip) {
  EXPECT_THAT(
      pip_options({"aarch64", "2.17", "3.10.12", false}),
      ElementsAre("--python-version", "3.10", "--implementation", "cp", "--abi", "cp310", "--platform",
                  "manylinux_2_17_aarch64", "--platform", "manylinux2014_aarch64", "--platform", "linux_aarch64"));
}

TEST(Target, SharesAFolderWithTargetsOfTheSameWheels) {
  EXPECT_EQ(folder_name(make_target("aarch64", "2.35", "3.10.12", false).value()), "aarch64-cp310-glibc2.35");
  EXPECT_EQ(folder_name(make_target("aarch64", "2.35.1", "3.10.4", false).value()), "aarch64-cp310-glibc2.35");
  EXPECT_EQ(folder_name(make_target("x86_64", "2.36", "3.11", true).value()), "x86_64-cp311-glibc2.36-gpu");
}

TEST(Target, IsAnErrorIfADeviceReportsNonsense) {
  EXPECT_EQ(make_target("../x", "2.35", "3.10", false).error().what, "\"../x\" is not a kind of machine");
  EXPECT_EQ(make_target("aarch64", "musl", "3.10", false).error().what, "\"musl\" is not a version of glibc");
  EXPECT_EQ(make_target("aarch64", "2.35", "", false).error().what, "\"\" is not a version of Python");
  EXPECT_EQ(make_target("aarch64", "2.35", "3.8.10", false).error().what, "Python 3.8.10 is too old");
}

}  // namespace
}  // namespace ngb::toolchain

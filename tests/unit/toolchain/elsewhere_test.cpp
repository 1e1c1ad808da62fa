// SPDX-License-Identifier: Apache-2.0
#include "toolchain/elsewhere.h"

#include <gtest/gtest.h>

#include "toolchain/manifest.h"

namespace ngb::toolchain {
namespace {

Toolchain with(std::vector<Package> packages) {
  return {.compiler = "toy", .version = "1.0", .packages = std::move(packages)};
}

const Toolchain kFirst = with({{"toy", "1.0", "aa", 1}, {"numpy", "2.4.6", "bb", 1}});

TEST(Builds, OfOneVersionAreComparedPackageByPackage) {
  EXPECT_EQ(difference(kFirst, kFirst, true), std::nullopt);
  EXPECT_EQ(difference(with({{"toy", "1.0", "aa", 1}, {"numpy", "2.4.5", "bb", 1}}), kFirst, true),
            "numpy 2.4.5 instead of 2.4.6");
  EXPECT_EQ(difference(with({{"toy", "1.0", "aa", 1}, {"six", "1.17", "dd", 1}}), kFirst, true),
            "six 1.17 in addition, no numpy");
}

TEST(Builds, OnMachinesOfDifferentKindsHaveDifferentWheels) {
  const Toolchain other = with({{"toy", "1.0", "cc", 1}, {"numpy", "2.4.6", "bb", 1}});
  EXPECT_EQ(difference(other, kFirst, true), "another wheel of toy 1.0");
  EXPECT_EQ(difference(other, kFirst, false), std::nullopt);
}

TEST(Builds, OfAdoptedToolchainsMayHoldMoreAndHaveNoWheels) {
  const Toolchain adopted = without_manifest("toy", "1.0", "/usr/lib/python3/dist-packages",
                                             {{"Toy", "1.0"}, {"numpy", "2.4.6"}, {"apt", "2.6"}});
  EXPECT_TRUE(adopted.is_adopted);
  EXPECT_EQ(difference(adopted, kFirst, true), std::nullopt);
  EXPECT_EQ(difference(kFirst, adopted, true), std::nullopt);
}

TEST(Builds, AreReportedOnceForEachDeviceThatDiffersFromTheFirst) {
  Builds builds;
  const Toolchain older = with({{"toy", "1.0", "aa", 1}, {"numpy", "2.4.5", "bb", 1}});
  EXPECT_EQ(builds.add("edge1", "x86_64", kFirst), std::nullopt);
  EXPECT_EQ(builds.add("edge2", "x86_64", kFirst), std::nullopt);
  EXPECT_EQ(builds.add("edge3", "x86_64", older), "toy 1.0 is not built as on edge1: numpy 2.4.5 instead of 2.4.6");
  EXPECT_EQ(builds.add("edge3", "x86_64", older), std::nullopt);
}

TEST(VersionThere, IsThatOfTheCompilersPackageWithoutLocalPart) {
  CompilerDescription compiler;
  compiler.distributions = {"onnxruntime", "onnxruntime-gpu"};
  EXPECT_EQ(version_among(compiler, {{"numpy", "2.4.6"}, {"onnxruntime_gpu", "1.23.0+cu12"}}), "1.23.0");
  EXPECT_EQ(version_among(compiler, {{"numpy", "2.4.6"}}), std::nullopt);
}

TEST(PinnedRequirements, NameEveryWheelByItsHash) {
  EXPECT_EQ(pinned_requirements(kFirst).value(), "toy==1.0 --hash=sha256:aa\nnumpy==2.4.6 --hash=sha256:bb\n");
  EXPECT_EQ(pinned_requirements(with({{"toy", "1.0", "", 1}})).error().what, "the hash of toy's wheel is not known");
}

TEST(Manifest, SurvivesBeingSentAsText) {
  Toolchain sent = kFirst;
  sent.python_version = "3.11.7";
  const auto read = parse_manifest(manifest_text(sent), "/there");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->packages[1].version, "2.4.6");
  EXPECT_EQ(read->python_version, "3.11.7");
  EXPECT_EQ(read->site, "/there/site");
  EXPECT_EQ(read->manifest_sha256, hash_of(kFirst));
  EXPECT_FALSE(parse_manifest("", "/there"));
  EXPECT_FALSE(parse_manifest("[]", "/there"));
}

}  // namespace
}  // namespace ngb::toolchain

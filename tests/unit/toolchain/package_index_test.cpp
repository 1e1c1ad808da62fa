// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "in_temporary_folder.h"
#include "toolchain/pins.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {
namespace {

class PackageIndex : public InTemporaryFolder {};

TEST_F(PackageIndex, HasOnnxRuntimeWithItsLibrary) {
  CompilerDescription compiler;
  compiler.name = "onnxruntime";
  compiler.host = "native";
  compiler.requirements = {"onnxruntime=={version}"};
  compiler.distributions = {"onnxruntime"};
  const std::string version = default_version("onnxruntime");
  const auto made = install(folder(), compiler, version, {});
  const bool is_offline = !made && (made.error().what.find("no network") != std::string::npos ||
                                    made.error().what.find("no connection") != std::string::npos);
  if (is_offline) GTEST_SKIP() << made.error().text();
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->packages.size(), 1U);
  EXPECT_EQ(made->packages[0].name, "onnxruntime");
  EXPECT_EQ(made->packages[0].version, version);
  EXPECT_EQ(made->packages[0].sha256.size(), 64U);
  EXPECT_GT(made->size_bytes, 20'000'000U);
  EXPECT_TRUE(std::filesystem::exists(made->site / ("onnxruntime/capi/libonnxruntime.so." + version)));
}

}  // namespace
}  // namespace ngb::toolchain

// SPDX-License-Identifier: Apache-2.0
#include "toolchain/marker.h"

#include <gtest/gtest.h>

namespace ngb::toolchain {
namespace {

const MarkerVariables kLinux{{"python_version", "3.11"},
                             {"python_full_version", "3.11.7"},
                             {"sys_platform", "linux"},
                             {"platform_system", "Linux"},
                             {"platform_machine", "x86_64"}};

bool value(std::string_view marker, const std::set<std::string>& extras = {}) {
  const Result<bool> result = holds(marker, kLinux, extras);
  EXPECT_TRUE(result) << result.error().text();
  return result.value_or(false);
}

TEST(Marker, ComparesVersionsAsVersionsAndWordsAsWords) {
  EXPECT_TRUE(value(""));
  EXPECT_TRUE(value("python_version >= \"3.9\""));
  EXPECT_FALSE(value("python_version < '3.11'"));
  EXPECT_TRUE(value("platform_system == \"Linux\""));
  EXPECT_TRUE(value("sys_platform != 'emscripten'"));
  EXPECT_TRUE(value("'linux' in sys_platform"));
  EXPECT_TRUE(value("sys_platform not in 'win32 cygwin'"));
}

TEST(Marker, BindsAndTighterThanOrAndFollowsBrackets) {
  EXPECT_TRUE(value("platform_machine == 'x86_64' or python_version < '3' and sys_platform == 'win32'"));
  EXPECT_FALSE(value("(platform_machine == 'x86_64' or python_version < '3') and sys_platform == 'win32'"));
  EXPECT_TRUE(value("platform_system==\"Linux\" and python_version<\"3.15\""));
}

TEST(Marker, AboutAnExtraHoldsWhenItIsWanted) {
  EXPECT_FALSE(value("extra == \"cublas\""));
  EXPECT_TRUE(value("extra == \"cublas\"", {"cublas"}));
  EXPECT_TRUE(value("extra == 'CU_blas' and platform_system == 'Linux'", {"cu-blas", "nvtx"}));
  EXPECT_FALSE(value("(python_version < '3' or sys_platform == 'linux') and extra == 'dev'"));
}

TEST(Marker, ThatIsNoneIsAnError) {
  for (const char* marker : {"python_version", "python_version >=", "(python_version > '3'", "python_version > '3' or",
                             "weather == 'fine'", "python_version > '3' '4'", "extra = 'x'", "'a' 'b'"}) {
    EXPECT_FALSE(holds(marker, kLinux, {})) << marker;
  }
}

}  // namespace
}  // namespace ngb::toolchain

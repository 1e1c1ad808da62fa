// SPDX-License-Identifier: Apache-2.0
#include "toolchain/tools.h"

#include <gtest/gtest.h>

#include "toolchain/pins.h"

namespace ngb::toolchain {
namespace {

TEST(DrawingTool, IsPinnedToOneWheelOnEachKindOfMachine) {
  const CompilerDescription tool = drawing_tool();
  ASSERT_FALSE(tool.default_version.empty());
  EXPECT_EQ(versioned_package(tool.requirements), "vl-convert-python");
  for (const char* const kind : {"cp311-x86_64", "cp311-aarch64"}) {
    const Status other = check_wheel(kind, "vl-convert-python", tool.default_version, std::string(64, '0'));
    EXPECT_FALSE(other) << kind;
  }
}

}  // namespace
}  // namespace ngb::toolchain

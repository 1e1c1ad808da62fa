// SPDX-License-Identifier: Apache-2.0
#include "worker/subnormals.h"

#include <gtest/gtest.h>

namespace ngb::worker {
namespace {

TEST(Subnormals, AreZeroWhileTheyAreFlushed) {
  const volatile float small = 0x1p-126F;  // the smallest normal number
  const auto half = [&small] { return small * 0.5F; };
  const auto bits = [](float value) { return static_cast<int>(value * 0x1p127F); };
  EXPECT_EQ(bits(half()), 1);
  flush_subnormals(true);
  EXPECT_EQ(bits(half()), 0);
  flush_subnormals(false);
  EXPECT_EQ(bits(half()), 1);
}

}  // namespace
}  // namespace ngb::worker

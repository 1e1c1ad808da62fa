// SPDX-License-Identifier: Apache-2.0
#include "worker/affinity.h"

#include <gtest/gtest.h>

namespace ngb::worker {
namespace {

TEST(Affinity, WritesListsAsTheKernelDoes) {
  EXPECT_EQ(cpu_list(std::vector<int>{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(cpu_list(std::vector<int>{3}), "3");
  EXPECT_EQ(cpu_list(std::vector<int>{}), "");
}

}  // namespace
}  // namespace ngb::worker

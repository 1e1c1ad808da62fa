// SPDX-License-Identifier: Apache-2.0
#include "worker/threads.h"

#include <gtest/gtest.h>

namespace ngb::worker {
namespace {

TEST(Affinity, TooFewProcessorsAreAnErrorThatNamesTheKeyAndTheNumbers) {
  EXPECT_FALSE(too_few_processors({.threads = 2, .instances = 2}, 4));
  EXPECT_EQ(too_few_processors({.threads = 2, .instances = 2}, 3)->text(),
            "instances: 2 instances of 2 threads need 4 processors, more than the 3 processors that the device lets a "
            "process use; give fewer instances or threads in the study");
  EXPECT_EQ(
      too_few_processors({.threads = 4}, 3)->text(),
      "threads: 4 threads are more than the 3 processors that the device lets a process use; give at most 3 threads "
      "in the study, or threads: all");
}

}  // namespace
}  // namespace ngb::worker

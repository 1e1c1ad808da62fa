// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

namespace ngb {
namespace {

TEST(Thread, HandsItsExceptionToWhoeverJoinsIt) {
  Thread thread([] { throw std::domain_error("no such number"); });
  EXPECT_THROW(thread.join(), std::domain_error);
  EXPECT_FALSE(thread.joinable());
}

TEST(Thread, ThatNobodyJoinsDoesNotEndTheProgram) {
  std::atomic<bool> has_run = false;
  {
    const Thread thread([&] {
      has_run = true;
      throw std::domain_error("no such number");
    });
  }
  EXPECT_TRUE(has_run);
}

TEST(SideBySide, CallsTheWorkOnceForEachIndex) {
  for (const std::size_t count : {0U, 1U, 5U}) {
    std::mutex mutex;
    std::multiset<std::size_t> called;
    run_side_by_side(count, [&](std::size_t index) {
      const std::scoped_lock lock(mutex);
      called.insert(index);
    });
    ASSERT_EQ(called.size(), count);
    for (std::size_t index = 0; index < count; ++index) EXPECT_EQ(called.count(index), 1U);
  }
}

TEST(SideBySide, ThrowsWhatTheFirstOfThemThrewOnceAllHaveEnded) {
  std::atomic<int> ended = 0;
  try {
    run_side_by_side(4, [&](std::size_t index) {
      ++ended;
      if (index > 1) throw std::runtime_error(std::to_string(index));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "2");
  }
  EXPECT_EQ(ended, 4);
}

}  // namespace
}  // namespace ngb

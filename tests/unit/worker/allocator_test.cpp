// SPDX-License-Identifier: Apache-2.0
#include "worker/allocator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "worker/resources.h"

namespace ngb::worker {
namespace {

// Returns the page faults of allocating, filling and freeing 8 MiB ten times, after it was done once.
std::int64_t faults_of_ten_blocks() {
  constexpr std::size_t kBytes = 8 << 20;
  const auto use_a_block = [] {
    auto* const block = static_cast<volatile char*>(std::malloc(kBytes));
    for (std::size_t at = 0; at < kBytes; at += 4096) block[at] = 1;
    std::free(const_cast<char*>(block));
  };
  use_a_block();
  const std::int64_t before = page_faults().value.value_or(0);
  for (int i = 0; i < 10; ++i) use_a_block();
  return page_faults().value.value_or(0) - before;
}

TEST(Allocator, ReturnsEachBlockOrKeepsItAsItIsAsked) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer has an allocator of its own";
#endif
  if (!set_keeps_memory(false)) GTEST_SKIP() << "the C library is not glibc, or a sanitizer replaces its allocator";
  if (faults_of_ten_blocks() == 0) GTEST_SKIP() << "another allocator has replaced glibc's";
  EXPECT_GE(faults_of_ten_blocks(), 10 * 2048);
  ASSERT_TRUE(set_keeps_memory(true));
  EXPECT_LT(faults_of_ten_blocks(), 100);
  ASSERT_TRUE(set_keeps_memory(false));
  EXPECT_GE(faults_of_ten_blocks(), 10 * 2048);
}

}  // namespace
}  // namespace ngb::worker

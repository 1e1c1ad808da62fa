// SPDX-License-Identifier: Apache-2.0
#include "base/shared_text.h"

#include <gtest/gtest.h>

namespace ngb {
namespace {

TEST(SharedText, IsInMemoryOnceForAllItsCopies) {
  const SharedText text("needs two processes");
  const SharedText copy = text;
  EXPECT_EQ(&copy.str(), &text.str());
  EXPECT_EQ(copy, "needs two processes");
}

TEST(SharedText, IsEqualToAnotherWithTheSameLetters) {
  EXPECT_EQ(SharedText("a"), SharedText(std::string("a")));
  EXPECT_NE(SharedText("a"), SharedText("b"));
  EXPECT_LT(SharedText("a"), SharedText("b"));
}

TEST(SharedText, IsEmptyByDefault) {
  EXPECT_TRUE(SharedText().empty());
  EXPECT_TRUE(SharedText("").empty());
  EXPECT_EQ(SharedText(), "");
  EXPECT_EQ(SharedText(), SharedText(""));
}

}  // namespace
}  // namespace ngb

// SPDX-License-Identifier: Apache-2.0
#include "live/desk.h"

#include <gtest/gtest.h>

namespace ngb::live {
namespace {

TEST(LiveDesk, WantsNothingWhileNobodyAsksAndAtMostOneStateASecond) {
  FakeClock clock;
  Desk desk;
  EXPECT_FALSE(desk.is_due(clock.now()));
  desk.ask(true);
  EXPECT_TRUE(desk.is_due(clock.now()));
  desk.leave({.json = "{}"}, clock.now());
  EXPECT_FALSE(desk.is_due(clock.now()));
  clock.advance(std::chrono::milliseconds(999));
  EXPECT_FALSE(desk.is_due(clock.now()));
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(desk.is_due(clock.now()));
  desk.ask(false);
  EXPECT_FALSE(desk.is_due(clock.now()));
}

TEST(LiveDesk, KeepsTheNewestStateOnly) {
  Desk desk;
  EXPECT_EQ(desk.latest(), nullptr);
  desk.leave({.json = "1"}, {});
  const std::weak_ptr<const Published> first = desk.latest();
  desk.leave({.json = "2"}, {});
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(desk.latest()->json, "2");
}

}  // namespace
}  // namespace ngb::live

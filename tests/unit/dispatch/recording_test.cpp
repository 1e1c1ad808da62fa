// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/recording.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace ngb::dispatch {
namespace {

// Returns what a commit that runs `step` ends with.
Status outcome_of(const std::function<Status()>& step) {
  Loop loop;
  Callbacks callbacks;
  callbacks.commit = step;
  Recording recording(loop, callbacks);
  Status done = Done{};
  const auto wait = [&]() -> asio::awaitable<void> { done = co_await recording.commit(); };
  asio::co_spawn(loop.io, wait(), asio::detached);
  loop.io.run();
  return done;
}

TEST(Recording, SaysWhatACommitHasThrown) {
  const Status thrown = outcome_of([]() -> Status { throw std::domain_error("no such number"); });
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().text(), "results: no such number");
  EXPECT_EQ(outcome_of([]() -> Status { throw std::bad_alloc(); }).error().what, "out of memory");
  EXPECT_TRUE(outcome_of([]() -> Status { return Done{}; }));
}

}  // namespace
}  // namespace ngb::dispatch

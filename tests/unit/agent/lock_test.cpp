// SPDX-License-Identifier: Apache-2.0
#include "agent/lock.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "agent_client.h"

namespace ngb::agent {
namespace {

using testing::HasSubstr;

TEST(Lock, NamesTheProcessThatHoldsAFolder) {
  const TemporaryFolder folder;
  const auto held = lock_folder(folder.path(), Nanoseconds(0));
  ASSERT_TRUE(held);
  const auto second = lock_folder(folder.path(), Nanoseconds(0));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, fmt::format("in use by process {}", ::getpid()));
  EXPECT_EQ(second.error().where, folder.path().string());
}

TEST(Lock, IsFreeAgainWhenItsHolderHasEnded) {
  const TemporaryFolder folder;
  lock_folder(folder.path(), Nanoseconds(0))->reset();
  EXPECT_TRUE(lock_folder(folder.path(), Nanoseconds(0)));
}

TEST(Lock, WaitsForADyingPredecessor) {
  const TemporaryFolder folder;
  auto held = lock_folder(folder.path(), Nanoseconds(0));
  std::thread predecessor([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    held->reset();
  });
  EXPECT_TRUE(lock_folder(folder.path(), std::chrono::minutes(5)));
  predecessor.join();
}

TEST(Lock, IsOnTheFileThatHasItsNameNow) {
  const TemporaryFolder folder;
  auto held = try_lock(folder.path());
  ASSERT_TRUE(held && held->is_open());
  std::filesystem::remove(folder.path() / "lock");
  auto second = try_lock(folder.path());
  ASSERT_TRUE(second && second->is_open()) << "the first one's file has no name any more";
  EXPECT_FALSE(try_lock(folder.path())->is_open());
}

TEST(Lock, LeavesAForeignFileAsItIs) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "lock") << "my diary";
  const auto lock = try_lock(folder.path());
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().what, HasSubstr("has the name of its lock"));
  EXPECT_EQ(file::read(folder.path() / "lock").value_or(""), "my diary");
}

TEST(Lock, SaysWhenTheHolderIsOnAnotherMachine) {
  const TemporaryFolder folder;
  const auto held = lock_folder(folder.path(), Nanoseconds(0));
  ASSERT_TRUE(held);
  const std::string owner = R"({"pid":42,"boot_id":"another"})";
  ASSERT_EQ(::pwrite(held->get(), owner.data(), owner.size(), 0), static_cast<ssize_t>(owner.size()));
  ASSERT_EQ(::ftruncate(held->get(), static_cast<off_t>(owner.size())), 0);
  EXPECT_EQ(lock_folder(folder.path(), Nanoseconds(0)).error().what, "in use by process 42 on another machine");
}

TEST(Lock, SaysWhenTheFolderCannotBeWritten) {
  const auto lock = lock_folder("/proc", Nanoseconds(0));
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().text(), HasSubstr("/proc/lock: cannot lock"));
}

}  // namespace
}  // namespace ngb::agent

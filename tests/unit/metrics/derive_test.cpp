// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "../store/made_up.h"

namespace ngb::metrics {
namespace {

TEST(Derive, KeepsItsValuesInTheFile) {
  const made_up::Folder folder;
  std::string run;
  {
    auto store = store::Store::open(folder.results(), store::Mode::read_write);
    run = store->begin_run(made_up::plan(), 7).value();
    ASSERT_TRUE(store->record(run, "local", {1, made_up::process("aa", 0)}));
    ASSERT_TRUE(store->flush());
  }
  const auto first = derive(folder.results(), 1);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_FALSE(first->were_kept);
  const auto second = derive(folder.results(), 1);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->were_kept);
  ASSERT_EQ(second->values.size(), first->values.size());
  for (std::size_t i = 0; i < first->values.size(); ++i) {
    EXPECT_EQ(first->values[i].cell_id, second->values[i].cell_id);
    EXPECT_EQ(first->values[i].metric, second->values[i].metric);
    EXPECT_EQ(first->values[i].value, second->values[i].value);
    EXPECT_EQ(first->values[i].reason, second->values[i].reason);
  }

  auto store = store::Store::open(folder.results(), store::Mode::read_write);
  ASSERT_TRUE(store->record(run, "local", {2, made_up::process("aa", 1)}));
  ASSERT_TRUE(store->flush());
  const auto third = derive(folder.results(), 1);
  ASSERT_TRUE(third) << "shown while a run holds the file";
  EXPECT_FALSE(third->were_kept) << "new results make new values";
}

TEST(Derive, ComputesAgainAfterAnotherProgramChangedTheFile) {
  const made_up::Folder folder;
  {
    auto store = store::Store::open(folder.results(), store::Mode::read_write);
    const std::string run = store->begin_run(made_up::plan(), 7).value();
    ASSERT_TRUE(store->record(run, "local", {1, made_up::process("aa", 0)}));
    ASSERT_TRUE(store->flush());
  }
  ASSERT_TRUE(derive(folder.results(), 1));
  ASSERT_TRUE(derive(folder.results(), 1)->were_kept);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(folder.results().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "UPDATE repetition SET wall_ns = wall_ns * 10", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  EXPECT_FALSE(derive(folder.results(), 1)->were_kept);
  EXPECT_TRUE(derive(folder.results(), 1)->were_kept);
}

}  // namespace
}  // namespace ngb::metrics

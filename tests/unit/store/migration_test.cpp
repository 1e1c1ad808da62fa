// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "made_up.h"
#include "store/open.h"

namespace ngb::store {
namespace {

using made_up::Folder;

// A version after this one, as a later release might bring it.
std::array<Migration, 2> with_a_second_step() {
  return {migrations()[0], Migration{"a note for each run", "ALTER TABLE run ADD COLUMN note TEXT DEFAULT 'none'"}};
}

void create(const Folder& folder) {
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  ASSERT_TRUE(store->begin_run(made_up::plan(), 7));
}

TEST(Migration, GivesANewFileTheNewestVersionAndTheMarkOfAResultsFile) {
  const Folder folder;
  create(folder);
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 1);
  EXPECT_EQ(database.integer("PRAGMA application_id"), 0x4E474252);
  EXPECT_EQ(database.integer("PRAGMA foreign_key_check"), 0);
}

TEST(Migration, TakesAnOlderFileOneStepFurtherAndKeepsItsRows) {
  const Folder folder;
  create(folder);
  const auto steps = with_a_second_step();
  const sql::Database database = open_to_write(folder.results(), steps);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 2);
  EXPECT_EQ(database.integer("SELECT count(*) FROM run WHERE note = 'none'"), 1);
}

TEST(Migration, ReadsAnOlderFileWithoutChangingIt) {
  const Folder folder;
  create(folder);
  const auto steps = with_a_second_step();
  EXPECT_EQ(open_to_read(folder.results(), steps).integer("SELECT count(*) FROM run WHERE note = 'none'"), 1);
  EXPECT_EQ(sql::Database(folder.results(), SQLITE_OPEN_READONLY).integer("PRAGMA user_version"), 1);
}

TEST(Migration, ChangesNothingWhenAStepFails) {
  const Folder folder;
  create(folder);
  const std::array<Migration, 3> steps{migrations()[0], with_a_second_step()[1],
                                       Migration{"a mistake", "ALTER TABLE nothing ADD COLUMN x TEXT"}};
  EXPECT_THROW(open_to_write(folder.results(), steps), sql::SqlError);
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM pragma_table_info('run') WHERE name = 'note'"), 0);
}

TEST(Migration, RefusesAFileOfANewerVersion) {
  const Folder folder;
  create(folder);
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 99");
  for (const Mode mode : {Mode::read_only, Mode::read_write}) {
    const auto refused = Store::open(folder.results(), mode);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what,
              "written by a newer version of ngb: the file is of version 99, this ngb knows up to version 1");
    EXPECT_THAT(refused.error().next, testing::HasSubstr("use a newer ngb"));
  }
}

}  // namespace
}  // namespace ngb::store

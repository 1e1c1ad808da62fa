// SPDX-License-Identifier: Apache-2.0
// Tests results files that somebody made to harm their reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "made_up.h"
#include "store/sqlite.h"

namespace ngb::store {
namespace {

using made_up::Folder;
using testing::HasSubstr;

class HostileFile : public testing::Test {
 protected:
  void SetUp() override {
    auto store = Store::open(folder_.results(), Mode::read_write);
    run_ = store->begin_run(made_up::plan(), 7).value();
    ASSERT_TRUE(store->record(run_, "local", {1, made_up::process("aa", 0)}));
    ASSERT_TRUE(store->record(run_, "local", {2, made_up::crash("bb", 0, 2)}));
    ASSERT_TRUE(store->flush());
  }
  // Changes the file through SQLite without any of our settings.
  void change(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(folder_.results().c_str(), &database), SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_close(database);
  }
  std::string refusal() {
    auto store = Store::open(folder_.results(), Mode::read_only);
    if (!store) return store.error().what;
    const auto cells = store->load_cells();
    return cells ? "it was read" : cells.error().what;
  }

  Folder folder_;
  std::string run_;
};

TEST_F(HostileFile, WithAnEndlessViewInPlaceOfATableIsRefused) {
  change(
      "DROP TABLE repetition; CREATE VIEW repetition AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
      "n) "
      "SELECT 1 AS process_key, i AS repetition_index, 1 AS wall_ns, 1 AS inferences, 0 AS is_warm_up FROM n");
  EXPECT_EQ(refusal(), "the results file is damaged (its table repetition is not the one that ngb makes)");
  EXPECT_FALSE(Store::open(folder_.results(), Mode::read_write));
}

TEST_F(HostileFile, WithAVirtualTableOrOtherColumnsInPlaceOfATableIsRefused) {
  change("ALTER TABLE fact RENAME COLUMN value TO other");
  EXPECT_EQ(refusal(), "the results file is damaged (its table fact is not the one that ngb makes)");
  change("DROP TABLE fact; CREATE VIRTUAL TABLE fact USING fts5(process_key, name, value)");
  EXPECT_EQ(refusal(), "the results file is damaged (its table fact is not the one that ngb makes)");
}

TEST_F(HostileFile, WithTriggersIsWrittenWithoutRunningThem) {
  change("CREATE TRIGGER evil AFTER INSERT ON event BEGIN DELETE FROM process; END");
  {
    auto store = Store::open(folder_.results(), Mode::read_write);
    ASSERT_TRUE(store->record(run_, "local", {3, made_up::process("aa", 1)}));
    ASSERT_TRUE(store->flush());
  }
  EXPECT_EQ(Store::open(folder_.results(), Mode::read_only)->load_cells().value()[0].processes.size(), 2U);
}

TEST_F(HostileFile, MayHoldAReadersOwnViewsAndIndexes) {
  change("CREATE VIEW mine AS SELECT * FROM sample; CREATE INDEX mine_too ON process (wall_ns)");
  EXPECT_EQ(refusal(), "it was read");
}

TEST_F(HostileFile, WithDanglingKeysIsRefused) {
  change("PRAGMA foreign_keys = OFF; DELETE FROM process WHERE is_complete = 1");
  EXPECT_THAT(refusal(), HasSubstr("the results file is damaged (a row belongs to no process"));
  change(
      "DELETE FROM phase; DELETE FROM repetition; DELETE FROM output_check; DELETE FROM reading; DELETE FROM fact; "
      "DELETE FROM model");
  EXPECT_THAT(refusal(), HasSubstr("belongs to no model"));
}

TEST_F(HostileFile, WithNumbersThatNoDeviceCouldHaveSentIsRefused) {
  change("UPDATE process SET process_index = 5 WHERE is_complete = 1");
  EXPECT_EQ(refusal(), "the results file is damaged (process 5 of cell aa: process_index is 5, expected 0 to 1)");
  change("UPDATE process SET process_index = 0; UPDATE repetition SET wall_ns = -7");
  EXPECT_THAT(refusal(), HasSubstr("repetitions: wall_ns is -7"));
  change("UPDATE cell SET planned_processes = 9000000000");
  EXPECT_THAT(refusal(), HasSubstr("the number 9000000000 is out of range"));
  change("UPDATE cell SET planned_processes = -1");
  EXPECT_THAT(refusal(), HasSubstr("-1 processes"));
}

TEST_F(HostileFile, WithATextThatIsLongerThanAnyOfAStudyIsRefused) {
  for (const char* const column : {"compiler_version", "compiler_label", "precision", "load", "settings_json"}) {
    change(std::string("UPDATE cell SET ") + column + " = printf('%.*c', 200000, 'x')");
    EXPECT_EQ(refusal(), "the results file is damaged (a cell has a text of 200000 bytes, more than a study can say)");
    change(std::string("UPDATE cell SET ") + column + " = '{}'");
  }
}

TEST_F(HostileFile, WithTooDeeplyNestedJsonIsRefused) {
  change("UPDATE cell SET options_json = '" + std::string(100'000, '[') + "'");
  EXPECT_THAT(refusal(), HasSubstr("the results file is damaged"));
}

TEST_F(HostileFile, WithACellThatNoStudyDescribesIsRefused) {
  change("UPDATE cell SET options_json = '[1]' WHERE cell_id = 'aa'");
  EXPECT_THAT(refusal(), HasSubstr("the options of a cell is \"[1]\", which no study can say"));
  change("UPDATE cell SET options_json = '{}', in_flight = '2x' WHERE cell_id = 'aa'");
  EXPECT_THAT(refusal(), HasSubstr("the in_flight of a cell is \"2x\", which no study can say"));
  change("UPDATE cell SET in_flight = 'auto', instances = 0 WHERE cell_id = 'aa'");
  EXPECT_THAT(refusal(), HasSubstr("the instances of a cell is \"0\", which no study can say"));
  change("UPDATE cell SET instances = 2147483647 WHERE cell_id = 'aa'");
  EXPECT_THAT(refusal(), HasSubstr("the instances of a cell is \"2147483647\", which no study can say"));
}

TEST_F(HostileFile, IsNotWrittenToByWhoeverShowsItWhileAWriterIsAtWork) {
  auto writer = Store::open(folder_.results(), Mode::read_write);
  ASSERT_TRUE(writer);
  EXPECT_FALSE(Store::open(folder_.results(), Mode::write_if_free));
}

TEST_F(HostileFile, OfAWriterThatIsDoneSoonIsWaitedFor) {
  auto shower = std::make_unique<Store>(std::move(*Store::open(folder_.results(), Mode::write_if_free)));
  std::thread done([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    shower.reset();
  });
  const auto runner = Store::open(folder_.results(), Mode::read_write);
  done.join();
  EXPECT_TRUE(runner) << runner.error().text();
}

}  // namespace
}  // namespace ngb::store

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "made_up.h"
#include "store/copy.h"
#include "store/open.h"
#include "store/protocol.h"

namespace ngb::store {
namespace {

using made_up::Folder;

constexpr int kNewest = 14;

// Returns the steps with one more version, as a later release might add it.
std::vector<Migration> with_a_further_step() {
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back({"a note for each run", "ALTER TABLE run ADD COLUMN note TEXT DEFAULT 'none'"});
  return steps;
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
  EXPECT_EQ(database.integer("PRAGMA user_version"), kNewest);
  EXPECT_EQ(database.integer("PRAGMA application_id"), 0x4E474252);
  EXPECT_EQ(database.integer("PRAGMA foreign_key_check"), 0);
}

TEST(Migration, MigratesAnOlderFileAndKeepsItsRows) {
  const Folder folder;
  create(folder);
  const auto steps = with_a_further_step();
  const sql::Database database = open_to_write(folder.results(), steps);
  EXPECT_EQ(database.integer("PRAGMA user_version"), kNewest + 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM run WHERE note = 'none'"), 1);
}

TEST(Migration, KeepsACopyOfAnOlderFileForTheVersionThatWroteIt) {
  const Folder folder;
  create(folder);
  const auto kept = folder.results().parent_path() / fmt::format("results.version-{}.db", kNewest);
  EXPECT_FALSE(std::filesystem::exists(kept)) << "a new file has no older version";
  const auto steps = with_a_further_step();
  open_to_write(folder.results(), steps);
  const sql::Database copy(kept, SQLITE_OPEN_READONLY);
  EXPECT_EQ(copy.integer("PRAGMA user_version"), kNewest);
  EXPECT_EQ(copy.integer("PRAGMA application_id"), 0x4E474252);
  EXPECT_EQ(copy.integer("SELECT count(*) FROM run"), 1);
  const auto entries = std::filesystem::directory_iterator(folder.results().parent_path());
  EXPECT_EQ(std::count_if(begin(entries), end(entries),
                          [](const auto& entry) { return entry.path().extension() == ".partial"; }),
            0);
}

TEST(Migration, RemovesTheCopyThatAProgramHadNotFinishedWhenItWasKilled) {
  const Folder folder;
  create(folder);
  const auto kept = folder.results().parent_path() / fmt::format("results.version-{}.db", kNewest);
  const auto partial = file::partial_path(kept);
  ASSERT_TRUE(file::write_atomically(partial, "half"));
  open_to_write(folder.results(), with_a_further_step());
  EXPECT_TRUE(std::filesystem::exists(kept));
  EXPECT_FALSE(std::filesystem::exists(partial));
}

TEST(Migration, ReadsAnOlderFileWithoutChangingIt) {
  const Folder folder;
  create(folder);
  const auto steps = with_a_further_step();
  EXPECT_EQ(open_to_read(folder.results(), steps).integer("SELECT count(*) FROM run WHERE note = 'none'"), 1);
  EXPECT_EQ(sql::Database(folder.results(), SQLITE_OPEN_READONLY).integer("PRAGMA user_version"), kNewest);
}

TEST(Migration, ChangesNothingWhenAStepFails) {
  const Folder folder;
  create(folder);
  std::vector<Migration> steps = with_a_further_step();
  steps.push_back({"a mistake", "ALTER TABLE nothing ADD COLUMN x TEXT"});
  EXPECT_THROW(open_to_write(folder.results(), steps), sql::SqlError);
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  EXPECT_EQ(database.integer("PRAGMA user_version"), kNewest);
  EXPECT_EQ(database.integer("SELECT count(*) FROM pragma_table_info('run') WHERE name = 'note'"), 0);
}

TEST(Migration, ResumesAFileOfTheSeventhVersionWhichRecordedUnsetTolerancesAsNumbers) {
  const Folder folder;
  plan::Plan as_recorded = made_up::plan();
  as_recorded.study.protocol.tolerances = {1e-4, 1e-3};
  {
    const auto first = migrations().first(1);
    sql::Database database = open_to_write(folder.results(), first);
    for (const ProtocolKey& row : protocol_of(as_recorded.study)) {
      database.kept("INSERT INTO protocol VALUES (?, ?)").run(row.key, row.value);
    }
  }
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  const auto run = store->begin_run(made_up::plan(), 8);
  EXPECT_TRUE(run) << run.error().text();
  // The run that is resumed is found by this.
  EXPECT_EQ(study_hash(made_up::plan()), study_hash(as_recorded));
}

// SQLite 3.40.0 to 3.41.0 find NULLs that are not there where the columns of a key are not the first ones.
TEST(Migration, HasTheColumnsOfTheKeyFirstSoThatTheFileIsSoundForEachSqlite) {
  const Folder folder;
  {
    sql::Database database = open_to_write(folder.results(), migrations().first(5));
    database.execute(
        "INSERT INTO manifest VALUES ('a', '{}'), ('b', '{}');"
        "INSERT INTO toolchain (device, compiler, compiler_version) VALUES ('local', 'identity', '2.15.0');"
        "INSERT INTO toolchain_manifest VALUES (1, 0, 'b'), (1, 1, 'a')");
    ASSERT_EQ(database.integer("PRAGMA user_version"), 11);
  }
  const sql::Database database = open_to_write(folder.results(), migrations());
  EXPECT_EQ(database.integer("SELECT position FROM toolchain_manifest WHERE manifest_sha256 = 'a'"), 1);
  sql::Statement check = database.statement("PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  EXPECT_EQ(check.text(0), "ok");
  sql::Statement late = database.statement(
      "SELECT tables.name FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns "
      "WHERE tables.wr AND columns.pk > 0 AND columns.pk <> columns.cid + 1");
  EXPECT_FALSE(late.step()) << late.text(0);
}

TEST(Migration, KeepsTheNumbersThatSpanCellsWithTheirParts) {
  const Folder folder;
  {
    sql::Database database = open_to_write(folder.results(), migrations().first(6));
    database.execute(
        "INSERT INTO series_part VALUES (3, 'local: resnet', 'x'), (4, '', 'y');"
        "INSERT INTO series VALUES (1, 3, 'depth_slope', 'local', 'tvm', '', '8', 1.5, NULL, NULL, NULL, NULL, '');"
        "INSERT INTO conclusion VALUES (1, 4, 'claim', 'It holds.', '{}')");
    ASSERT_EQ(database.integer("PRAGMA user_version"), 12);
  }
  const auto parts = stored_series(folder.results()).value();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].part, "local: resnet");
  EXPECT_EQ(parts[0].values.at(0).value, 1.5);
  EXPECT_EQ(parts[1].conclusions.at(0).sentence, "It holds.");
  const sql::Database database = open_to_write(folder.results(), migrations());
  EXPECT_EQ(database.integer("SELECT count(*) FROM pragma_foreign_key_check"), 0);
  EXPECT_EQ(database.integer("SELECT count(*) FROM series JOIN series_part USING (part_key)"), 1);
}

TEST(Migration, RefusesAFileOfANewerVersion) {
  const Folder folder;
  create(folder);
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 99");
  for (const Mode mode : {Mode::read_only, Mode::read_write}) {
    const auto refused = Store::open(folder.results(), mode);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what,
              "written by a newer version of ngb: the file has version 99, and this ngb reads versions up to 14");
    EXPECT_THAT(refused.error().next, testing::HasSubstr("use a newer ngb"));
  }
}

// Returns the columns of the view `sample`, as text.
std::string columns_of_sample(const Folder& folder) {
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);  // as in sqlite3 and pandas
  sql::Statement row = database.statement("SELECT group_concat(name, ' ') FROM pragma_table_info('sample')");
  return row.step() ? row.text(0) : "";
}

constexpr const char* kColumnsOfSample =
    "cell_id device model batch load compiler compiler_label compiler_version options_json settings_json in_flight "
    "instances threads precision process_index instance repetition_index is_warm_up wall_ns inferences "
    "throughput_per_s";

TEST(Migration, MakesTheViewOfAnEarlierProgramAnewWhenItWrites) {
  for (const char* const earlier :
       {"DROP VIEW sample; CREATE VIEW sample AS SELECT cell_id AS cell FROM cell", "DROP VIEW sample"}) {
    const Folder folder;
    create(folder);
    sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute(earlier);
    ASSERT_TRUE(Store::open(folder.results(), Mode::read_only)) << "a reader needs no view";
    EXPECT_NE(columns_of_sample(folder), kColumnsOfSample) << "and changes none";
    ASSERT_TRUE(Store::open(folder.results(), Mode::read_write));
    EXPECT_EQ(columns_of_sample(folder), kColumnsOfSample);
  }
}

TEST(Migration, LeavesAFileThatHasTodaysViewUnchanged) {
  const Folder folder;
  create(folder);
  const auto before = file::read(folder.results()).value();
  ASSERT_TRUE(Store::open(folder.results(), Mode::read_write));
  EXPECT_EQ(file::read(folder.results()).value(), before);
}

TEST(Migration, RefusesFilesFromBeforeTheFirstReleaseAndSaysWhatReadsThem) {
  const Folder folder;
  create(folder);
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 6");
  for (const Mode mode : {Mode::read_only, Mode::read_write}) {
    const auto refused = Store::open(folder.results(), mode);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what,
              "written before the first release of ngb: the file has version 6, and this ngb reads versions from 7 on");
    EXPECT_EQ(refused.error().next,
              "build ngb from the git commit 7c7d939 and run `ngb merge FOLDER -o NEW` with it; NEW can be read");
  }
}

TEST(Migration, RefusesVersionsThatNoNgbWrites) {
  for (const int version : {-1, 0, -2147483647}) {
    const Folder folder;
    create(folder);
    sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = " + std::to_string(version));
    for (const Mode mode : {Mode::read_only, Mode::read_write}) {
      const auto refused = Store::open(folder.results(), mode);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().what,
                "the results file is damaged (it claims to have version " + std::to_string(version) + ")");
    }
  }
}

}  // namespace
}  // namespace ngb::store

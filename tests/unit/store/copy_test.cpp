// SPDX-License-Identifier: Apache-2.0
#include "store/copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "made_up.h"
#include "store/homes.h"
#include "store/sqlite.h"

namespace ngb::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

void record_one(const made_up::Folder& folder) {
  const plan::Plan plan = made_up::plan();
  auto store = Store::open(folder.results(), Mode::read_write).value();
  const std::string run = store.begin_run(plan, 1000).value();
  const samples::Environment environment = made_up::environment();
  samples::ProcessResult process = made_up::process("aa", 0);
  process.environment_hash = environment.hash();
  ASSERT_TRUE(store.record_toolchain("local", "identity", "2.15.0", {"m", "{}"}));
  ASSERT_TRUE(store.record(run, "local", {1, environment}));
  const Status recorded = store.record(run, "local", {2, process});
  ASSERT_TRUE(recorded) << recorded.error().text();
  ASSERT_TRUE(store.note_presence(run, "local"));
  ASSERT_TRUE(store.flush());
}

void keep_values(const std::filesystem::path& file) {
  auto store = Store::open(file, Mode::read_write).value();
  ASSERT_TRUE(store.keep_values(store.revision().value(), {{"aa", "throughput_per_s", 2.0, {}, {}, ""}},
                                {{"part", {}, {{"claim", "It holds.", "{}"}}}}));
}

TEST(CopyOfMeasured, HasEverythingButWhatCanBeComputedAgainAndThePresenceOfRuns) {
  const made_up::Folder folder;
  record_one(folder);
  keep_values(folder.results());
  const auto copy = folder / "copy.db";
  const Status copied = copy_measured(folder.results(), copy);
  ASSERT_TRUE(copied) << copied.error().text();
  auto store = Store::open(copy, Mode::read_only).value();
  const auto cells = store.load_cells().value();
  ASSERT_THAT(cells, SizeIs(4));
  EXPECT_THAT(cells[0].processes.at(0).repetitions, SizeIs(4));
  EXPECT_EQ(store.revision().value(), Store::open(folder.results(), Mode::read_only)->revision().value());
  EXPECT_FALSE(store.runs()->at(0).devices.at(0).may_be_there);
  EXPECT_THAT(stored_derived(folder.results()).value(), SizeIs(1));
  EXPECT_THAT(stored_series(folder.results()).value(), SizeIs(1));
  EXPECT_THAT(stored_derived(copy).value(), IsEmpty());
  EXPECT_THAT(stored_series(copy).value(), IsEmpty());
  const Status sound = check_references(copy);
  EXPECT_TRUE(sound) << sound.error().text();
}

TEST(CopyOfMeasured, HasTheSameBytesWhateverIsKeptBesideTheSamples) {
  const made_up::Folder folder;
  record_one(folder);
  ASSERT_TRUE(copy_measured(folder.results(), folder / "one.db"));
  keep_values(folder.results());
  ASSERT_TRUE(copy_measured(folder.results(), folder / "two.db"));
  EXPECT_TRUE(file::read(folder / "one.db").value() == file::read(folder / "two.db").value());
}

TEST(Homes, AreATildeWhereAPathBeginsWithThem) {
  EXPECT_EQ(without_homes("/home/ada/nets/a.onnx", ""), "~/nets/a.onnx");
  EXPECT_EQ(without_homes(R"({"output":"/root/results","also":"/Users/bob"})", ""),
            R"({"output":"~/results","also":"~"})");
  EXPECT_EQ(without_homes("cannot read /home/ada: it is gone; LD_PRELOAD=/data/eve/x.so:/home/zoë/y.so", "/data/eve"),
            "cannot read ~: it is gone; LD_PRELOAD=~/x.so:~/y.so");
  for (const char* const kept :
       {"/rooted/x", "/srv/root/x", "/srv/home/ada", "~/x", "/home/", "a/home/b", "/data/evelyn/x", "/"}) {
    EXPECT_EQ(without_homes(kept, "/data/eve"), kept);
  }
  EXPECT_EQ(without_homes("/x", "/"), "/x");
}

// Every text of every table begins with a home folder, also in tables that are yet to come.
TEST(CopyOfMeasured, HasNoHomeFolderInAnyTextOfAnyTable) {
  const made_up::Folder folder;
  record_one(folder);
  {
    sql::Database results(folder.results(), SQLITE_OPEN_READWRITE);
    sql::Statement column = results.statement(
        "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c "
        "WHERE t.type = 'table' AND c.type = 'TEXT' ORDER BY 1, 2");
    std::string changes;
    while (column.step()) {
      changes += "UPDATE \"" + column.text(0) + "\" SET \"" + column.text(1) + "\" = '/home/ada/' || \"" +
                 column.text(1) + "\";";
    }
    results.execute(changes);
  }
  const auto copy = folder / "copy.db";
  const Status copied = copy_measured(folder.results(), copy);
  ASSERT_TRUE(copied) << copied.error().text();
  EXPECT_THAT(file::read(folder.results()).value(), HasSubstr("/home/ada/libonnxruntime.so.1.31.1"));
  EXPECT_THAT(file::read(copy).value(), AllOf(HasSubstr("~/libonnxruntime.so.1.31.1"), Not(HasSubstr("/home"))));
}

std::string schema_of(const std::filesystem::path& file) {
  std::string text;
  const sql::Database database(file, SQLITE_OPEN_READONLY);
  sql::Statement row = database.statement("SELECT type, name, sql FROM sqlite_master ORDER BY type, name");
  while (row.step()) text += row.text(0) + " " + row.text(1) + ": " + row.text(2) + "\n";
  return text;
}

TEST(CopyOfMeasured, HasNoTablesViewsAndTriggersOfOthersAndItsOwnViewAsItIsNow) {
  const made_up::Folder folder;
  record_one(folder);
  ASSERT_TRUE(copy_measured(folder.results(), folder / "plain.db"));
  {
    sql::Database database(folder.results(), SQLITE_OPEN_READWRITE);
    database.execute(
        "CREATE TABLE diary (day TEXT); CREATE INDEX of_day ON diary (day); CREATE VIEW \"a \"\"view\"\"\" AS SELECT "
        "1; "
        "CREATE INDEX theirs ON cell (compiler); CREATE TRIGGER each AFTER INSERT ON cell BEGIN DELETE FROM diary; "
        "END; "
        "DROP VIEW sample; CREATE VIEW sample AS SELECT 2 AS of_an_earlier_ngb");
  }
  EXPECT_THAT(check_only_ours(folder.results()).error().text(),
              HasSubstr("it has the index of_day, which no bundle has"));
  const Status copied = copy_measured(folder.results(), folder / "copy.db");
  ASSERT_TRUE(copied) << copied.error().text();
  EXPECT_TRUE(check_only_ours(folder / "copy.db"));
  EXPECT_EQ(schema_of(folder / "copy.db"), schema_of(folder / "plain.db"));
}

TEST(CopyOfMeasured, LeavesNothingIfThereAreNoResults) {
  const made_up::Folder folder;
  EXPECT_THAT(copy_measured(folder.results(), folder / "copy.db").error().text(), HasSubstr("there are no results"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileOfSomebodyElse, IsCheckedForMissingRowsAndReadAsItIs) {
  const made_up::Folder folder;
  record_one(folder);
  keep_values(folder.results());
  EXPECT_EQ(why_version_is_not_read(folder.results()), "");
  EXPECT_TRUE(check_references(folder.results()));
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("DELETE FROM cell WHERE cell_id = 'aa'");
  EXPECT_THAT(check_references(folder.results()).error().text(), HasSubstr("refers to a row that is missing"));
  // It says what the file holds, although another program has changed that.
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("UPDATE conclusion SET sentence = 'It does not.'");
  EXPECT_EQ(stored_series(folder.results())->at(0).conclusions.at(0).sentence, "It does not.");
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 1000");
  EXPECT_EQ(why_version_is_not_read(folder.results()), "a newer version of ngb has written results.db");
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 6");
  EXPECT_EQ(why_version_is_not_read(folder.results()), "results.db is from before the first release of ngb");
}

}  // namespace
}  // namespace ngb::store

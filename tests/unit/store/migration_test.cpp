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

constexpr int kNewest = 8;

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

// A file of the first version does not record where its runs are: unfinished runs may still be on their devices.
TEST(Migration, AssumesThatUnfinishedRunsOfTheFirstVersionAreStillOnTheirDevices) {
  const Folder folder;
  {
    sql::Database database(folder.results(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    migrate(database, migrations().first(1));
    database.execute(
        "INSERT INTO run VALUES (1, 'a', '', '{}', '', 1); INSERT INTO run_device VALUES (1, 'x', 5, 0); "
        "INSERT INTO run_device VALUES (1, 'y', 5, 1)");
  }
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  const std::vector<DeviceState> devices = store->runs().value().at(0).devices;
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_TRUE(devices[0].may_be_there);
  EXPECT_FALSE(devices[1].may_be_there);
}

TEST(Migration, KeepsTheManifestsAndEnvironmentsOfAFileOfTheFirstVersion) {
  const Folder folder;
  {
    const std::array<Migration, 1> first{migrations()[0]};
    sql::Database database = open_to_write(folder.results(), first);
    database.execute(
        "INSERT INTO toolchain VALUES (1, 'local', 'onnxruntime', '1.31.1', '77aa', '{}'), (2, 'local', 'null', '', "
        "NULL, "
        "NULL); INSERT INTO model VALUES (1, 'm', 1, 'm', '', '', '', NULL, NULL, NULL); "
        "INSERT INTO cell VALUES (1, 'aa', 'local', 1, 1, 'onnxruntime', 'o', '1.31.1', '{}', 1, 'f32', 2); "
        "INSERT INTO run VALUES (1, 'r', 's', '{}', 's', 1); INSERT INTO run_device VALUES (1, 'local', 3, 0); "
        "INSERT INTO process VALUES (1, 1, 1, 'local', 1, 0, 1, 1, NULL, 'here', 1, 1, 'repetitions', 1, 1, NULL, ''), "
        "(2, 1, 1, 'local', 2, 1, 1, 1, NULL, 'elsewhere', 1, 1, 'repetitions', 1, 1, NULL, '')");
  }
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  const auto cells = store->load_cells(Detail::outline).value();
  ASSERT_EQ(cells.size(), 1U);
  ASSERT_EQ(cells[0].processes.size(), 1U) << "only one of the two environments counts";
  EXPECT_EQ(cells[0].processes[0].environment_hash, "elsewhere");
  ASSERT_EQ(cells[0].set_aside.size(), 1U);
  EXPECT_EQ(cells[0].processes[0].made_with.build(), "") << "it was not recorded";
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  EXPECT_EQ(database.integer("SELECT count(*) FROM manifest JOIN toolchain_manifest USING (manifest_sha256) "
                             "JOIN toolchain USING (toolchain_key) WHERE manifest_sha256 = '77aa' AND "
                             "manifest_json = '{}' AND compiler = 'onnxruntime'"),
            1);
}

TEST(Migration, LeavesUnknownWhenThePartsOfAProcessOfTheSecondVersionBegan) {
  const Folder folder;
  {
    const std::array<Migration, 2> first{migrations()[0], migrations()[1]};
    sql::Database database = open_to_write(folder.results(), first);
    database.execute(
        "INSERT INTO toolchain VALUES (1, 'local', 'null', ''); "
        "INSERT INTO model VALUES (1, 'm', 1, 'm', '', '', '', NULL, NULL, NULL); "
        "INSERT INTO cell VALUES (1, 'aa', 'local', 1, 1, 'null', 'n', '', '{}', 1, 'f32', 1); "
        "INSERT INTO run VALUES (1, 'r', 's', '{}', 's', 1, NULL, NULL, NULL); "
        "INSERT INTO run_device VALUES (1, 'local', 1, 1); "
        "INSERT INTO process VALUES (1, 1, 1, 'local', 1, 0, 1, 1, NULL, 'here', 1, 1, 'repetitions', 1, 1, NULL, '', "
        "NULL, 'here'); INSERT INTO phase VALUES (1, 0, 'timed', 5000, 1, NULL, 1, NULL); "
        "INSERT INTO repetition VALUES (1, 0, 1000, 1, 0); "
        "INSERT INTO reading VALUES (1, 0, 'steal', 'percent', 'timed', 0.5, NULL)");
  }
  for (const Mode mode : {Mode::read_only, Mode::read_write}) {
    auto store = Store::open(folder.results(), mode);
    ASSERT_TRUE(store) << store.error().text();
    const auto cells = store->load_cells();
    ASSERT_TRUE(cells) << cells.error().text();
    const samples::ProcessResult& process = cells->at(0).processes.at(0);
    EXPECT_EQ(process.phases.at(0).wall_ns, 5000);
    EXPECT_FALSE(process.phases[0].started_ns);
    EXPECT_FALSE(process.repetitions.at(0).started_ns);
    EXPECT_EQ(process.readings.at(0).value.value, 0.5);
    EXPECT_FALSE(process.readings[0].at_ns);
    EXPECT_TRUE(process.neighbours.empty());
  }
}

TEST(Migration, GivesCellsAndRepetitionsOfTheFifthVersionOneInstance) {
  const Folder folder;
  {
    const auto first = migrations().first(5);
    sql::Database database = open_to_write(folder.results(), first);
    database.execute(
        "INSERT INTO toolchain VALUES (1, 'local', 'null', ''); "
        "INSERT INTO model (model_key, model_hash, batch, label, family, recipe_json, path) VALUES "
        "(1, 'm', 1, 'm', '', '', ''); "
        "INSERT INTO cell (cell_key, cell_id, device, model_key, toolchain_key, compiler, compiler_label, "
        "compiler_version, options_json, precision, planned_processes, threads) VALUES "
        "(1, 'aa', 'local', 1, 1, 'null', 'n', '', '{}', 'f32', 1, 1); "
        "INSERT INTO run (run_key, run_id, study_name, study_json, study_sha256, started_unix_ns) VALUES "
        "(1, 'r', 's', '{}', 's', 1); INSERT INTO run_device VALUES (1, 'local', 1, 1); "
        "INSERT INTO process (process_key, cell_key, run_key, device, sequence, process_index, attempt, is_complete, "
        "environment_hash, started_unix_ns, wall_ns, stop_reason, is_steady, threads_used, log_path, origin, threads) "
        "VALUES (1, 1, 1, 'local', 1, 0, 1, 1, 'here', 1, 1, 'repetitions', 1, 1, '', 'here', 1); "
        "INSERT INTO repetition VALUES (1, 0, 1000, 1, 0, 5)");
  }
  for (const Mode mode : {Mode::read_only, Mode::read_write}) {
    auto store = Store::open(folder.results(), mode);
    ASSERT_TRUE(store) << store.error().text();
    const auto cells = store->load_cells();
    ASSERT_TRUE(cells) << cells.error().text();
    EXPECT_EQ(cells->at(0).of.compiler.instances, 1);
    const samples::Repetition& repetition = cells->at(0).processes.at(0).repetitions.at(0);
    EXPECT_EQ(repetition.instance, 0U);
    EXPECT_EQ(repetition.started_ns, 5);
  }
}

TEST(Migration, ResumesAFileOfTheSeventhVersionWhichRecordedUnsetTolerancesAsNumbers) {
  const Folder folder;
  plan::Plan as_recorded = made_up::plan();
  as_recorded.study.protocol.tolerances = {1e-4, 1e-3};
  {
    const auto first = migrations().first(7);
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

TEST(Migration, RefusesAFileOfANewerVersion) {
  const Folder folder;
  create(folder);
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 99");
  for (const Mode mode : {Mode::read_only, Mode::read_write}) {
    const auto refused = Store::open(folder.results(), mode);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what,
              "written by a newer version of ngb: the file has version 99, and this ngb reads versions up to 8");
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

// Derived values count as out of date once the file's change counter has grown.
TEST(Migration, LeavesAFileThatHasTodaysViewUnchanged) {
  const Folder folder;
  create(folder);
  const auto counter = [&] { return sql::Database(folder.results(), SQLITE_OPEN_READONLY).change_counter(); };
  const auto before = counter();
  ASSERT_TRUE(Store::open(folder.results(), Mode::read_write));
  EXPECT_EQ(counter(), before);
}

// Creates a file as the first version did.
void create_first_version(const Folder& folder) {
  sql::Database old(folder.results(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  old.execute(migrations()[0].sql);
  old.execute("INSERT INTO derived_state VALUES (1, 0, '')");
  old.execute("PRAGMA application_id = 0x4E474252; PRAGMA user_version = 1");
}

TEST(Migration, DropsTheDerivedValuesOfAFileOfTheFirstVersion) {
  const Folder folder;
  create_first_version(folder);
  auto reader = Store::open(folder.results(), Mode::read_only);
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_TRUE(reader->is_older());
  EXPECT_FALSE(reader->keeps_derived().value());
  auto writer = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(writer) << writer.error().text();
  EXPECT_FALSE(writer->is_older());
  EXPECT_FALSE(writer->keeps_derived().value());
}

// Version 6 said of all values together whether they are up to date.
TEST(Migration, TakesWhatAFileOfTheSixthVersionHasKeptForOutOfDate) {
  const Folder folder;
  {
    sql::Database database = open_to_write(folder.results(), migrations().first(6));
    database.execute(
        "INSERT INTO toolchain VALUES (1, 'local', 'null', ''); "
        "INSERT INTO model (model_key, model_hash, batch, label, family, recipe_json, path) VALUES "
        "(1, 'm', 1, 'm', '', '', ''); "
        "INSERT INTO cell (cell_key, cell_id, device, model_key, toolchain_key, compiler, compiler_label, "
        "compiler_version, options_json, precision, planned_processes, threads) VALUES "
        "(1, 'aa', 'local', 1, 1, 'null', 'n', '', '{}', 'f32', 1, 1); "
        "INSERT INTO derived VALUES (5, 1, 'throughput_per_s', 2, NULL, NULL, ''); "
        "INSERT INTO derived VALUES (7, 1, 'flag_spread', 0.2, NULL, NULL, ''); "
        "INSERT INTO derived_state VALUES (1, 0, 'formulas', 9); "
        "INSERT INTO series_part VALUES (1, '', 'made'); INSERT INTO series_state VALUES (1, 0, 9); "
        "INSERT INTO series VALUES (1, 1, 's', 'local', 'n', 'm', '1', 2, NULL, NULL, NULL, NULL, ''); "
        "INSERT INTO series_cell VALUES (1, 0, 1); INSERT INTO conclusion VALUES (1, 1, 'claim', 'It holds.', '{}')");
  }
  for (const Mode mode : {Mode::read_only, Mode::read_write}) {
    auto store = Store::open(folder.results(), mode);
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_EQ(store->load_cells().value().size(), 1U);
    EXPECT_FALSE(store->keeps_derived().value());
    EXPECT_FALSE(store->load_series().value());
    const auto stored = stored_derived(folder.results()).value();
    ASSERT_EQ(stored.size(), 2U) << "a bundle's values can be compared";
    EXPECT_EQ(stored[0].metric, "throughput_per_s");
    EXPECT_EQ(stored[1].metric, "flag_spread");
    EXPECT_EQ(stored_series(folder.results()).value().size(), 1U);
  }
  auto store = Store::open(folder.results(), Mode::read_write).value();
  ASSERT_TRUE(store.save_series(store.state().value(), {}, {}));
  EXPECT_TRUE(stored_derived(folder.results()).value().empty()) << "what is kept anew replaces all of it";
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

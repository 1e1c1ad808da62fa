// SPDX-License-Identifier: Apache-2.0
#include "store/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "made_up.h"
#include "plan/plan.h"
#include "store/sqlite.h"

namespace ngb::store {
namespace {

using made_up::Folder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The plan of made_up.h with the ids that its cells have on this device; with labels, as if each compiler were listed
// twice.
plan::Plan plan_on(const std::string& device, bool with_labels = false) {
  plan::Plan made = made_up::plan();
  for (work::Cell& cell : made.cells) {
    cell.device = device;
    const std::string label = with_labels ? made.compiler_of(cell).label : std::string();
    cell.id = plan::cell_id(made.configuration_of(cell), label);
  }
  for (work::Group& group : made.groups) group.device = device;
  return made;
}

samples::Environment machine(const std::string& model) {
  samples::Environment made = made_up::environment();
  made.entries.push_back({"cpu_model", "", Known<std::string>::of(model), true});
  return made;
}

// Records a run: the first cell completes, a process of the second is disturbed and one crashes.
void record_run(const Folder& folder, const plan::Plan& plan, std::int64_t started, const std::string& model = "a") {
  auto store = Store::open(folder.results(), Mode::read_write).value();
  const std::string device = plan.cells[0].device;
  const std::string run = store.begin_run(plan, started).value();
  const samples::Environment environment = machine(model);
  std::vector<samples::ProcessResult> results{
      made_up::process(plan.cells[0].id, 0), made_up::process(plan.cells[0].id, 1),
      made_up::disturbed(plan.cells[1].id, 0, 1), made_up::crash(plan.cells[1].id, 1, 1)};
  ASSERT_TRUE(store.record_toolchain(device, "onnxruntime", "1.31.1", {"m" + std::to_string(started), "{}"}));
  ASSERT_TRUE(store.record(run, device, {1, environment}));
  std::uint64_t sequence = 1;
  for (samples::ProcessResult& result : results) {
    result.environment_hash = environment.hash();
    result.started_unix_ns += started;
    const Status recorded = store.record(run, device, {++sequence, result});
    ASSERT_TRUE(recorded) << recorded.error().text();
  }
  ASSERT_TRUE(store.note_presence(run, device));
  ASSERT_TRUE(store.flush());
}

std::map<std::string, std::int64_t> rows_of(const std::filesystem::path& file) {
  sql::Database database(file, SQLITE_OPEN_READONLY);
  std::map<std::string, std::int64_t> rows;
  sql::Statement names = database.statement("SELECT name FROM sqlite_master WHERE type = 'table'");
  while (names.step()) rows[names.text(0)] = database.integer("SELECT count(*) FROM " + names.text(0));
  return rows;
}

std::string refused(const std::vector<Source>& sources) {
  const Folder folder;
  const auto merged = merge(sources, folder / "merged.db", [] { return false; });
  return merged ? "merged" : merged.error().text();
}

class Merge : public ::testing::Test {
 protected:
  void SetUp() override {
    record_run(a_, plan_on("local"), 1000);
    record_run(b_, plan_on("local"), 2000, "b");
  }
  [[nodiscard]] std::vector<Source> renamed() const {
    return {{a_.results(), {{"local", "xeon"}}}, {b_.results(), {{"local", "laptop"}}}};
  }
  Store merged(const std::vector<Source>& sources) const {
    const auto logs = merge(sources, to_.results(), [] { return false; });
    EXPECT_TRUE(logs) << logs.error().text();
    return Store::open(to_.results(), Mode::read_only).value();
  }
  Folder a_;
  Folder b_;
  Folder to_;
};

TEST_F(Merge, ReadsTheCellsOfEachFolderUnderItsDevicesNewName) {
  const auto cells = merged(renamed()).load_cells().value();
  const plan::Plan xeon = plan_on("xeon");
  const plan::Plan laptop = plan_on("laptop");
  ASSERT_EQ(cells.size(), 8U);
  EXPECT_EQ(cells[0].of.device, "xeon");
  EXPECT_EQ(cells[0].cell_id, xeon.cells[0].id);
  EXPECT_EQ(cells[4].of.device, "laptop");
  EXPECT_EQ(cells[4].cell_id, laptop.cells[0].id);
  EXPECT_EQ(cells[0].processes.size(), 2U);
  EXPECT_EQ(cells[0].processes[0].started_unix_ns, 1'800'000'000'000'001'000);
  EXPECT_EQ(cells[4].processes[1].started_unix_ns, 1'800'000'000'000'002'001);
  EXPECT_EQ(cells[4].processes[1].log_path, "sources/2/devices/local/logs/" + plan_on("local").cells[0].id);
  ASSERT_EQ(cells[5].failed.size(), 2U);
  EXPECT_EQ(cells[5].failed[0].neighbours.at(0).name, "python3");
  EXPECT_EQ(cells[5].failed[1].failure->message, "signal 11 in libfoo");
}

TEST_F(Merge, KeepsEveryRowButTheDerivedValuesAndThePresenceOfRuns) {
  (void)merged(renamed());
  const auto a = rows_of(a_.results());
  const auto b = rows_of(b_.results());
  for (const auto& [table, rows] : rows_of(to_.results())) {
    const std::set<std::string> shared{"protocol", "revision", "model", "model_input"};
    if (table == "presence" || table == "derived") {
      EXPECT_EQ(rows, 0) << table;
    } else if (table == "source") {
      EXPECT_EQ(rows, 2);
    } else if (table == "source_cell") {
      EXPECT_EQ(rows, 8);
    } else if (shared.contains(table)) {
      EXPECT_EQ(rows, a.at(table)) << table;
    } else {
      EXPECT_EQ(rows, a.at(table) + b.at(table)) << table;
    }
  }
  sql::Database database(to_.results(), SQLITE_OPEN_READONLY);
  sql::Statement broken = database.statement("SELECT * FROM pragma_foreign_key_check");
  EXPECT_FALSE(broken.step());
}

TEST_F(Merge, NamesTheFolderOfEachRunAndTheFormerIdOfEachCell) {
  Store store = merged(renamed());
  const auto runs = store.runs().value();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].source, a_.path().string());
  EXPECT_EQ(runs[1].source, b_.path().string());
  EXPECT_EQ(runs[1].devices.at(0).device, "laptop");
  sql::Database database(to_.results(), SQLITE_OPEN_READONLY);
  sql::Statement former = database.statement(
      "SELECT source_cell.cell_id, source_cell.device FROM source_cell JOIN cell USING (cell_key) WHERE cell.cell_id = "
      "?");
  former.bind(plan_on("laptop").cells[2].id);
  ASSERT_TRUE(former.step());
  EXPECT_EQ(former.text(0), plan_on("local").cells[2].id);
  EXPECT_EQ(former.text(1), "local");
}

TEST_F(Merge, PutsTheProcessesOfOneMachineIntoOneCell) {
  const Folder again;
  record_run(again, plan_on("local"), 3000);
  const auto cells = merged({{a_.results(), {}}, {again.results(), {}}}).load_cells().value();
  ASSERT_EQ(cells.size(), 4U);
  ASSERT_EQ(cells[0].processes.size(), 4U);
  EXPECT_EQ(cells[0].processes[0].process_index, 0);
  EXPECT_EQ(cells[0].processes[1].process_index, 0);
  EXPECT_NE(cells[0].processes[0].run_key, cells[0].processes[1].run_key);
}

TEST_F(Merge, ARenamedCellIsTheOneThatWasMeasuredUnderThatName) {
  const Folder named;
  record_run(named, plan_on("xeon"), 3000);
  EXPECT_EQ(merged({{a_.results(), {{"local", "xeon"}}}, {named.results(), {}}}).load_cells()->size(), 4U);
}

TEST_F(Merge, ARenamedCellKeepsTheLabelInItsId) {
  const Folder local;
  const Folder named;
  record_run(local, plan_on("local", true), 3000);
  record_run(named, plan_on("xeon", true), 4000);
  EXPECT_EQ(merged({{local.results(), {{"local", "xeon"}}}, {named.results(), {}}}).load_cells()->size(), 4U);
}

TEST_F(Merge, MergesWhatWasMergedBefore) {
  (void)merged(renamed());
  const Folder c;
  const Folder all;
  record_run(c, plan_on("pi"), 4000, "c");
  ASSERT_TRUE(
      merge({{c.results(), {}}, {to_.results(), {{"laptop", "notebook"}}}}, all.results(), [] { return false; }));
  Store store = Store::open(all.results(), Mode::read_only).value();
  EXPECT_THAT(store.devices().value(), ElementsAre("notebook", "pi", "xeon"));
  EXPECT_EQ(store.runs()->at(2).source, b_.path().string());
  const auto cells = store.load_cells().value();
  EXPECT_EQ(cells[8].cell_id, plan_on("notebook").cells[0].id);
  EXPECT_EQ(cells[8].processes.at(0).log_path, "sources/3/devices/local/logs/" + plan_on("local").cells[0].id);
}

TEST_F(Merge, OpensSeveralFilesAsOneWithoutChangingThem) {
  const auto before = rows_of(a_.results());
  EXPECT_EQ(open_sources(renamed())->load_cells()->size(), 8U);
  EXPECT_EQ(open_sources({{a_.results(), {{"local", "xeon"}}}})->devices().value(), std::vector<std::string>{"xeon"});
  EXPECT_EQ(rows_of(a_.results()), before);
}

TEST_F(Merge, RefusesUnlikeMachinesOfOneName) {
  EXPECT_EQ(refused({{a_.results(), {}}, {b_.results(), {}}}),
            a_.path().string() + " and " + b_.path().string() +
                ": local is not the same machine in both: cpu_model: a and b; give one of them another name: --as " +
                b_.path().string() + ":local=NAME");
}

TEST_F(Merge, RefusesUnlikeProtocolsAndNamesTheKeys) {
  plan::Plan other = plan_on("local");
  other.study.protocol.repetitions = 4;
  const Folder folder;
  record_run(folder, other, 3000);
  EXPECT_THAT(refused({{a_.results(), {}}, {folder.results(), {}}}),
              HasSubstr("measured under unlike protocols: repetitions: 3 and 4; "));
}

TEST_F(Merge, RefusesOneRunTwice) {
  EXPECT_THAT(refused({{a_.results(), {{"local", "x"}}}, {a_.results(), {{"local", "y"}}}}),
              HasSubstr("one is a copy of the other"));
}

TEST_F(Merge, RefusesTwoDevicesOfOneNameInOneFolder) {
  record_run(a_, plan_on("xeon"), 3000);
  EXPECT_THAT(refused({{a_.results(), {{"local", "xeon"}}}}),
              HasSubstr("two devices would be called xeon: local and "));
}

TEST_F(Merge, RefusesAFileOfANewerVersion) {
  sql::Database(b_.results(), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 99");
  EXPECT_THAT(refused(renamed()), HasSubstr("written by a newer version of ngb"));
}

TEST_F(Merge, EndsWhenItIsAskedTo) {
  const auto interrupted = merge(renamed(), to_.results(), [] { return true; });
  ASSERT_FALSE(interrupted);
  EXPECT_EQ(interrupted.error().what, "interrupted; nothing was written");
}

TEST_F(Merge, LetsNothingBeMeasuredIntoMergedResults) {
  (void)merged(renamed());
  auto store = Store::open(to_.results(), Mode::read_write).value();
  const auto begun = store.begin_run(plan_on("xeon"), 5000);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().what, "these results were merged from other folders, so nothing can be measured into them");
}

}  // namespace
}  // namespace ngb::store

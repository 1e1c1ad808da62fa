// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"
#include "store/protocol.h"
#include "store/sqlite.h"

namespace ngb::store {
namespace {

using made_up::Folder;
using Progress = CellState::Progress;

class Resuming : public testing::Test {
 protected:
  Store open() { return std::move(*Store::open(folder_.results(), Mode::read_write)); }
  static void record(Store& store, const std::string& run, std::uint64_t sequence,
                     decltype(samples::Event::body) body) {
    const Status recorded = store.record(run, "local", {sequence, std::move(body)});
    ASSERT_TRUE(recorded) << recorded.error().text();
    ASSERT_TRUE(store.flush());
  }
  // Begins a run of the plan in which one process was measured.
  static void measured(Store& store, const plan::Plan& plan) {
    record(store, store.begin_run(plan, 7).value(), 1, made_up::process("aa", 0));
  }
  static void end(Store& store, const std::string& run, std::uint64_t sequence, const std::vector<std::string>& open) {
    for (const samples::Event& event : made_up::ending(sequence, open)) record(store, run, event.sequence, event.body);
  }
  Folder folder_;
};

TEST_F(Resuming, FindsTheUnfinishedRunOfTheSameStudy) {
  std::string run;
  {
    Store store = open();
    run = store.begin_run(made_up::plan(), 7).value();
    record(store, run, 1, made_up::process("aa", 0));
  }
  Store store = open();
  EXPECT_EQ(store.begin_run(made_up::plan(), 8).value(), run);
  EXPECT_EQ(store.last_sequence(run, "local").value(), 1U);
  const auto runs = store.runs().value();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].started_unix_ns, 7);
  EXPECT_EQ(runs[0].study_name, "made up");
  EXPECT_FALSE(runs[0].is_complete);
  ASSERT_EQ(runs[0].devices.size(), 1U);
  EXPECT_EQ(runs[0].devices[0].last_sequence, 1U);
}

TEST_F(Resuming, RemembersWhichDevicesMayHaveSomethingOfARun) {
  std::string run;
  {
    Store store = open();
    run = store.begin_run(made_up::plan(), 7).value();
    EXPECT_FALSE(store.runs().value()[0].devices[0].may_be_there) << "nothing was delivered yet";
    ASSERT_TRUE(store.note_presence(run, "local"));
    ASSERT_TRUE(store.note_presence(run, "local"));
    ASSERT_TRUE(store.note_presence(run, "a device that the run has not planned for"));
    ASSERT_TRUE(store.flush());
  }
  Store store = open();
  EXPECT_EQ(store.open_run(made_up::plan()).value(), run);
  EXPECT_TRUE(store.runs().value()[0].devices[0].may_be_there);
  ASSERT_TRUE(store.forget_presence(run, "local"));
  ASSERT_TRUE(store.flush());
  EXPECT_FALSE(store.runs().value()[0].devices[0].may_be_there);
  plan::Plan edited = made_up::plan();
  edited.study.limits.attempts += 1;
  EXPECT_EQ(store.open_run(edited).value(), std::nullopt);
}

TEST_F(Resuming, BeginsAnotherRunWhenTheFirstIsComplete) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  end(store, run, 1, {"aa", "bb", "cc", "dd"});
  EXPECT_TRUE(store.runs().value()[0].is_complete);
  EXPECT_NE(store.begin_run(made_up::plan(), 8).value(), run);
}

TEST_F(Resuming, GivesANewRunOnlyTheCellsThatAreMissing) {
  Store store = open();
  const plan::Plan plan = made_up::plan();
  const std::string first = store.begin_run(plan, 7).value();
  record(store, first, 1, made_up::process("aa", 0));
  record(store, first, 2, made_up::process("aa", 1));
  record(store, first, 3, made_up::crash("bb", 0, 1));
  record(store, first, 4, made_up::process("cc", 0));
  EXPECT_EQ(store.remaining(plan, first).value().groups[0].steps.size(), 4U) << "a run keeps its own cells";
  end(store, first, 5, {"bb", "cc", "dd"});

  const std::string second = store.begin_run(plan, 8).value();
  const plan::Plan left = store.remaining(plan, second).value();
  ASSERT_EQ(left.groups.size(), 2U);
  ASSERT_EQ(left.groups[0].steps.size(), 2U);
  EXPECT_EQ(left.groups[0].steps[0].cell_index, 1);
  EXPECT_EQ(left.groups[1].steps.size(), 4U) << "completed() lists the processes of a cell that is measured in part";
  const auto completed = store.completed(second, "local").value();
  ASSERT_EQ(completed.size(), 1U);
  EXPECT_EQ(completed[0].processes.at("cc"), (std::vector<int>{0}));
  record(store, second, 1, made_up::process("bb", 0));
  EXPECT_EQ(store.remaining(plan, second).value().groups[0].steps.size(), 2U)
      << "the result is the same at every continuation";
}

TEST_F(Resuming, LeavesFailedCellsAloneUntilTheirToolchainIsThere) {
  const Store::HasToolchain has_it = [](const auto& device, const auto& compiler, const auto& version) {
    return device == "local" && compiler == "identity" && version == "2.15.0";  // the compiler of cell aa
  };
  const Store::HasToolchain has_none = [](const auto&, const auto&, const auto&) { return false; };
  const auto steps = [](const Result<plan::Plan>& left) {
    std::size_t count = 0;
    for (const work::Group& group : left.value().groups) count += group.steps.size();
    return count;
  };
  Store store = open();
  const plan::Plan plan = made_up::plan();
  const std::string run = store.begin_run(plan, 7).value();
  EXPECT_EQ(steps(store.left_to_do(plan, false, has_none)), 8U) << "the run has begun";
  samples::ProcessResult missing = made_up::crash("aa", 0, 1);
  missing.failure->kind = samples::FailureKind::toolchain_missing;
  record(store, run, 1, missing);
  record(store, run, 2, made_up::process("bb", 0));
  record(store, run, 3, made_up::process("bb", 1));
  end(store, run, 4, {"cc", "dd"});
  EXPECT_EQ(steps(store.left_to_do(plan, false, has_none)), 0U) << "bb is complete, and the others have failed";
  const plan::Plan left = store.left_to_do(plan, false, has_it).value();
  ASSERT_EQ(steps(left), 2U);
  EXPECT_EQ(left.cell_of(left.groups[0].steps[0]).id, "aa");
  EXPECT_EQ(steps(store.left_to_do(plan, true, has_none)), 8U) << "`remaining` takes out the complete ones";
}

TEST_F(Resuming, AddsTheCellsOfAnotherStudyWithTheSameProtocol) {
  Store store = open();
  const std::string first = store.begin_run(made_up::plan(), 7).value();
  plan::Plan wider = made_up::plan();
  wider.study.name = "wider";
  wider.models.push_back(made_up::model(8));
  wider.cells.push_back(made_up::cell("ee", 0, 2));
  const auto second = store.begin_run(wider, 8);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_NE(*second, first);
  EXPECT_EQ(store.load_cells().value().size(), 5U);
  EXPECT_THAT(store.planned_cells(first).value(), testing::ElementsAre("aa", "bb", "cc", "dd"));
  EXPECT_THAT(store.planned_cells(*second).value(), testing::ElementsAre("aa", "bb", "cc", "dd", "ee"));
  EXPECT_EQ(store.begin_run(made_up::plan(), 9).value(), first) << "each study finds its own run again";
}

TEST_F(Resuming, TakesAnotherProtocolWhileNoProcessWasMeasured) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  record(store, run, 1, made_up::disturbed("aa", 0, 1));
  plan::Plan other = made_up::plan();
  other.study.protocol.repetitions = 30;
  other.study.protocol.processes = 5;
  EXPECT_TRUE(store.check_protocol(other.study));
  ASSERT_TRUE(store.begin_run(other, 8));
  EXPECT_EQ(store.protocol().value().at("repetitions"), "30");
  EXPECT_EQ(store.cell_states().value()[0].planned_processes, 5) << "also of cells that were planned before";
}

TEST_F(Resuming, NamesEveryKeyInWhichTheProtocolDiffers) {
  Store store = open();
  measured(store, made_up::plan());
  plan::Plan other = made_up::plan();
  other.study.protocol.repetitions = 30;
  other.study.protocol.warm_up = 5;
  other.study.protocol.tolerances.relative = 0.01;
  const auto refused = store.begin_run(other, 8);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "these results were measured under another protocol: "
            "repetitions is 3 in the results and 30 in the study, "
            "tolerances.relative is null in the results and 0.01 in the study, "
            "warm_up is \"auto\" in the results and 5 in the study");
  EXPECT_THAT(refused.error().next, testing::HasSubstr("another output folder"));
  EXPECT_EQ(refused.error().where, folder_.results().string());
  EXPECT_EQ(store.runs().value().size(), 1U) << "nothing of the refused study stays";
}

TEST_F(Resuming, SharedCompilationsAreAnotherProtocolAndCompilingEachIsWhatItAlwaysWas) {
  plan::Plan sharing = made_up::plan();
  sharing.study.protocol.compile = work::Compilation::once;
  EXPECT_NE(study_hash(sharing), study_hash(made_up::plan()));
  for (const ProtocolKey& row : protocol_of(made_up::plan().study)) EXPECT_NE(row.key, "compile");
  Store store = open();
  measured(store, sharing);
  EXPECT_EQ(store.protocol().value().at("compile"), "\"once\"");
  EXPECT_EQ(store.begin_run(made_up::plan(), 8).error().what,
            "these results were measured under another protocol: compile is \"once\" in the results and not set in the "
            "study");
}

TEST_F(Resuming, RefusesAnotherAllocatorInEitherDirection) {
  Store store = open();
  plan::Plan steady = made_up::plan();
  steady.study.allocator = "steady";
  measured(store, steady);
  EXPECT_EQ(store.protocol().value().at("allocator"), "\"steady\"");
  EXPECT_EQ(store.check_protocol(made_up::plan().study).error().what,
            "these results were measured under another protocol: allocator is \"steady\" in the results and not set in "
            "the study");
  EXPECT_TRUE(store.check_protocol(steady.study));
}

TEST_F(Resuming, HasNoRowForTheDefaultAllocatorLikeFilesFromBeforeThatKey) {
  Store store = open();
  measured(store, made_up::plan());
  EXPECT_FALSE(store.protocol().value().contains("allocator"));
  plan::Plan steady = made_up::plan();
  steady.study.allocator = "steady";
  EXPECT_EQ(store.check_protocol(steady.study).error().what,
            "these results were measured under another protocol: allocator is not set in the results and \"steady\" in "
            "the study");
}

TEST_F(Resuming, ReportsTheProgressOfEachCell) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  record(store, run, 1, made_up::process("aa", 0));
  record(store, run, 2, made_up::process("aa", 1));
  record(store, run, 3, made_up::crash("bb", 0, 1));
  auto cells = store.cell_states().value();
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].progress, Progress::complete);
  EXPECT_EQ(cells[0].completed_processes, 2);
  EXPECT_EQ(cells[1].progress, Progress::partial);
  EXPECT_EQ(cells[1].failed_attempts, 1);
  EXPECT_EQ(cells[2].progress, Progress::planned);
  end(store, run, 4, {"bb", "cc", "dd"});
  cells = store.cell_states().value();
  EXPECT_EQ(cells[0].progress, Progress::complete);
  EXPECT_EQ(cells[1].progress, Progress::failed);
}

TEST_F(Resuming, EndsAShareWhoseProcessesWereDisturbedInTheirLastAttempt) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();  // 2 processes a cell, 3 attempts if disturbed
  record(store, run, 1, made_up::process("aa", 0));
  record(store, run, 2, made_up::disturbed("aa", 1, 1));
  for (std::uint64_t sequence = 3; const char* cell : {"bb", "cc", "dd"}) {
    record(store, run, sequence++, made_up::crash(cell, 0, 2));
  }
  const Status early = store.record(run, "local", {6, samples::Finished{}});
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().what, testing::HasSubstr("1 of 2 processes of cell aa are missing"));
  record(store, run, 6, made_up::disturbed("aa", 1, 3));
  record(store, run, 7, samples::Finished{});
  EXPECT_EQ(store.cell_states().value()[0].progress, Progress::failed);
  const Status later = store.record(run, "local", {8, made_up::disturbed("aa", 1, 4)});
  ASSERT_FALSE(later);
  EXPECT_THAT(later.error().what, testing::HasSubstr("attempt is 4, expected 1 to 3"));
}

samples::ProcessResult made_with(samples::ProcessResult process, const std::string& manifest) {
  process.made_with = {.manifest_sha256 = manifest, .worker_sha256 = "w"};
  return process;
}

TEST_F(Resuming, KeepsEveryBuildThatWasInstalled) {
  {
    Store store = open();
    ASSERT_TRUE(store.begin_run(made_up::plan(), 7));
    for (const char* build : {"77aa", "88bb", "77aa"}) {
      EXPECT_TRUE(store.record_toolchain("local", "onnxruntime", "1.31.1", {build, R"({"packages":[]})"}));
    }
    EXPECT_TRUE(store.flush());
  }
  const sql::Database database(folder_.results(), SQLITE_OPEN_READONLY);
  sql::Statement rows =
      database.statement("SELECT manifest_sha256, position FROM toolchain_manifest ORDER BY position");
  std::vector<std::pair<std::string, int>> found;
  while (rows.step()) found.emplace_back(rows.text(0), rows.small(1));
  EXPECT_EQ(found, (std::vector<std::pair<std::string, int>>{{"77aa", 0}, {"88bb", 1}}));
  EXPECT_EQ(database.integer("SELECT count(*) FROM manifest"), 2);
}

TEST_F(Resuming, NeverPoolsProcessesOfTwoBuildsInOneCell) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  record(store, run, 1, made_with(made_up::process("aa", 0), "old"));
  record(store, run, 2, made_with(made_up::process("aa", 1), "new"));
  EXPECT_EQ(store.cell_states().value()[0].progress, Progress::partial) << "one of two with each build";
  EXPECT_EQ(store.completed(run, "local").value().size(), 2U);
  auto cell = store.load_cells().value()[0];
  ASSERT_EQ(cell.processes.size(), 1U);
  EXPECT_EQ(cell.processes[0].made_with.manifest_sha256, "new")
      << "both builds have as many processes: the newer ones count";
  ASSERT_EQ(cell.set_aside.size(), 1U);
  EXPECT_EQ(cell.set_aside[0].made_with.manifest_sha256, "old");

  record(store, run, 3, made_with(made_up::process("aa", 0), "new"));
  EXPECT_EQ(store.cell_states().value()[0].progress, Progress::complete);
  cell = store.load_cells().value()[0];
  ASSERT_EQ(cell.processes.size(), 2U);
  EXPECT_EQ(cell.processes[0].made_with.manifest_sha256, "new");
  EXPECT_EQ(cell.set_aside.size(), 1U) << "what was measured is kept";
  const sql::Database database(folder_.results(), SQLITE_OPEN_READONLY);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);  // as in sqlite3 and pandas
  EXPECT_EQ(database.integer("SELECT count(DISTINCT process_index) FROM sample"), 2);
  EXPECT_EQ(database.integer("SELECT count(*) FROM sample"), 8);
  EXPECT_EQ(database.integer("SELECT count(*) FROM made_with"), 2);
}

TEST_F(Resuming, NeverPoolsProcessesOfTwoEnvironmentsInOneCell) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  samples::ProcessResult elsewhere = made_up::process("aa", 1);
  elsewhere.environment_hash = "elsewhere";
  record(store, run, 1, made_up::process("aa", 0));
  record(store, run, 2, elsewhere);
  EXPECT_EQ(store.cell_states().value()[0].completed_processes, 1);
  elsewhere.process_index = 0;
  record(store, run, 3, elsewhere);
  const auto cell = store.load_cells().value()[0];
  EXPECT_EQ(cell.processes.size(), 2U);
  EXPECT_EQ(cell.processes[0].environment_hash, "elsewhere");
}

class RoundsThatEnd : public Resuming {
 protected:
  RoundsThatEnd() { plan_.study.protocol.rounds = work::Rounds{.max = 8}; }
  plan::Plan plan_ = made_up::plan();
};

TEST_F(RoundsThatEnd, NeedTheProcessesThatTheyHave) {
  Store store = open();
  const std::string run = store.begin_run(plan_, 7).value();
  std::uint64_t sequence = 0;
  for (const char* cell : {"aa", "bb", "cc", "dd"}) {
    ASSERT_TRUE(store.record(run, "local", {++sequence, made_up::process(cell, 0)}));
  }
  const Status early = store.record(run, "local", {sequence + 1, samples::Finished{}});
  EXPECT_THAT(early.error().what, testing::HasSubstr("7 of 8 processes of cell aa are missing"));
  ASSERT_TRUE(store.record(run, "local", {++sequence, samples::RoundsEnded{{"aa", "bb", "cc", "dd"}}}));
  ASSERT_TRUE(store.record(run, "local", {++sequence, samples::Finished{}}));
  ASSERT_TRUE(store.flush());
  const std::vector<CellState> states = store.cell_states().value();
  for (const CellState& state : states) {
    EXPECT_EQ(state.progress, CellState::Progress::complete);
    EXPECT_TRUE(state.has_ended_rounds);
  }
  const auto cells = store.load_cells().value();
  EXPECT_EQ(cells[0].needed_processes(), 1);
  EXPECT_EQ(cells[0].planned_processes, 8);
  EXPECT_EQ(cells[0].rounds.value().max, 8);
  EXPECT_TRUE(store.left_to_do(plan_, false, [](auto...) { return true; })->groups.empty());
}

TEST_F(RoundsThatEnd, GoOnIfADeviceOpensThemAgain) {
  Store store = open();
  const std::string run = store.begin_run(plan_, 7).value();
  ASSERT_TRUE(store.record(run, "local", {1, made_up::process("aa", 0)}));
  ASSERT_TRUE(store.record(run, "local", {2, samples::RoundsEnded{{"aa"}, {}}}));
  ASSERT_TRUE(store.record(run, "local", {3, samples::RoundsEnded{{}, {"aa"}}}));
  ASSERT_TRUE(store.flush());
  EXPECT_FALSE(store.cell_states().value()[0].has_ended_rounds);
  EXPECT_EQ(store.load_cells().value()[0].needed_processes(), 8);
  EXPECT_FALSE(store.record(run, "local", {4, samples::RoundsEnded{{}, {"unknown"}}}));
}

TEST_F(RoundsThatEnd, AreNotMeasuredAgainByAnotherRun) {
  Store store = open();
  const std::string run = store.begin_run(plan_, 7).value();
  ASSERT_TRUE(store.record(run, "local", {1, made_up::process("aa", 0)}));
  ASSERT_TRUE(store.record(run, "local", {2, samples::RoundsEnded{{"aa"}}}));
  plan::Plan more = plan_;
  more.compilers.push_back({.name = "xla", .version = "1", .threads = 2, .label = "xla"});
  more.cells.push_back(made_up::cell("ee", 2, 0));
  more.groups[0].steps.push_back({4, 0});
  const std::string other = store.begin_run(more, 8).value();
  ASSERT_NE(other, run);
  const auto remaining = store.remaining(more, other);
  ASSERT_TRUE(remaining);
  for (const work::Step& step : remaining->groups[0].steps) EXPECT_NE(remaining->cell_of(step).id, "aa");
}

// made_up::process has repetitions of 1, 2 and 3 ms, of two inferences each.
TEST_F(RoundsThatEnd, TellADeviceTheSpeedsThatWereRecorded) {
  Store store = open();
  const std::string run = store.begin_run(plan_, 7).value();
  ASSERT_TRUE(store.record(run, "local", {1, made_up::process("aa", 1)}));
  const auto completed = store.completed(run, "local").value();
  ASSERT_EQ(completed.size(), 1U);
  const std::vector<double> speeds = completed[0].numbers.at("aa").at(0);
  EXPECT_THAT(speeds, testing::Pointwise(testing::DoubleNear(1e-6), std::vector<double>{2000, 4000.0 / 3, 1000}));
}

TEST_F(RoundsThatEnd, AreRefusedFromADeviceWhoseStudyHasAFixedNumber) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  const Status refused = store.record(run, "local", {1, samples::RoundsEnded{{"aa"}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, testing::HasSubstr("the study has a fixed number of rounds"));
}

}  // namespace
}  // namespace ngb::store

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"

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

TEST_F(Resuming, BeginsAnotherRunWhenTheFirstIsComplete) {
  Store store = open();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  record(store, run, 1, samples::Finished{});
  EXPECT_TRUE(store.runs().value()[0].is_complete);
  EXPECT_NE(store.begin_run(made_up::plan(), 8).value(), run);
}

TEST_F(Resuming, LeavesToANewRunOnlyWhatIsMissing) {
  Store store = open();
  const plan::Plan plan = made_up::plan();
  const std::string first = store.begin_run(plan, 7).value();
  record(store, first, 1, made_up::process("aa", 0));
  record(store, first, 2, made_up::process("aa", 1));
  record(store, first, 3, made_up::crash("bb", 0, 1));
  record(store, first, 4, made_up::process("cc", 0));
  EXPECT_EQ(store.remaining(plan, first).value().groups[0].steps.size(), 4U) << "its own run is handed over whole";
  record(store, first, 5, samples::Finished{});

  const std::string second = store.begin_run(plan, 8).value();
  const plan::Plan left = store.remaining(plan, second).value();
  ASSERT_EQ(left.groups.size(), 2U);
  ASSERT_EQ(left.groups[0].steps.size(), 2U);
  EXPECT_EQ(left.groups[0].steps[0].cell_index, 1);
  EXPECT_EQ(left.groups[1].steps.size(), 3U);
  record(store, second, 1, made_up::process("bb", 0));
  EXPECT_EQ(store.remaining(plan, second).value().groups[0].steps.size(), 2U) << "the same at every continuation";
}

TEST_F(Resuming, AddsTheCellsOfAnotherStudyWithTheSameProtocol) {
  Store store = open();
  const std::string first = store.begin_run(made_up::plan(), 7).value();
  plan::Plan wider = made_up::plan();
  wider.study.name = "wider";
  wider.models.push_back(made_up::model(8));
  wider.cells.push_back(made_up::cell("ee", "identity", 2));
  const auto second = store.begin_run(wider, 8);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_NE(*second, first);
  EXPECT_EQ(store.load_cells().value().size(), 5U);
  EXPECT_THAT(store.planned_cells(first).value(), testing::ElementsAre("aa", "bb", "cc", "dd"));
  EXPECT_THAT(store.planned_cells(*second).value(), testing::ElementsAre("aa", "bb", "cc", "dd", "ee"));
  EXPECT_EQ(store.begin_run(made_up::plan(), 9).value(), first) << "each study finds its own run again";
}

TEST_F(Resuming, NamesEveryKeyInWhichTheProtocolDiffers) {
  Store store = open();
  ASSERT_TRUE(store.begin_run(made_up::plan(), 7));
  plan::Plan other = made_up::plan();
  other.study.repetitions = 30;
  other.study.warm_up = 5;
  other.study.relative_tolerance = 0.01;
  const auto refused = store.begin_run(other, 8);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "these results were measured under another protocol: repetitions is 3 there and 30 here, "
            "tolerances.relative is 0.001 there and 0.01 here, warm_up is \"auto\" there and 5 here");
  EXPECT_THAT(refused.error().next, testing::HasSubstr("another output folder"));
  EXPECT_EQ(refused.error().where, folder_.results().string());
  EXPECT_EQ(store.runs().value().size(), 1U) << "nothing of the refused study stays";
}

TEST_F(Resuming, TellsHowFarEachCellIs) {
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
  record(store, run, 4, samples::Finished{});
  cells = store.cell_states().value();
  EXPECT_EQ(cells[0].progress, Progress::complete);
  EXPECT_EQ(cells[1].progress, Progress::failed);
}

TEST_F(Resuming, KeepsWhatIsInstalled) {
  Store store = open();
  ASSERT_TRUE(store.begin_run(made_up::plan(), 7));
  EXPECT_TRUE(store.record_toolchain("local", "onnxruntime", "1.31.1", R"({"packages":[]})"));
  EXPECT_TRUE(store.flush());
}

}  // namespace
}  // namespace ngb::store

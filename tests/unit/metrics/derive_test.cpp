// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <gtest/gtest.h>

#include <set>

#include "../store/made_up.h"
#include "metrics/families.h"

namespace ngb::metrics {
namespace {

// The plan of made_up.h, with four cells of one model (aa to dd), and a second model with two cells: ee (identity) and
// ff (onnxruntime), the first of which is planned before the last two of the first model.
plan::Plan plan_of_two_models(const std::string& baseline) {
  plan::Plan made = made_up::plan();
  made.study.baseline = baseline;
  work::Model other = made_up::model(1);
  other.key.hash = "deadbeef";
  other.label = other.family = "vit";
  made.models.push_back(other);
  made.cells.insert(made.cells.begin() + 2, made_up::cell("ee", 0, 2));
  made.cells.push_back(made_up::cell("ff", 1, 2));
  made.groups[1].steps = {{3, 0}, {4, 0}, {4, 1}, {3, 1}};
  made.groups.push_back({"local", 2, {{2, 0}, {5, 0}, {5, 1}, {2, 1}}});
  return made;
}

samples::ProcessResult process_at(const std::string& cell, int index, double hz) {
  samples::ProcessResult made = made_up::process(cell, index);
  made.readings.push_back({"frequency", "hz", "end", Known<double>::of(hz)});
  return made;
}

class DeriveResults : public ::testing::Test {
 protected:
  // Records two processes of each cell of the identity and of onnxruntime at batch 1, which is four times as fast.
  void record_two_models(const std::string& baseline = "identity") {
    auto store = store::Store::open(folder_.results(), store::Mode::read_write);
    const std::string run = store->begin_run(plan_of_two_models(baseline), 7).value();
    std::uint64_t sequence = 0;
    for (const char* const cell : {"aa", "bb", "ee", "ff"}) {
      for (const int index : {0, 1}) {
        auto process = process_at(cell, index, cell == std::string("ff") ? 2e9 : 4e9);
        if (process.cell_id == "bb" || process.cell_id == "ff") {
          for (auto& repetition : process.repetitions) repetition.wall_ns /= 4;
        }
        ASSERT_TRUE(store->record(run, "local", {++sequence, process}));
      }
    }
    ASSERT_TRUE(store->flush());
  }
  [[nodiscard]] std::vector<store::Source> sources() const { return {{folder_.results(), {}}}; }
  [[nodiscard]] Derived derived(const std::optional<std::string>& baseline = {}) const {
    auto made = derive(sources(), 2, baseline);
    EXPECT_TRUE(made) << made.error().text();
    return *std::move(made);
  }
  made_up::Folder folder_;
};

double value_of(const Derived& derived, const std::string& cell_id, const std::string& metric) {
  for (const store::DerivedValue& value : derived.values) {
    if (value.cell_id == cell_id && value.metric == metric) return value.value.value_or(-1);
  }
  return -2;
}

TEST_F(DeriveResults, GivesTheValuesOfCellsInTheOrderOfTheStudyWhicheverFamilyTheyAreOf) {
  record_two_models();
  const Derived made = derived();
  std::vector<std::string> order;
  for (const store::DerivedValue& value : made.values) {
    if (order.empty() || order.back() != value.cell_id.str()) order.push_back(value.cell_id);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"aa", "bb", "ee", "cc", "dd", "ff"}));
  ASSERT_EQ(made.cells.size(), 6U);
  EXPECT_EQ(made.cells[2].cell_id, "ee");
  EXPECT_NEAR(value_of(made, "bb", "speed_up_ratio"), 4, 1e-9);
  EXPECT_NEAR(value_of(made, "ff", "speed_up_ratio"), 4, 1e-9);
  EXPECT_EQ(value_of(made, "cc", "throughput_per_s"), -1) << "not measured yet";
}

TEST_F(DeriveResults, UsesFamiliesOneAfterTheOtherInTheirOrderHoweverManyThreadsThereAre) {
  record_two_models();
  auto reader = FamilyReader::open(sources());
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->cell_count(), 6U);
  std::vector<std::size_t> sizes;
  const Status done = reader->derive(reader->families(), all_metrics(), 2,
                                     [&](const DerivedFamily& family) { sizes.push_back(family.cells.size()); });
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 2}));
}

TEST_F(DeriveResults, KeepsPhasesButNoRepetitionsInMemoryAndTheNameOfAMetricOnceForAFamily) {
  record_two_models();
  const Derived made = derived();
  ASSERT_EQ(made.cells[0].processes.size(), 2U);
  EXPECT_TRUE(made.cells[0].processes[0].repetitions.empty());
  EXPECT_FALSE(made.cells[0].processes[0].phases.empty());
  EXPECT_EQ(made.steady[0].repetitions, 6U) << "3 of each process";
  std::set<const std::string*> places;
  for (const store::DerivedValue& value : made.values) {
    if (value.metric == "throughput_per_s") places.insert(&value.metric.str());
  }
  EXPECT_EQ(places.size(), 2U);
}

TEST_F(DeriveResults, RefersToTheBaselineOfTheStudyOrToTheOneThatIsAskedFor) {
  record_two_models("onnxruntime@1.31.1");
  const Derived made = derived();
  EXPECT_EQ(made.baseline.words(), "onnxruntime@1.31.1");
  EXPECT_NEAR(value_of(made, "aa", "speed_up_ratio"), 0.25, 1e-9);
  EXPECT_EQ(value_of(made, "bb", "speed_up_ratio"), 1);
  EXPECT_NEAR(value_of(derived("identity"), "bb", "speed_up_ratio"), 4, 1e-9);
}

TEST_F(DeriveResults, RefusesABaselineThatTheFileDoesNotHave) {
  record_two_models();
  const auto found = derive(sources(), 1, "onxruntime");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text(), "onxruntime: these results have no such compiler, did you mean onnxruntime?");
  EXPECT_TRUE(has_code(found, ErrorCode::not_found));
}

TEST_F(DeriveResults, RefersFlagsToTheHighestClockThatAnyCellOfTheDeviceHasRead) {
  record_two_models();
  EXPECT_EQ(value_of(derived(), "ff", "flag_throttled"), 0.5);
  EXPECT_EQ(value_of(derived(), "ee", "flag_throttled"), -2);
}

TEST_F(DeriveResults, OfOnlyOneFamilyHasItsCellsAlone) {
  record_two_models();
  auto reader = FamilyReader::open(sources());
  ASSERT_TRUE(reader);
  const auto part = derive(*reader, std::span(reader->families()).subspan(1), 1);
  ASSERT_TRUE(part);
  ASSERT_EQ(part->cells.size(), 2U);
  EXPECT_EQ(part->cells[1].cell_id, "ff");
  EXPECT_NEAR(value_of(*part, "ff", "speed_up_ratio"), 4, 1e-9);
}

}  // namespace
}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <mutex>

#include "../store/made_up.h"
#include "metrics/families.h"

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
  EXPECT_GT(first->computed, 0U);
  const auto second = derive(folder.results(), 1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->computed, 0U);
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
  EXPECT_GT(third->computed, 0U) << "new results make new values";
}

// Records two processes of aa (identity) and of bb (onnxruntime) for a study with this baseline.
void record_two_cells(const made_up::Folder& folder, const std::string& baseline) {
  auto store = store::Store::open(folder.results(), store::Mode::read_write);
  plan::Plan plan = made_up::plan();
  plan.study.baseline = baseline;
  const std::string run = store->begin_run(plan, 7).value();
  std::uint64_t sequence = 0;
  for (const char* const cell : {"aa", "bb"}) {
    for (const int index : {0, 1}) {
      auto process = made_up::process(cell, index);
      if (process.cell_id == "bb") {
        for (auto& repetition : process.repetitions) repetition.wall_ns /= 4;
      }
      ASSERT_TRUE(store->record(run, "local", {++sequence, process}));
    }
  }
  ASSERT_TRUE(store->flush());
}

double speed_up_of(const Result<Derived>& derived, const std::string& cell_id) {
  for (const store::DerivedValue& value : derived->values) {
    if (value.cell_id == cell_id && value.metric == "speed_up_ratio") return value.value.value_or(-1);
  }
  return -2;
}

TEST(Derive, GivesFamilyByFamilyTheValuesOfAllTogether) {
  const made_up::Folder folder;
  record_two_cells(folder, "identity");
  auto reader = FamilyReader::open({{folder.results(), {}}});
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->cell_count(), 4U);
  std::vector<store::DerivedValue> found;
  std::mutex mutex;
  const Status done = reader->derive(reader->families(), all_metrics(), 2, [&](const DerivedFamily& family) {
    const std::scoped_lock lock(mutex);
    for (const auto& values : family.values) found.insert(found.end(), values.begin(), values.end());
  });
  ASSERT_TRUE(done) << done.error().text();
  const auto together = derive(folder.results(), 1);
  ASSERT_TRUE(together);
  ASSERT_EQ(found.size(), together->values.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].cell_id, together->values[i].cell_id);
    EXPECT_EQ(found[i].metric, together->values[i].metric);
    EXPECT_EQ(found[i].value, together->values[i].value);
    EXPECT_EQ(found[i].high, together->values[i].high);
  }
}

TEST(Derive, KeepsNeitherRepetitionsInMemoryNorTheValuesOfAPartInTheFile) {
  const made_up::Folder folder;
  record_two_cells(folder, "identity");
  {
    auto reader = FamilyReader::open({{folder.results(), {}}});
    ASSERT_TRUE(reader);
    const auto part = derive_part(*reader, reader->families(), 1);
    ASSERT_TRUE(part);
    EXPECT_FALSE(part->is_whole);
    ASSERT_EQ(part->cells[0].processes.size(), 2U);
    EXPECT_TRUE(part->cells[0].processes[0].repetitions.empty());
    EXPECT_FALSE(part->cells[0].processes[0].phases.empty());
    EXPECT_EQ(part->steady[0].repetitions, 6U) << "3 of each process";
  }
  EXPECT_GT(derive(folder.results(), 1)->computed, 0U);
}

TEST(Derive, RefersToTheBaselineOfTheStudyAndKeepsItsValues) {
  const made_up::Folder folder;
  record_two_cells(folder, "onnxruntime@1.31.1");
  EXPECT_GT(derive(folder.results(), 1)->computed, 0U);
  const auto kept = derive(folder.results(), 1);
  EXPECT_EQ(kept->computed, 0U);
  EXPECT_EQ(kept->baseline.words(), "onnxruntime@1.31.1");
  EXPECT_NEAR(speed_up_of(kept, "aa"), 0.25, 1e-9);
  EXPECT_EQ(speed_up_of(kept, "bb"), 1);
}

TEST(Derive, NeverMixesTheValuesOfTwoBaselines) {
  const made_up::Folder folder;
  record_two_cells(folder, "identity");
  ASSERT_TRUE(derive(folder.results(), 1));
  const auto other = derive(folder.results(), 1, "onnxruntime");
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_GT(other->computed, 0U);
  EXPECT_NEAR(speed_up_of(other, "aa"), 0.25, 1e-9);
  const auto own = derive(folder.results(), 1);
  EXPECT_EQ(own->computed, 0U) << "the values for another baseline did not replace those of the study's";
  EXPECT_NEAR(speed_up_of(own, "bb"), 4, 1e-9);
  EXPECT_EQ(derive(folder.results(), 1, "identity")->computed, 0U);
}

TEST(Derive, RefusesABaselineThatTheFileDoesNotHave) {
  const made_up::Folder folder;
  record_two_cells(folder, "identity");
  const auto found = derive(folder.results(), 1, "onxruntime");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text(), "onxruntime: these results have no such compiler, did you mean onnxruntime?");
  EXPECT_TRUE(has_code(found, ErrorCode::not_found));
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
  ASSERT_EQ(derive(folder.results(), 1)->computed, 0U);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(folder.results().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "UPDATE repetition SET wall_ns = wall_ns * 10", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  EXPECT_GT(derive(folder.results(), 1)->computed, 0U);
  EXPECT_EQ(derive(folder.results(), 1)->computed, 0U);
}

}  // namespace
}  // namespace ngb::metrics

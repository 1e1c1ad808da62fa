// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/derive_series.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>

#include "../../store/made_up.h"
#include "metrics/series/findings.h"
#include "metrics/series/series.h"

namespace ngb::metrics::series {
namespace {

// The plan of made_up.h with a second model, so that there are two parts.
plan::Plan plan_of_two_groups() {
  plan::Plan made = made_up::plan();
  work::Model other = made_up::model(1);
  other.key.hash = "deadbeef";
  other.label = other.family = "vit";
  other.source = work::Recipe{R"({"family":"vit","parameters":{},"revision":3,"seed":1})"};
  made.models.push_back(other);
  made.cells.push_back(made_up::cell("ee", 0, 2));
  made.cells.push_back(made_up::cell("ff", 1, 2));
  made.groups.push_back({"local", 2, {{4, 0}, {5, 0}, {5, 1}, {4, 1}}});
  return made;
}

class KeptSeries : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::Store::open(folder_.results(), store::Mode::read_write);
    run_ = store->begin_run(plan_of_two_groups(), 7).value();
    for (const char* const cell : {"aa", "bb", "ee", "ff"}) record(*store, cell, 0);
  }
  void record(store::Store& store, const std::string& cell, int index) {
    ASSERT_TRUE(store.record(run_, "local", {++sequence_, made_up::process(cell, index)}));
    ASSERT_TRUE(store.flush());
  }
  void record(const std::string& cell, int index) {
    auto store = store::Store::open(folder_.results(), store::Mode::read_write);
    record(*store, cell, index);
  }
  [[nodiscard]] DerivedSeries derived() const {
    auto cells = derive(folder_.results(), 1);
    EXPECT_TRUE(cells);
    auto series = derive_series({{folder_.results(), {}}}, *cells, {});
    EXPECT_TRUE(series);
    return *std::move(series);
  }
  [[nodiscard]] std::filesystem::path results() const { return folder_.results(); }

 private:
  made_up::Folder folder_;
  std::string run_;
  std::uint64_t sequence_ = 0;
};

TEST_F(KeptSeries, AreNotComputedAgain) {
  const DerivedSeries first = derived();
  ASSERT_EQ(first.parts.size(), 3U) << "two groups of models, and all cells";
  EXPECT_EQ(first.computed, 3U);
  const DerivedSeries second = derived();
  EXPECT_EQ(second.computed, 0U);
  ASSERT_EQ(second.parts.size(), first.parts.size());
  for (std::size_t i = 0; i < first.parts.size(); ++i) {
    EXPECT_EQ(second.parts[i].part, first.parts[i].part);
    ASSERT_EQ(second.parts[i].values.size(), first.parts[i].values.size());
    for (std::size_t j = 0; j < first.parts[i].values.size(); ++j) {
      const store::SeriesValue& a = first.parts[i].values[j];
      const store::SeriesValue& b = second.parts[i].values[j];
      EXPECT_EQ(a.series, b.series);
      EXPECT_EQ(a.subject, b.subject);
      EXPECT_EQ(a.batch_sizes, b.batch_sizes);
      EXPECT_EQ(a.value, b.value);
      EXPECT_EQ(a.standard_error, b.standard_error);
      EXPECT_EQ(a.reason, b.reason);
      EXPECT_EQ(a.cell_ids, b.cell_ids);
    }
    ASSERT_EQ(second.parts[i].conclusions.size(), first.parts[i].conclusions.size());
    for (std::size_t j = 0; j < first.parts[i].conclusions.size(); ++j) {
      EXPECT_EQ(second.parts[i].conclusions[j].json, first.parts[i].conclusions[j].json);
    }
  }
  EXPECT_FALSE(first.parts.back().conclusions.empty());
}

TEST_F(KeptSeries, AreComputedAgainWhereACellHasANewProcessOnly) {
  EXPECT_EQ(derived().computed, 3U);
  record("ff", 1);
  const DerivedSeries again = derived();
  EXPECT_EQ(again.computed, 2U) << "the group of ff, and all cells";
  EXPECT_EQ(derived().computed, 0U);
}

TEST_F(KeptSeries, StayWhenOnlyTheMetricsOfCellsAreDerivedMeanwhile) {
  (void)derived();
  record("ff", 1);
  ASSERT_TRUE(derive(results(), 1));
  EXPECT_EQ(derived().computed, 2U);
}

TEST_F(KeptSeries, AreAllComputedAgainAfterAnotherProgramChangedTheFile) {
  (void)derived();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(results().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "UPDATE repetition SET wall_ns = wall_ns * 10", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(derived().computed, 3U);
  EXPECT_EQ(derived().computed, 0U);
}

TEST_F(KeptSeries, AreAllComputedAgainForOtherClaims) {
  constexpr Claim kClaim{
      "a_claim", "It is fast.", "nothing", "a letter",
      [](const Analysis&, const Setting&) -> ClaimTest { return {.reason = "nobody has measured it"}; }};
  EXPECT_EQ(derived().computed, 3U);
  auto cells = derive(results(), 1);
  ASSERT_TRUE(cells);
  const auto series = derive_series({{results(), {}}}, *cells, {&kClaim, 1});
  ASSERT_TRUE(series);
  EXPECT_EQ(series->computed, 3U);
  EXPECT_EQ(series->parts.back().conclusions.back().sentence, "It is fast.");
}

TEST_F(KeptSeries, DoNotMixTheValuesOfTwoBaselines) {
  (void)derived();
  auto other = derive(results(), 1, "onnxruntime");
  ASSERT_TRUE(other);
  EXPECT_EQ(derive_series({{results(), {}}}, *other, {})->computed, 3U);
  EXPECT_EQ(derived().computed, 0U);
}

TEST(SeriesTable, NamesEachNumberOnceWithItsDeviation) {
  std::set<std::string_view> names;
  for (const Series& series : all_series()) {
    EXPECT_TRUE(names.insert(series.name).second) << series.name;
    EXPECT_EQ(find_series(series.name), &series);
    EXPECT_EQ(find_metric(series.name), nullptr) << "a metric has the same name";
    if (series.deviation != nullptr) {
      EXPECT_NE(find_series(series.deviation), nullptr);
    }
  }
}

}  // namespace
}  // namespace ngb::metrics::series

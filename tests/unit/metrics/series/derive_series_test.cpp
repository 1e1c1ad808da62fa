// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/derive_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "../../store/made_up.h"
#include "metrics/series/findings.h"
#include "metrics/series/series.h"
#include "store/sqlite.h"

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

class DerivedSeries : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::Store::open(folder_.results(), store::Mode::read_write);
    const std::string run = store->begin_run(plan_of_two_groups(), 7).value();
    std::uint64_t sequence = 0;
    for (const char* const cell : {"aa", "bb", "ee", "ff"}) {
      ASSERT_TRUE(store->record(run, "local", {++sequence, made_up::process(cell, 0)}));
    }
    ASSERT_TRUE(store->flush());
  }
  [[nodiscard]] std::vector<store::SeriesPart> parts(std::span<const Claim> claims = {},
                                                     const std::optional<std::string>& baseline = {}) const {
    const auto cells = derive({{folder_.results(), {}}}, 1, baseline);
    EXPECT_TRUE(cells);
    return derive_series(*cells, claims);
  }
  made_up::Folder folder_;
};

constexpr Claim kFast{
    "a_claim", "It is fast.", "nothing", "a letter",
    [](const Analysis&, const Setting&) -> ClaimTest { return {.reason = "nobody has measured it"}; }};

TEST_F(DerivedSeries, HaveAPartForEachGroupOfModelsAndOneWithTheConclusionsOfAllCells) {
  const auto made = parts({&kFast, 1});
  ASSERT_EQ(made.size(), 3U);
  EXPECT_TRUE(made[0].conclusions.empty());
  EXPECT_EQ(made[2].part, "");
  EXPECT_EQ(made[2].conclusions.back().sentence, "It is fast.");
}

TEST_F(DerivedSeries, AreThoseOfTheBaselineToWhichTheValuesRefer) {
  const auto has_speed_up = [](const std::vector<store::SeriesPart>& parts, const std::string& compiler) {
    const auto& values = parts.front().values;
    return std::any_of(values.begin(), values.end(), [&](const store::SeriesValue& value) {
      return value.series == "model_group_speed_up_ratio" && value.compiler.starts_with(compiler);
    });
  };
  EXPECT_TRUE(has_speed_up(parts(), "onnxruntime"));
  EXPECT_FALSE(has_speed_up(parts(), "identity")) << "the baseline's own";
  EXPECT_TRUE(has_speed_up(parts({}, "onnxruntime"), "identity"));
}

// Returns how many rows a table of the file has.
std::int64_t rows_of(const std::filesystem::path& file, const std::string& table) {
  return store::sql::Database(file, SQLITE_OPEN_READONLY).integer("SELECT count(*) FROM " + table);
}

TEST_F(DerivedSeries, AreKeptInTheFileWithTheValuesOfAllCellsUntilSomethingIsRecorded) {
  const auto kept = derive_and_keep(folder_.results(), {}, 1);
  ASSERT_TRUE(kept) << kept.error().text();
  const auto made = parts();
  EXPECT_EQ(rows_of(folder_.results(), "derived"), static_cast<std::int64_t>(kept->values.size()));
  EXPECT_EQ(rows_of(folder_.results(), "series"),
            static_cast<std::int64_t>(made[0].values.size() + made[1].values.size() + made[2].values.size()));
  EXPECT_EQ(rows_of(folder_.results(), "conclusion"), static_cast<std::int64_t>(made[2].conclusions.size()));
  {
    auto store = store::Store::open(folder_.results(), store::Mode::read_write);
    const std::string run = store->begin_run(plan_of_two_groups(), 8).value();
    ASSERT_TRUE(store->record(run, "local", {5, made_up::process("ff", 1)}));
    ASSERT_TRUE(store->flush());
  }
  EXPECT_EQ(rows_of(folder_.results(), "derived"), 0);
  EXPECT_EQ(rows_of(folder_.results(), "series"), 0);
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

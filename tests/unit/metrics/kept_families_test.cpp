// SPDX-License-Identifier: Apache-2.0
// Every test asks whether what is shown is what a file without any kept value shows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../store/made_up.h"
#include "metrics/derive.h"
#include "store/merge.h"
#include "store/sqlite.h"

namespace ngb::metrics {
namespace {

// The plan of made_up.h, with four cells of one model (aa to dd), and a second model with two cells: ee (identity) and
// ff (onnxruntime).
plan::Plan plan_of_two_families() {
  plan::Plan made = made_up::plan();
  made.study.protocol.rounds = work::Rounds{};
  work::Model other = made_up::model(1);
  other.key.hash = "deadbeef";
  other.label = other.family = "vit";
  made.models.push_back(other);
  made.cells.push_back(made_up::cell("ee", 0, 2));
  made.cells.push_back(made_up::cell("ff", 1, 2));
  made.groups.push_back({"local", 2, {{4, 0}, {5, 0}, {5, 1}, {4, 1}}});
  return made;
}

std::string text_of(const std::vector<store::DerivedValue>& values) {
  std::string text;
  const auto number = [](const std::optional<double>& given) { return given ? fmt::format("{:a}", *given) : "none"; };
  for (const store::DerivedValue& each : values) {
    text += fmt::format("{} {} {} {} {} {}\n", each.cell_id.str(), each.metric.str(), number(each.value),
                        number(each.low), number(each.high), each.reason.str());
  }
  return text;
}

double value_of(const Derived& derived, const std::string& cell_id, const std::string& metric) {
  for (const store::DerivedValue& value : derived.values) {
    if (value.cell_id == cell_id && value.metric == metric) return value.value.value_or(-1);
  }
  return -2;
}

class KeptFamilies : public ::testing::Test {
 protected:
  void SetUp() override {
    store::Store store = open();
    run_ = store.begin_run(plan_of_two_families(), 7).value();
    for (const char* const cell : {"aa", "bb", "ee", "ff"}) record(store, made_up::process(cell, 0));
    record(store, made_up::crash("dd", 0, 1));
  }
  [[nodiscard]] store::Store open() const {
    return store::Store::open(folder_.results(), store::Mode::read_write).value();
  }
  void record(store::Store& store, const samples::ProcessResult& process) {
    const Status recorded = store.record(run_, "local", {++sequence_, process});
    ASSERT_TRUE(recorded) << recorded.error().text();
    ASSERT_TRUE(store.flush());
  }
  void record(const samples::ProcessResult& process) {
    store::Store store = open();
    record(store, process);
  }
  // Begins a run of another study in the same file, or resumes the run if the study has the same cells.
  void begin_another(const plan::Plan& plan) {
    store::Store store = open();
    run_ = store.begin_run(plan, 8).value();
    sequence_ = store.last_sequence(run_, "local").value();
  }
  // Returns what is shown. It must be what a file shows that keeps nothing.
  [[nodiscard]] Derived shown() const {
    const auto alone = folder_ / "alone.db";
    std::filesystem::copy_file(folder_.results(), alone, std::filesystem::copy_options::overwrite_existing);
    sql_in(alone, "DELETE FROM derived; DELETE FROM derived_family; DELETE FROM kept_state");
    const auto fresh = derive(alone, 1);
    auto found = derive(folder_.results(), 1);
    EXPECT_TRUE(fresh) << fresh.error().text();
    EXPECT_TRUE(found) << found.error().text();
    EXPECT_EQ(text_of(found->values), text_of(fresh->values));
    EXPECT_EQ(found->cells.size(), fresh->cells.size());
    return *std::move(found);
  }
  static void sql_in(const std::filesystem::path& file, const std::string& sql) {
    store::sql::Database(file, SQLITE_OPEN_READWRITE).execute(sql);
  }
  made_up::Folder folder_;
  std::string run_;
  std::uint64_t sequence_ = 0;
};

samples::ProcessResult process_at(const std::string& cell, int index, double hz) {
  samples::ProcessResult made = made_up::process(cell, index);
  made.readings.push_back({"frequency", "hz", "end", Known<double>::of(hz)});
  return made;
}

// Returns how many texts of this metric's name are in memory.
std::size_t names_in_memory(const Derived& derived, const std::string& metric) {
  std::set<const std::string*> places;
  for (const store::DerivedValue& value : derived.values) {
    if (value.metric == metric) places.insert(&value.metric.str());
  }
  return places.size();
}

TEST_F(KeptFamilies, HaveTheirNamesInMemoryOnceForAFamilyWhetherComputedOrLoaded) {
  for (const std::size_t computed : {2U, 0U}) {
    const Derived derived = shown();
    EXPECT_EQ(derived.computed, computed);
    EXPECT_EQ(derived.cells.size(), 6U);
    EXPECT_EQ(names_in_memory(derived, "throughput_per_s"), 2U);
  }
}

TEST_F(KeptFamilies, AreComputedOnceAndThenAgainOnlyWhereSomethingWasRecorded) {
  EXPECT_EQ(shown().computed, 2U);
  EXPECT_EQ(shown().computed, 0U);
  record(made_up::process("ff", 1));
  EXPECT_EQ(shown().computed, 1U) << "the family of ee and ff";
  EXPECT_EQ(shown().computed, 0U);
  record(made_up::crash("cc", 0, 1));
  EXPECT_EQ(shown().computed, 1U) << "a failure counts as well";
  record(made_up::process("aa", 1));
  record(made_up::process("ee", 1));
  EXPECT_EQ(shown().computed, 2U);
}

TEST_F(KeptFamilies, HaveTheSteadyPartsOfAllCellsOnlyIfAllWereComputed) {
  EXPECT_EQ(shown().steady.size(), 6U);
  record(made_up::process("ff", 1));
  EXPECT_TRUE(shown().steady.empty());
}

TEST_F(KeptFamilies, AreComputedAgainForAnotherBaseline) {
  EXPECT_EQ(value_of(shown(), "aa", "speed_up_ratio"), 1);
  plan::Plan plan = plan_of_two_families();
  plan.study.baseline = "onnxruntime";
  begin_another(plan);
  const Derived other = shown();
  EXPECT_EQ(other.computed, 2U);
  EXPECT_EQ(other.baseline.words(), "onnxruntime");
  EXPECT_EQ(shown().computed, 0U);
}

// No setting is called "fast" until another study adds one.
TEST_F(KeptFamilies, AreComputedAgainOnceTheBaselinesWordsMeanSomethingElse) {
  plan::Plan plan = plan_of_two_families();
  plan.study.baseline = "fast";
  begin_another(plan);
  EXPECT_EQ(value_of(shown(), "bb", "speed_up_ratio"), -1) << "no such baseline was measured";
  plan.compilers.push_back({.name = "onnxruntime", .version = "1.31.1", .threads = 2, .label = "fast"});
  plan.cells = {{.id = "gg", .device = "local", .compiler_index = 2, .model_index = 0}};
  plan.groups = {{"local", 0, {{0, 0}, {0, 1}}}};
  begin_another(plan);
  record(made_up::process("gg", 0));
  const Derived other = shown();
  EXPECT_EQ(other.computed, 2U);
  EXPECT_EQ(value_of(other, "bb", "speed_up_ratio"), 1);
}

TEST_F(KeptFamilies, AreComputedAgainAfterAHigherClockOfTheirDevice) {
  record(process_at("ff", 1, 2e9));
  EXPECT_EQ(value_of(shown(), "ff", "flag_throttled"), -2);
  record(process_at("aa", 1, 4e9));
  const Derived other = shown();
  EXPECT_EQ(other.computed, 2U) << "the flags of both refer to the highest clock";
  EXPECT_EQ(value_of(other, "ff", "flag_throttled"), 0.5);
  record(process_at("ee", 1, 3.9e9));
  EXPECT_EQ(shown().computed, 1U) << "not the highest one";
}

TEST_F(KeptFamilies, AreComputedAgainOnceTheStudySaysMoreOfTheModel) {
  (void)shown();
  plan::Plan plan = plan_of_two_families();
  for (work::Model& model : plan.models) {
    if (model.key.hash != "deadbeef") continue;
    model.raw_bytes = 1000;
    model.encoded_bytes = 100;
  }
  ASSERT_TRUE(open().describe_models(plan));
  EXPECT_EQ(shown().computed, 1U);
}

TEST_F(KeptFamilies, AreComputedAgainWhenRoundsEnd) {
  (void)shown();
  {
    store::Store store = open();
    ASSERT_TRUE(store.record(run_, "local", {++sequence_, samples::RoundsEnded{{"ee"}}}));
    ASSERT_TRUE(store.flush());
  }
  EXPECT_EQ(shown().computed, 1U);
}

TEST_F(KeptFamilies, OfAnotherStudyAreAddedToThoseOfTheFirst) {
  (void)shown();
  plan::Plan plan = plan_of_two_families();
  work::Model third = made_up::model(1);
  third.key.hash = "c0ffee";
  plan.models.push_back(third);
  plan.cells = {{.id = "hh", .device = "local", .compiler_index = 0, .model_index = 3}};
  plan.groups = {{"local", 3, {{0, 0}, {0, 1}}}};
  begin_another(plan);
  EXPECT_EQ(shown().computed, 1U) << "planned, not measured";
  record(made_up::process("hh", 0));
  EXPECT_EQ(shown().computed, 1U);
  plan.cells = {{.id = "ii", .device = "local", .compiler_index = 1, .model_index = 3}};
  begin_another(plan);
  EXPECT_EQ(shown().computed, 1U) << "another cell of the same family";
}

TEST_F(KeptFamilies, AreAllComputedAgainAfterAnotherProgramChangedTheFile) {
  (void)shown();
  sql_in(folder_.results(), "UPDATE repetition SET wall_ns = wall_ns * 10");
  record(made_up::process("ff", 1));
  EXPECT_EQ(shown().computed, 2U);
  EXPECT_EQ(shown().computed, 0U);
}

TEST_F(KeptFamilies, AreNotThoseOfAMergedFile) {
  (void)shown();
  const auto merged = folder_ / "merged.db";
  ASSERT_TRUE(store::merge({{folder_.results(), {{"local", "xeon"}}}}, merged, [] { return false; }));
  EXPECT_EQ(derive(merged, 1)->computed, 2U);
  const auto renamed = derive(std::vector<store::Source>{{folder_.results(), {{"local", "xeon"}}}}, 1);
  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->computed, 2U) << "read as a file of its own";
  EXPECT_EQ(renamed->cells[0].of.device, "xeon");
  EXPECT_EQ(shown().computed, 0U);
}

TEST_F(KeptFamilies, OfARunThatGoesOnAreThoseOfItsEnd) {
  {
    store::Store store = open();
    const Heading heading = heading_of(store).value();
    const auto families = store.families().value();
    ASSERT_EQ(families.size(), 2U);
    record(store, process_at("ee", 1, 3e9));
    ASSERT_TRUE(derive_and_keep(store, heading.baseline, families[1], {{"local", 3e9}}));
    record(store, process_at("aa", 1, 2e9));
  }
  EXPECT_EQ(shown().computed, 1U) << "only the other family was left";
}

TEST_F(KeptFamilies, OfARunThatGoesOnAreVoidedByAHigherClockAndByAProcess) {
  {
    store::Store store = open();
    const auto families = store.families().value();
    for (const store::ValueFamily& family : families) ASSERT_TRUE(derive_and_keep(store, {}, family, {}));
    record(store, process_at("ee", 1, 3e9));
  }
  EXPECT_EQ(shown().computed, 2U);
  {
    store::Store store = open();
    const auto families = store.families().value();
    for (const store::ValueFamily& family : families) {
      ASSERT_TRUE(derive_and_keep(store, {}, family, store.highest_frequencies_hz().value()));
    }
    record(store, made_up::process("aa", 1));
  }
  EXPECT_EQ(shown().computed, 1U);
}

}  // namespace
}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "made_up.h"
#include "store/copy.h"
#include "store/merge.h"
#include "store/sqlite.h"

namespace ngb::store {
namespace {

// Results with a family whose values are kept.
class KeptValues : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store = open();
    run_ = store.begin_run(made_up::plan(), 7).value();
    record(store);
    const Status kept = made_up::keep_values(store, "it",
                                             {{"bb", "speed_up_ratio", 2.0, 1.5, 2.5, ""},
                                              {"aa", "latency_p99_s", {}, {}, {}, "needs 662 repetitions"},
                                              {"aa", "throughput_per_s", 7.0, {}, {}, ""}});
    ASSERT_TRUE(kept) << kept.error().text();
  }
  [[nodiscard]] Store open() const { return Store::open(results(), Mode::read_write).value(); }
  void record(Store& store) {
    ASSERT_TRUE(store.record(run_, "local", {++sequence_, made_up::process("aa", static_cast<int>(sequence_) - 1)}));
    ASSERT_TRUE(store.flush());
  }
  void change(const char* sql) const { sql::Database(results(), SQLITE_OPEN_READWRITE).execute(sql); }
  // Returns the values of the cells aa, bb, cc, dd; nothing if they are not kept as made of `made_of`.
  [[nodiscard]] static std::vector<std::vector<DerivedValue>> loaded(Store& store, const std::string& made_of = "it") {
    const auto families = store.families().value();
    std::vector<FamilyValues> values{{&families.at(0), made_of, {}}};
    EXPECT_TRUE(store.load_derived(values));
    return values[0].by_cell;
  }
  [[nodiscard]] std::vector<std::vector<DerivedValue>> loaded() const {
    Store store = open();
    return loaded(store);
  }
  [[nodiscard]] std::filesystem::path results() const { return folder_.results(); }
  made_up::Folder folder_;

 private:
  std::string run_;
  std::uint64_t sequence_ = 0;
};

TEST_F(KeptValues, AreLoadedByCellInTheOrderOfMetrics) {
  const auto values = loaded();
  ASSERT_EQ(values.size(), 4U);
  ASSERT_EQ(values[0].size(), 2U);
  EXPECT_EQ(values[0][0].metric, "latency_p99_s");
  EXPECT_EQ(values[0][0].value, std::nullopt);
  EXPECT_EQ(values[0][0].reason, "needs 662 repetitions");
  EXPECT_EQ(values[0][1].value, 7.0);
  ASSERT_EQ(values[1].size(), 1U);
  EXPECT_EQ(values[1][0].cell_id, "bb");
  EXPECT_EQ(values[1][0].high, 2.5);
  EXPECT_TRUE(values[2].empty());
}

TEST_F(KeptValues, AreNotLoadedIfTheyAreMadeOfSomethingElse) {
  Store store = open();
  EXPECT_TRUE(loaded(store, "other").empty());
  EXPECT_EQ(loaded(store, "it").size(), 4U);
}

TEST_F(KeptValues, StayWhenNgbRecordsSomethingOrKeepsSomethingElse) {
  Store store = open();
  record(store);
  EXPECT_EQ(loaded(store).size(), 4U) << "what they are made of tells whether that concerns them";
  ASSERT_TRUE(store.save_series(store.state().value(), {{"part", "made", {}, {}}}, {"part"}));
  EXPECT_EQ(loaded(store).size(), 4U);
  EXPECT_EQ(store.load_series().value()->size(), 1U);
}

TEST_F(KeptValues, AreReplacedByThoseOfTheSameFamily) {
  Store store = open();
  ASSERT_TRUE(made_up::keep_values(store, "new", {{"aa", "throughput_per_s", 8.0, {}, {}, ""}}));
  EXPECT_TRUE(loaded(store).empty());
  const auto values = loaded(store, "new");
  ASSERT_EQ(values.size(), 4U);
  ASSERT_EQ(values[0].size(), 1U);
  EXPECT_EQ(values[0][0].value, 8.0);
  EXPECT_TRUE(values[1].empty()) << "the value of bb is gone";
}

TEST_F(KeptValues, AreAllOutOfDateAfterAnotherProgramChangedTheFile) {
  {
    Store store = open();
    ASSERT_TRUE(store.save_series(store.state().value(), {{"part", "made", {}, {}}}, {"part"}));
  }
  change("UPDATE repetition SET wall_ns = wall_ns * 10");
  Store store = open();
  EXPECT_TRUE(loaded(store).empty());
  EXPECT_FALSE(store.load_series().value());
  record(store);
  EXPECT_TRUE(loaded(store).empty()) << "a commit of ngb does not hide it";
  ASSERT_TRUE(store.save_series(store.state().value(), {}, {}));
  EXPECT_TRUE(loaded(store).empty()) << "nor does keeping something new";
  EXPECT_FALSE(store.keeps_derived().value()) << "which removes them";
}

TEST_F(KeptValues, AreNotSavedIfTheFileHasChangedSinceTheyWereComputed) {
  Store store = open();
  const auto families = store.families().value();
  const FamilyValues late{&families.at(0), "late", {{{"aa", "throughput_per_s", 1.0, {}, {}, ""}}, {}, {}, {}}};
  const FileState before = store.state().value();
  record(store);
  ASSERT_TRUE(store.save_derived(before, {late}));
  EXPECT_TRUE(loaded(store, "late").empty()) << "a process was recorded";
  const FileState again = store.state().value();
  change("UPDATE repetition SET wall_ns = wall_ns * 10");
  ASSERT_TRUE(store.save_derived(again, {late}));
  EXPECT_TRUE(loaded(store, "late").empty()) << "another program changed the file";
}

TEST_F(KeptValues, AreNotSavedBeforeWhatWasRecordedIsDurable) {
  Store store = open();
  const auto families = store.families().value();
  ASSERT_TRUE(store.begin());
  const FamilyValues early{&families.at(0), "early", {{{"aa", "throughput_per_s", 1.0, {}, {}, ""}}, {}, {}, {}}};
  ASSERT_TRUE(store.save_derived(store.state().value(), {early}));
  ASSERT_TRUE(store.flush());
  EXPECT_TRUE(loaded(store, "early").empty());
}

TEST_F(KeptValues, AreInNoMergedFileAndInNoCopyOfWhatWasMeasured) {
  const auto merged = folder_ / "merged.db";
  ASSERT_TRUE(merge({{results(), {}}}, merged, [] { return false; }));
  EXPECT_FALSE(Store::open(merged, Mode::read_only).value().keeps_derived().value());
  const auto copy = folder_ / "copy.db";
  ASSERT_TRUE(copy_measured(results(), copy));
  EXPECT_FALSE(Store::open(copy, Mode::read_only).value().keeps_derived().value());
}

TEST_F(KeptValues, AreStillThereAfterAPlainCopyOfTheFile) {
  std::filesystem::copy_file(results(), folder_ / "plain.db");
  auto store = Store::open(folder_ / "plain.db", Mode::read_only).value();
  EXPECT_EQ(loaded(store).size(), 4U);
}

}  // namespace
}  // namespace ngb::store

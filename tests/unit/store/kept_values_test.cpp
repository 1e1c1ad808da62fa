// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "made_up.h"
#include "store/copy.h"
#include "store/merge.h"

namespace ngb::store {
namespace {

// Results of which values are kept.
class KeptValues : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store = open();
    run_ = store.begin_run(made_up::plan(), 7).value();
    record(store);
    ASSERT_TRUE(store.keep_values(store.revision().value(), values(7.0), {{"part", {}, {}}}));
  }
  static std::vector<DerivedValue> values(double throughput_per_s) {
    return {{"aa", "latency_p99_s", {}, {}, {}, "needs 662 repetitions"},
            {"aa", "throughput_per_s", throughput_per_s, {}, {}, ""},
            {"bb", "speed_up_ratio", 2.0, 1.5, 2.5, ""}};
  }
  [[nodiscard]] Store open() const { return Store::open(results(), Mode::read_write).value(); }
  void record(Store& store) {
    ++sequence_;
    const char* const cell = sequence_ > 2 ? "bb" : "aa";  // of two processes each
    ASSERT_TRUE(store.record(run_, "local", {sequence_, made_up::process(cell, static_cast<int>(sequence_ - 1) % 2)}));
    ASSERT_TRUE(store.flush());
  }
  [[nodiscard]] std::vector<DerivedValue> kept() const { return stored_derived(results()).value(); }
  [[nodiscard]] std::filesystem::path results() const { return folder_.results(); }
  made_up::Folder folder_;
  std::string run_;

 private:
  std::uint64_t sequence_ = 0;
};

TEST_F(KeptValues, AreThereByCellInTheOrderOfMetrics) {
  const auto found = kept();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].metric, "latency_p99_s");
  EXPECT_EQ(found[0].value, std::nullopt);
  EXPECT_EQ(found[0].reason, "needs 662 repetitions");
  EXPECT_EQ(found[1].value, 7.0);
  EXPECT_EQ(found[2].cell_id, "bb");
  EXPECT_EQ(found[2].high, 2.5);
  EXPECT_EQ(stored_series(results())->size(), 1U);
}

TEST_F(KeptValues, AreReplacedByLaterOnes) {
  Store store = open();
  ASSERT_TRUE(store.keep_values(store.revision().value(), values(8.0), {}));
  EXPECT_EQ(kept().size(), 3U);
  EXPECT_EQ(kept()[1].value, 8.0);
  EXPECT_TRUE(stored_series(results())->empty());
}

TEST_F(KeptValues, AreRemovedOnceSomethingIsRecordedOrAModelIsDescribed) {
  Store store = open();
  record(store);
  EXPECT_TRUE(kept().empty());
  EXPECT_TRUE(stored_series(results())->empty());
  ASSERT_TRUE(store.keep_values(store.revision().value(), values(8.0), {}));
  record(store);
  EXPECT_TRUE(kept().empty()) << "by the same program as well";
  ASSERT_TRUE(store.keep_values(store.revision().value(), values(9.0), {}));
  ASSERT_TRUE(store.describe_models(made_up::plan()));
  EXPECT_TRUE(kept().empty());
}

TEST_F(KeptValues, StayWhenARunLeavesItsDevice) {
  Store store = open();
  ASSERT_TRUE(store.forget_presence(run_, "local"));
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(kept().size(), 3U);
}

TEST_F(KeptValues, AreNotSavedIfSomethingWasRecordedSinceTheyWereComputed) {
  Store store = open();
  const auto before = store.revision().value();
  record(store);
  ASSERT_TRUE(store.keep_values(before, values(1.0), {}));
  EXPECT_TRUE(kept().empty());
}

TEST_F(KeptValues, AreNotSavedBeforeWhatWasRecordedIsDurable) {
  Store store = open();
  ASSERT_TRUE(store.begin());
  ASSERT_TRUE(store.keep_values(store.revision().value(), values(1.0), {}));
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(kept()[1].value, 7.0);
}

TEST_F(KeptValues, AreInNoMergedFileAndInNoCopyOfWhatWasMeasured) {
  const auto merged = folder_ / "merged.db";
  ASSERT_TRUE(merge({{results(), {}}}, merged, [] { return false; }));
  EXPECT_TRUE(stored_derived(merged)->empty());
  const auto copy = folder_ / "copy.db";
  ASSERT_TRUE(copy_measured(results(), copy));
  EXPECT_TRUE(stored_derived(copy)->empty());
}

}  // namespace
}  // namespace ngb::store

// SPDX-License-Identifier: Apache-2.0
#include "campaign/early_values.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "metrics/derive.h"
#include "store/sqlite.h"
#include "unit/store/made_up.h"

namespace ngb::campaign {
namespace {

// A run of four cells of one model, of which bb was measured before.
class EarlyValuesOfARun : public ::testing::Test {
 protected:
  void SetUp() override {
    run_ = store_.begin_run(made_up::plan(), 7).value();
    record("bb", 0);
    values_ = std::make_unique<EarlyValues>(store_);
    for (const char* const cell : {"aa", "cc", "dd"}) values_->expect(cell);
  }
  void record(const std::string& cell, int index) {
    const samples::ProcessResult process = made_up::process(cell, index);
    ASSERT_TRUE(store_.record(run_, "local", {++sequence_, process}));
    if (values_) values_->note("local", process);
    ASSERT_TRUE(store_.flush());
  }
  [[nodiscard]] bool are_kept() { return store_.keeps_derived().value(); }
  made_up::Folder folder_;
  store::Store store_ = store::Store::open(folder_.results(), store::Mode::read_write).value();
  std::unique_ptr<EarlyValues> values_{};
  std::string run_;
  std::uint64_t sequence_ = 0;
};

TEST_F(EarlyValuesOfARun, AreKeptOnceTheLastCellOfAFamilyIsComplete) {
  for (const char* const cell : {"aa", "cc"}) {
    record(cell, 0);
    values_->complete(cell);
    EXPECT_FALSE(are_kept()) << cell;
  }
  record("dd", 0);
  values_->complete("dd");
  EXPECT_TRUE(are_kept());
  store_ = store::Store::open(folder_ / "other.db", store::Mode::read_write).value();
  EXPECT_EQ(metrics::derive(folder_.results(), 1)->computed, 0U) << "nothing is left for the end";
}

TEST_F(EarlyValuesOfARun, AreLeftToTheEndWhileAnotherProgramReadsAndTheRunRecordsOn) {
  store_.be_patient(std::chrono::milliseconds(1));
  store::sql::Database reader(folder_.results(), SQLITE_OPEN_READONLY);
  for (const char* const cell : {"aa", "cc", "dd"}) record(cell, 0);
  {
    const store::sql::Transaction reading(reader, store::sql::Transaction::Kind::read);
    (void)reader.integer("SELECT count(*) FROM cell");  // holds the file
    for (const char* const cell : {"aa", "cc", "dd"}) values_->complete(cell);
    EXPECT_FALSE(are_kept());
  }
  record("aa", 1);
  EXPECT_EQ(store_.load_cells(store::Detail::outline).value().at(0).processes.size(), 2U);
  store_ = store::Store::open(folder_ / "other.db", store::Mode::read_write).value();
  EXPECT_EQ(metrics::derive(folder_.results(), 1)->computed, 1U);
}

TEST_F(EarlyValuesOfARun, IgnoreCellsThatTheResultsDoNotHave) {
  values_->expect("zz");
  values_->complete("zz");
  EXPECT_FALSE(are_kept());
}

}  // namespace
}  // namespace ngb::campaign

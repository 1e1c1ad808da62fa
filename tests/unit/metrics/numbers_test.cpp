// SPDX-License-Identifier: Apache-2.0
// Expected ratios: scipy 1.17.1, ttest_rel and ttest_ind(equal_var=False) on the logarithms of the same speeds.
#include "metrics/numbers.h"

#include <gtest/gtest.h>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

// Makes a process for each speed, in samples/s, at batch 1. Processes are the rounds 0, 1, … of run `run_key`.
store::CellData cell_at_speeds(const std::string& compiler, const std::vector<double>& speeds,
                               std::int64_t run_key = 1) {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : speeds) {
    processes.push_back(made_up::process(static_cast<int>(processes.size()), {1e3 / speed}));
    processes.back().run_key = run_key;
  }
  return made_up::cell_of(compiler, 1, processes);
}

store::CellData slow_cell(std::int64_t run_key = 1) {
  return cell_at_speeds("slow", {100.0, 104.0, 98.0, 101.0, 97.0}, run_key);
}
store::CellData fast_cell() { return cell_at_speeds("fast", {110.0, 113.0, 109.0, 108.0, 111.0}); }

// The numbers of cells, with all that they point into.
struct NumbersOf {
  std::vector<store::CellData> cells;
  std::vector<store::DerivedValue> values = made_up::values_of(cells);
  std::vector<Steady> steady_of_cells{};
  Numbers numbers{values};

  explicit NumbersOf(std::vector<store::CellData> given) : cells(std::move(given)) {
    for (const store::CellData& cell : cells) steady_of_cells.push_back(steady(cell));
    numbers.add_speeds(cells, steady_of_cells);
  }
  [[nodiscard]] Number ratio(std::size_t cell, std::size_t over) const {
    return numbers.ratio(cells[cell], cells[over]);
  }
};

void expect_ratio(const Number& ratio, double value, double low, double high) {
  ASSERT_TRUE(ratio.value && ratio.low && ratio.high) << ratio.reason;
  EXPECT_NEAR(*ratio.value, value, 1e-6);
  EXPECT_NEAR(*ratio.low, low, 1e-6);
  EXPECT_NEAR(*ratio.high, high, 1e-6);
}

TEST(Numbers, HaveTheRatioOfAnyTwoCellsByTheRoundsThatTheyShare) {
  const NumbersOf both({slow_cell(), fast_cell()});
  expect_ratio(both.ratio(1, 0), 1.102194824895, 1.067745197778, 1.137755931427);
  expect_ratio(both.ratio(0, 1), 1 / 1.102194824895, 1 / 1.137755931427, 1 / 1.067745197778);
  EXPECT_TRUE(both.ratio(1, 0).is_above_one());
  EXPECT_TRUE(both.ratio(0, 1).is_below_one());
  EXPECT_EQ(both.ratio(1, 0).of, &both.cells[1]);
  EXPECT_EQ(both.ratio(1, 0).over, &both.cells[0]);
}

TEST(Numbers, HaveTheRatioOfIndependentProcessesWhereNoRoundIsShared) {
  expect_ratio(NumbersOf({slow_cell(2), fast_cell()}).ratio(1, 0), 1.102194824895, 1.064911334170, 1.140783643712);
}

TEST(Numbers, OfACellOverItselfAreOne) { expect_ratio(NumbersOf({slow_cell()}).ratio(0, 0), 1, 1, 1); }

TEST(Numbers, SayWhyASpeedIsInNoRatio) {
  store::CellData unchecked = fast_cell();
  for (auto& process : unchecked.processes) process.check->reference = "none";
  for (auto& process : unchecked.processes) process.check->reference_reason = "no reference could be made";
  const NumbersOf cells({slow_cell(), unchecked, made_up::cell("unmeasured", 1)});
  for (const std::size_t without : {1U, 2U}) {
    EXPECT_FALSE(cells.numbers.why_no_ratio(cells.cells[without]).empty());
    EXPECT_EQ(cells.ratio(without, 0).reason, cells.numbers.why_no_ratio(cells.cells[without]));
    EXPECT_EQ(cells.ratio(0, without).reason, cells.numbers.why_no_ratio(cells.cells[without]));
  }
  EXPECT_EQ(Numbers(cells.values).ratio(cells.cells[0], cells.cells[0]).reason, "the repetitions were not read");
}

TEST(Numbers, FindMetricsAndFlagsOfACell) {
  const std::vector<store::DerivedValue> derived{{"fast-1", "throughput_per_s", 110.0, 108.0, 112.0, ""},
                                                 {"fast-1", "flag_spread", 0.2, {}, {}, ""},
                                                 {"slow-1", "compile_s", {}, {}, {}, "it loaded what was compiled"}};
  const Numbers numbers(derived);
  const store::CellData fast = fast_cell();
  const store::CellData slow = slow_cell();
  const Number speed = numbers.of(fast, "throughput_per_s");
  EXPECT_EQ(speed.value, 110.0);
  EXPECT_EQ(speed.low, 108.0);
  EXPECT_EQ(speed.high, 112.0);
  EXPECT_EQ(speed.quantity, "throughput_per_s");
  EXPECT_EQ(speed.of, &fast);
  EXPECT_EQ(speed.over, nullptr);
  EXPECT_EQ(numbers.of(slow, "compile_s").reason, "it loaded what was compiled");
  EXPECT_EQ(numbers.of(slow, "throughput_per_s").reason, "not measured yet");
  ASSERT_EQ(numbers.flags(fast).size(), 1U);
  EXPECT_STREQ(numbers.flags(fast)[0].flag->name, "spread");
  EXPECT_EQ(numbers.flags(fast)[0].value, 0.2);
  EXPECT_TRUE(numbers.flags(slow).empty());
}

}  // namespace
}  // namespace ngb::metrics

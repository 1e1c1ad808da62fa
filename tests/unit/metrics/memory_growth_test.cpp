// SPDX-License-Identifier: Apache-2.0
#include "metrics/memory_growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "made_up_cells.h"
#include "metrics/comparison.h"

namespace ngb::metrics {
namespace {

using made_up::process;
using made_up::value_of;
using store::CellData;

// Returns a cell of three processes that hold so many bytes after 10, 20, … 1000 inferences; `number` is a process's.
CellData holding(const std::function<double(int number, double inferences)>& bytes,
                 const std::string& version = "1.0") {
  CellData cell = made_up::cell_of("fast", 1, {process(0, {10, 10}), process(1, {10, 10}), process(2, {10, 10})});
  cell.of.compiler.version = version;
  cell.cell_id = "fast " + version;
  for (int number = 0; number < 3; ++number) {
    auto& readings = cell.processes[static_cast<std::size_t>(number)].readings;
    for (int mark = 1; mark <= 100; ++mark) {
      const double inferences = 10 * mark;
      readings.push_back({"inferences", "1", "mark", Known<double>::of(inferences), mark});
      readings.push_back({"memory", "byte", "mark", Known<double>::of(bytes(number, inferences)), mark});
    }
  }
  return cell;
}

CellData without_leak(const std::string& version = "1.0") {
  return holding([](int, double inferences) { return 5e7 + 1e4 * std::min(inferences, 500.0); }, version);
}

CellData leaking(double bytes, const std::string& version = "1.0") {
  return holding([bytes](int number, double inferences) { return 5e7 + (bytes + number) * inferences; }, version);
}

// 1000, 1001 and 1002 bytes: their mean, ± 4.303 · 1 / √3.
TEST(MemoryGrowth, IsTheMeanOfTheProcessesWithItsInterval) {
  const auto growth = value_of({leaking(1000)}, "fast 1.0", "memory_growth_bytes_per_inference");
  EXPECT_NEAR(*growth.value, 1001, 1e-6);
  EXPECT_NEAR(*growth.low, 1001 - 2.4843, 1e-3);
  EXPECT_NEAR(*growth.high, 1001 + 2.4843, 1e-3);
  EXPECT_EQ(value_of({without_leak()}, "fast 1.0", "memory_growth_bytes_per_inference").value, 0);
}

TEST(MemoryGrowth, SaysWhatIsNeededWhereNoProcessWasWatched) {
  const CellData cell = made_up::cell_of("fast", 1, {process(0, {10, 10})});
  EXPECT_EQ(value_of({cell}, "fast-1", "memory_growth_bytes_per_inference").reason,
            "its memory was read 0 times while it ran, and 8 are needed: `leak: true` in the study");
}

TEST(MemoryGrowth, RaisesTheFlagWhereItIsShownAndNoneWhereAnArenaHasFilled) {
  EXPECT_THAT(made_up::flags(leaking(1000)), testing::Contains("growing_memory"));
  EXPECT_THAT(made_up::flags(leaking(50)), testing::Not(testing::Contains("growing_memory")));
  EXPECT_THAT(made_up::flags(without_leak()), testing::Not(testing::Contains("growing_memory")));
}

statistics::Verdict verdict_of(const CellData& before, const CellData& after, const char* by) {
  const std::vector<Judged> judged{*parse_judged(by, 0.03)};
  const auto found = compare({{&before}, &before}, {{&after}, &before}, Axis::version, {}, judged);
  return found->pairs.at(0).judgement.verdict;
}

TEST(MemoryGrowth, IsJudgedByItsDifferenceAlsoWhereOneSideHasNone) {
  constexpr const char* kGrowth = "memory_growth_bytes_per_inference";
  EXPECT_EQ(verdict_of(without_leak(), leaking(1000, "2.0"), kGrowth), statistics::Verdict::slower);  // worse
  EXPECT_EQ(verdict_of(leaking(1000), without_leak("2.0"), kGrowth), statistics::Verdict::faster);    // better
  EXPECT_EQ(verdict_of(without_leak(), without_leak("2.0"), kGrowth), statistics::Verdict::same);
}

TEST(MemoryGrowth, IsTheSameWithinItsMargin) {
  // All processes of a side are alike, so the difference of 90 bytes is exact.
  const auto growing = [](double bytes, const std::string& version) {
    return holding([bytes](int, double inferences) { return 5e7 + bytes * inferences; }, version);
  };
  const CellData before = growing(1000, "1.0");
  const CellData after = growing(1090, "2.0");
  EXPECT_EQ(verdict_of(before, after, "memory_growth_bytes_per_inference"), statistics::Verdict::same);
  EXPECT_EQ(verdict_of(before, after, "memory_growth_bytes_per_inference:80B"), statistics::Verdict::slower);
  EXPECT_EQ(verdict_of(before, after, "memory_growth_bytes_per_inference:1kB"), statistics::Verdict::same);
}

std::string refusal_of(const char* given) { return parse_judged(given, 0.03).error().text(); }

TEST(Judging, RefusesMarginsWithoutAUnitOrWithThatOfAnotherKind) {
  EXPECT_THAT(refusal_of("timed_peak_bytes:5"), testing::HasSubstr("the margin \"5\" has no unit"));
  EXPECT_THAT(refusal_of("timed_peak_bytes:5MB"), testing::HasSubstr("\"5MB\" is no share"));
  EXPECT_THAT(refusal_of("memory_growth_bytes_per_inference:100"), testing::HasSubstr("give the margin as 100B"));
  EXPECT_THAT(refusal_of("memory_growth_bytes_per_inference:5%"), testing::HasSubstr("\"5%\" is no number of bytes"));
  EXPECT_THAT(refusal_of("memory_growth_bytes_per_inference:-1kB"), testing::HasSubstr("is no number of bytes"));
}

TEST(Judging, KeepsMarginsInTheirUnits) {
  EXPECT_EQ(parse_judged("memory_growth_bytes_per_inference", 0.03)->margin_in_words(), "100 B");
  EXPECT_EQ(parse_judged("memory_growth_bytes_per_inference:2.5 kB", 0.03)->margin_in_words(), "2.5 kB");
  EXPECT_EQ(parse_judged("agreement_ratio", 0.03)->margin_in_words(), "1 %");
  EXPECT_EQ(parse_judged("agreement_ratio:5%", 0.03)->margin_in_words(), "5 %");
  EXPECT_EQ(parse_judged("timed_peak_bytes:5%", 0.03)->margin_in_words(), "5 %");
}

}  // namespace
}  // namespace ngb::metrics

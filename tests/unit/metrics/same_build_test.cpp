// SPDX-License-Identifier: Apache-2.0
#include "metrics/same_build.h"

#include <gtest/gtest.h>

#include <functional>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using store::CellData;

// Returns a cell measured with a known build, whose first process started at `started_unix_ns`. Its five rounds have
// these speeds in 1/s.
CellData built(const std::vector<double>& speeds, std::int64_t started_unix_ns, int batch = 1) {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : speeds) {
    auto& process = processes.emplace_back(made_up::process(static_cast<int>(processes.size()), {1e3 / speed}));
    process.started_unix_ns = started_unix_ns + process.process_index;
    process.made_with.worker_sha256 = "worker";
    process.made_with.manifest_sha256 = "toolchain";
    process.facts = {{"device", "cpu"}};
  }
  return made_up::cell_of("fast", batch, processes);
}

Side side_of(const std::vector<CellData>& cells) {
  Side made{.origin = &cells};
  for (const CellData& cell : cells) made.cells.push_back(&cell);
  return made;
}

const std::vector<double> kSpeeds{100, 104, 98, 101, 97};

TEST(SameBuild, NeedsEqualModelBuildOptionsDeviceThreadsPrecisionAndEnvironment) {
  const CellData cell = built(kSpeeds, 1);
  EXPECT_TRUE(is_same_build(cell, built(kSpeeds, 1000)));
  const std::vector<std::function<void(CellData&)>> changes{
      [](CellData& other) { other.of.model.key.hash = "other"; },
      [](CellData& other) { other.processes[0].made_with.manifest_sha256 = "other"; },
      [](CellData& other) { other.processes[0].made_with.model_sha256 = "other"; },
      [](CellData& other) { other.of.compiler.options = {{"a", "1"}}; },
      [](CellData& other) { other.of.compiler.settings = {{"a", "1"}}; },
      [](CellData& other) { other.of.compiler.in_flight = 2; },
      [](CellData& other) { other.of.compiler.instances = 2; },
      [](CellData& other) { other.of.device = "board"; },
      [](CellData& other) { other.processes[0].facts["device"] = "cuda"; },
      [](CellData& other) { other.of.threads = 1; },
      [](CellData& other) { other.of.compiler.precision = "bf16"; },
      [](CellData& other) { other.of.load = "cpu: 1"; },
      [](CellData& other) { other.processes[0].environment_hash = "elsewhere"; },
      [](CellData& other) { other.processes.clear(); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CellData other = built(kSpeeds, 1000);
    changes[i](other);
    EXPECT_FALSE(is_same_build(cell, other)) << i;
  }
}

TEST(SameBuild, IsUnknownIfTheBuildIs) {
  CellData cell = built(kSpeeds, 1);
  for (store::RecordedProcess& process : cell.processes) process.made_with = {};
  EXPECT_FALSE(is_same_build(cell, cell));
}

TEST(SameBuild, IsJudgedButDoesNotCountAmongTheComparisonsOfTheOthers) {
  // p = .034 for the changed cell alone (verdict_test): it is faster, however many equal pairs are beside it.
  const std::vector<double> flat(5, 100);
  std::vector<CellData> before{built(flat, 1)};
  std::vector<CellData> after{built({103, 101, 105, 104, 100.5}, 1000)};
  for (store::RecordedProcess& process : after[0].processes) process.made_with.manifest_sha256 = "new toolchain";
  for (int batch = 2; batch <= 10; ++batch) {
    before.push_back(built(flat, 1, batch));
    after.push_back(built({100.1, 99, 102, 98, 101}, 1000, batch));
  }
  const auto found = compare(side_of(before), {side_of(after).cells, &before}, Axis::results, {});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->pairs[0].is_same_build);
  EXPECT_EQ(found->pairs[0].judgement.verdict, statistics::Verdict::faster);
  EXPECT_TRUE(found->pairs[1].is_same_build);
  EXPECT_TRUE(found->pairs[1].judgement.adjusted_p);
}

TEST(NoiseFloor, IsTheMedianAndTheLargestDifferenceOfEachDevice) {
  // Ratios 1.02, 0.96 and 1.01 on the first device, 1.5 on the second.
  const auto times = [](double factor) { return std::vector<double>{100 * factor, 104 * factor, 98 * factor}; };
  std::vector<CellData> before;
  std::vector<CellData> after;
  for (const double ratio : {1.02, 0.96, 1.01, 1.5}) {
    const int batch = static_cast<int>(before.size()) + 1;
    before.push_back(built(times(1), 1, batch));
    after.push_back(built(times(ratio), 1000, batch));
  }
  before[3].of.device = after[3].of.device = "board";
  for (std::vector<CellData>* side : {&before, &after}) {
    for (store::RecordedProcess& process : side->at(1).processes) process.facts["device"] = "CPU";
  }
  const auto found = compare(side_of(before), side_of(after), Axis::results, {});
  ASSERT_TRUE(found);
  const auto floors = noise_floors(*found);
  ASSERT_EQ(floors.size(), 2U);
  EXPECT_EQ(floors[0].device, "local");
  EXPECT_EQ(floors[0].compute_device, "cpu");
  EXPECT_EQ(floors[0].pairs, 3U);
  EXPECT_NEAR(floors[0].median_difference, 0.02, 1e-6);
  EXPECT_NEAR(floors[0].largest_difference, 0.04, 1e-6);
  EXPECT_EQ(floors[1].device, "board");
  EXPECT_NEAR(floors[1].largest_difference, 0.5, 1e-6);
}

TEST(NoiseFloor, DoesNotCountACopyOfTheSameMeasurements) {
  const std::vector<CellData> before{built(kSpeeds, 1)};
  const std::vector<CellData> copy = before;
  const auto found = compare(side_of(before), side_of(copy), Axis::results, {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->pairs[0].is_same_build);
  EXPECT_TRUE(noise_floors(*found).empty());
}

}  // namespace
}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
#include "metrics/allocator.h"

#include <gtest/gtest.h>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

TEST(PageFaultsOfAnInference, AreThoseOfTheTimedPhaseOverItsInferences) {
  store::CellData cell = made_up::cell_of("torchscript", 4, {made_up::process(0, {20}), made_up::process(1, {10})});
  cell.processes[0].phases[1].wall_ns = 50'000'000;      // the timed phase, of two inferences
  made_up::add_reading(cell, 0, "page_faults", 50'000);  // 2,500 in the phase
  cell.processes[0].readings.push_back({"inferences", "1", "timed", Known<double>::of(2)});
  const auto found = with_page_faults(cell, steady(cell));
  ASSERT_EQ(found.size(), 1U);  // the other process has not counted them
  EXPECT_DOUBLE_EQ(found[0].per_s, 200);
  EXPECT_DOUBLE_EQ(found[0].page_faults, 1'250);
}

using Processes = std::vector<SpeedWithFaults>;

TEST(PageFaults, ExplainThatASideIsSlowerIfItHasMoreOfThem) {
  const auto states = differ_by_page_faults(Processes{{86, 0}, {86, 0}}, Processes{{61.3, 1'568}}, 1);
  ASSERT_TRUE(states);
  EXPECT_EQ(states->slower, 1U);
  EXPECT_EQ(states->faster, 2U);
  EXPECT_NEAR(states->times, 1.403, 0.001);
  EXPECT_DOUBLE_EQ(states->slower_faults, 1'568);
}

TEST(PageFaults, DoNotExplainWhatTheyCannotCost) {
  EXPECT_FALSE(differ_by_page_faults(Processes{{86, 0}}, Processes{{61.3, 400}}, 1));        // 4.7 ms: 12 µs each
  EXPECT_FALSE(differ_by_page_faults(Processes{{86, 1'568}}, Processes{{61.3, 0}}, 1));      // the quick side has them
  EXPECT_FALSE(differ_by_page_faults(Processes{{86, 1'000}}, Processes{{61.3, 1'900}}, 1));  // not twice as many
  EXPECT_FALSE(differ_by_page_faults(Processes{{86, 0}}, Processes{{83, 1'568}}, 1));        // 3.6 %
}

TEST(PageFaults, SplitTheProcessesOfACellIntoTwoStates) {
  const auto states = states_of({{900, 3}, {480, 556}, {890, 0}, {470, 560}, {880, 20}}, 1);
  ASSERT_TRUE(states);
  EXPECT_EQ(states->slower, 2U);
  EXPECT_EQ(states->faster, 3U);
  EXPECT_DOUBLE_EQ(states->slower_faults, 558);
  EXPECT_NEAR(states->times, 1.874, 0.001);
}

TEST(PageFaults, SplitNoCellWhoseSpeedDoesNotFollowThem) {
  EXPECT_FALSE(states_of({{900, 3}, {480, 556}, {460, 0}}, 1));
  EXPECT_FALSE(states_of({{900, 0}, {480, 0}}, 1));
  EXPECT_FALSE(states_of({{900, 0}}, 1));
}

TEST(OtherAllocator, IsWhatTheFirstProcessSawAfterItsRepetitions) {
  store::CellData cell = made_up::cell_of("identity", 1, {made_up::process(0, {10}), made_up::process(1, {10})});
  EXPECT_FALSE(other_allocator_of(cell));
  made_up::add_reading(cell, 0, "returning_memory", 2.5);
  EXPECT_DOUBLE_EQ(other_allocator_of(cell)->times, 2.5);
  EXPECT_FALSE(other_allocator_of(cell)->keeps);
  made_up::add_reading(cell, 0, "keeping_memory", 0.8);
  EXPECT_DOUBLE_EQ(other_allocator_of(cell)->times, 0.8);
  EXPECT_TRUE(other_allocator_of(cell)->keeps);
}

}  // namespace
}  // namespace ngb::metrics

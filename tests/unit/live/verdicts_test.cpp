// SPDX-License-Identifier: Apache-2.0
#include "live/verdicts.h"

#include <gtest/gtest.h>

namespace ngb::live {
namespace {

// Cell 1 has the baseline 0, and so has cell 2.
State three_cells() {
  State state;
  for (const char* compiler : {"identity", "fast", "alike"}) state.cells.add({.model = "m", .compiler = compiler});
  return state;
}

const std::vector<Pair> kPairs{{.cell = 1, .baseline = 0}, {.cell = 2, .baseline = 0}};

TEST(LiveVerdicts, NeedTwoRoundsForASpeedUpAndThreeForAVerdict) {
  State state = three_cells();
  Verdicts verdicts(kPairs, 5);
  verdicts.note(0, 0, 100);
  verdicts.note(1, 0, 200);
  verdicts.show_in(state);
  EXPECT_FALSE(state.cells[1].speed_up);

  verdicts.note(1, 1, 210);
  verdicts.note(0, 1, 100);
  verdicts.show_in(state);
  ASSERT_TRUE(state.cells[1].speed_up);
  EXPECT_NEAR(state.cells[1].speed_up->ratio, 2.0494, 1e-4);  // the root of 2 * 2.1
  EXPECT_EQ(state.cells[1].speed_up->verdict, "");

  verdicts.note(0, 2, 100);
  verdicts.note(1, 2, 190);
  verdicts.show_in(state);
  EXPECT_NEAR(state.cells[1].speed_up->ratio, 1.9983, 1e-4);  // the third root of 2 * 2.1 * 1.9
  // An interval that may be read after each of the rounds 3 to 5: 6.508 standard errors of 0.0289 on the log scale,
  // where one that is read once has 4.303 (Student's t, 2 degrees of freedom).
  EXPECT_NEAR(*state.cells[1].speed_up->low, 1.6557, 1e-4);
  EXPECT_NEAR(*state.cells[1].speed_up->high, 2.4118, 1e-4);
  EXPECT_EQ(state.cells[1].speed_up->verdict, "faster");
  EXPECT_FALSE(state.cells[2].speed_up) << "nothing of it was measured";
  EXPECT_FALSE(state.cells[0].speed_up) << "it is the baseline";
}

TEST(LiveVerdicts, CompareRoundsThatBothHave) {
  State state = three_cells();
  Verdicts verdicts(kPairs, 5);
  for (const int round : {0, 1, 2, 3}) verdicts.note(0, round, 100);
  for (const int round : {1, 2, 4}) verdicts.note(1, round, 300);  // 4: the baseline has failed there
  verdicts.show_in(state);
  EXPECT_EQ(state.cells[1].speed_up->verdict, "") << "two rounds";
}

TEST(LiveVerdicts, SayTheSameOfWhatIsWithinThreePercent) {
  State state = three_cells();
  Verdicts verdicts(kPairs, 5);
  const std::vector<double> alike{100.1, 99.9, 100.1, 99.9, 100};
  for (int round = 0; round < 5; ++round) {
    verdicts.note(0, round, 100);
    verdicts.note(2, round, alike[static_cast<std::size_t>(round)]);
  }
  verdicts.show_in(state);
  EXPECT_EQ(state.cells[2].speed_up->verdict, "same");
}

}  // namespace
}  // namespace ngb::live

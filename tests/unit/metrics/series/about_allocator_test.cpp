// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/about_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_series.h"

namespace ngb::metrics::series {
namespace {

using made_up::cell_with;
using store::CellData;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> said_of(const std::vector<CellData>& cells) {
  return about_allocator(made_up::analysis_of(cells));
}

// With the other setting of `allocator`, an inference takes so many times as much processor time.
CellData looked_at(const char* model, const char* compiler, double speed, const char* quantity, double times) {
  CellData cell = cell_with({.model = model, .compiler = compiler}, {speed, speed, speed});
  made_up::add_reading(cell, 0, quantity, times);
  return cell;
}

TEST(AboutAllocator, SaysHowMuchOfASpeedUpItIs) {
  EXPECT_THAT(
      said_of(
          {looked_at("a", "identity", 50, "keeping_memory", 0.75), looked_at("a", "fast", 100, "keeping_memory", 1)}),
      ElementsAre(
          "fast 1.0 on a at batch 1 would be about 1.50 times as fast as PyTorch eager (identity), not 2.00, if the C "
          "library's allocator kept its memory (`allocator: steady`)."));
}

TEST(AboutAllocator, SaysWhatSpeedUpsMayBeByDefaultAndCountsTheOthers) {
  EXPECT_THAT(said_of({looked_at("a", "identity", 50, "returning_memory", 2),
                       looked_at("a", "fast", 100, "returning_memory", 1),
                       looked_at("b", "identity", 50, "returning_memory", 1.2),
                       looked_at("b", "fast", 100, "returning_memory", 1)}),
              ElementsAre("By default, the C library's allocator may return memory in every inference, as chance has "
                          "it: then fast 1.0 on a at batch 1 would be about 4.00 times as fast as PyTorch eager "
                          "(identity), not 2.00 (1 more "
                          "speed-up likewise)."));
}

TEST(AboutAllocator, SaysNothingOfFivePercentOrOfSidesThatBothHaveIt) {
  EXPECT_THAT(
      said_of({looked_at("a", "identity", 50, "keeping_memory", 0.953),
               looked_at("a", "fast", 100, "keeping_memory", 1), looked_at("b", "identity", 50, "keeping_memory", 0.5),
               looked_at("b", "fast", 100, "keeping_memory", 0.5)}),
      IsEmpty());
}

TEST(AboutAllocator, NamesProcessesOfACellThatDifferTogetherWithTheirPageFaults) {
  CellData cell = cell_with({.model = "a", .compiler = "torchscript"}, {900, 450, 900});
  for (const std::size_t i : {0U, 1U, 2U}) made_up::add_reading(cell, i, "page_faults", i == 1 ? 556.0 * 450 : 0);
  EXPECT_THAT(
      said_of({cell}),
      ElementsAre("1 of 3 processes of torchscript 1.0 on a at batch 1 took 2.00 times as long as the others, with "
                  "556 page faults an inference instead of 0: the C library's allocator returned memory to the "
                  "kernel. `allocator: steady` removes that."));
}

}  // namespace
}  // namespace ngb::metrics::series

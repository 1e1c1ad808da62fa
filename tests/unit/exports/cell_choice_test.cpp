// SPDX-License-Identifier: Apache-2.0
#include "exports/cell_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_cells.h"

namespace ngb::exports {
namespace {

using ::testing::HasSubstr;

// Of ten inferences of so many milliseconds.
store::CellData measured(const std::string& compiler, int batch, double ms) {
  return made_up::cell_of(compiler, batch, {made_up::process(0, std::vector<double>(10, ms))});
}

TEST(CellChoice, TakesTheOnlyCellThatTheFiltersLeave) {
  const std::vector<store::CellData> cells{measured("slow", 1, 20), measured("quick", 1, 10)};
  EXPECT_EQ(choose_cell(cells, {.filters = {{"compiler", {"slow"}}}}).value(), &cells[0]);
  EXPECT_EQ(choose_cell(cells, {.id = "quick-"}).value(), &cells[1]);
}

TEST(CellChoice, TakesTheFastestOfTheFirstWorkload) {
  // At batch 8, `slow` answers 400 samples/s, but that is another workload.
  const std::vector<store::CellData> cells{measured("slow", 1, 20), measured("quick", 1, 10), measured("slow", 8, 20)};
  EXPECT_EQ(choose_cell(cells, {.fastest = true}).value(), &cells[1]);
  EXPECT_EQ(choose_cell(cells, {.filters = {{"batch", {"8"}}}, .fastest = true}).value(), &cells[2]);
}

TEST(CellChoice, ListsTheCellsIfThereAreSeveral) {
  const std::vector<store::CellData> cells{measured("slow", 1, 20), measured("quick", 1, 10)};
  const Error error = choose_cell(cells, {}).error();
  EXPECT_EQ(error.what, "2 cells are meant, and one can be exported at a time");
  EXPECT_THAT(error.next, HasSubstr("quick-1  resnet18, batch 1, quick 1.0, 2 threads, f32"));
  EXPECT_THAT(choose_cell(cells, {.id = "other"}).error().text(), HasSubstr("no cell has an id that begins so"));
}

TEST(CellChoice, SaysWhyACellIsNoProgram) {
  const auto why = [](const auto& change) {
    store::CellData cell = measured("quick", 1, 10);
    change(cell);
    return check_exportable(cell).error().what;
  };
  EXPECT_TRUE(check_exportable(measured("quick", 1, 10)));
  EXPECT_EQ(why([](auto& cell) { cell.of.load = "cpu: 1"; }),
            "it was measured beside a load (cpu: 1), which a program cannot bring along");
  EXPECT_EQ(why([](auto& cell) { cell.of.compiler.instances = 2; }),
            "it was measured in 2 processes at once; a program is one of them");
  EXPECT_EQ(why([](auto& cell) { cell.of.compiler.in_flight = 4; }),
            "it was measured with 4 inferences in flight, for which programs are not written yet");
  EXPECT_EQ(why([](auto& cell) { cell.is_profile = true; }), "it was measured for a profile and has no speed");
  EXPECT_THAT(why([](auto& cell) { cell.processes.clear(); }), HasSubstr("it has no speed"));
}

}  // namespace
}  // namespace ngb::exports

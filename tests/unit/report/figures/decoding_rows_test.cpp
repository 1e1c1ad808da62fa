// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "made_up_results.h"

namespace ngb::report::figures {
namespace {

using made_up::around;
using made_up::cell_with;
using made_up::figure_called;
using made_up::generating;
using made_up::ResultsOf;
using made_up::rows_of;

// 64 and 192 rows are the least for contexts of 20 and 100.
TEST(FigureOfDecoding, HasTheLeastCapacityOfEachContextInOnePanel) {
  const auto rows = rows_of(ResultsOf({generating("delta", 100, 192, 500), generating("delta", 20, 64, 600),
                                       generating("static", 100, 2048, 300), generating("growing", 100, 0, 200)}),
                            "decoding_by_context");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("context"), 20) << "the shortest context is the first";
  EXPECT_EQ(rows[0].at("panel"), "llama of width 192, depth 4, batch 1, least capacity");
  EXPECT_EQ(rows[0].at("cache"), "delta");
  EXPECT_NEAR(rows[0].at("decode_tokens_per_s").get<double>(), 600, 1);
  EXPECT_EQ(rows[1].at("panel"), rows[0].at("panel"));
  EXPECT_EQ(rows[2].at("panel"), "llama of width 192, depth 4, batch 1, capacity 2048");
  EXPECT_EQ(rows[3].at("panel"), "llama of width 192, depth 4, batch 1, least capacity")
      << "a growing cache, in a column of its own";
}

TEST(FigureOfDecoding, NamesACapacityThatAllContextsHave) {
  const auto rows = rows_of(ResultsOf({generating("delta", 20, 2048, 500), generating("delta", 100, 2048, 400)}),
                            "decoding_by_context");
  for (const Row& row : rows) EXPECT_EQ(row.at("panel"), "llama of width 192, depth 4, batch 1, capacity 2048");
}

// A recipe of `cache: growing` leaves the length open.
TEST(FigureOfDecoding, CallsACacheOfOpenLengthGrowing) {
  const auto rows = rows_of(ResultsOf({generating("open", 100, 0, 200)}), "decoding_by_context");
  EXPECT_EQ(rows.at(0).at("cache"), "growing");
}

TEST(FigureOfDecoding, SetsTheFirstPassAgainstLaterOnes) {
  const auto rows = rows_of(ResultsOf({generating("delta", 100, 192, 500)}), "first_pass_by_context");
  EXPECT_NEAR(rows.at(0).at("first_pass_ratio").get<double>(), 3, 1e-9);
}

TEST(FigureOfDecoding, HasNoPromptsNorOtherModels) {
  store::CellData prompt = generating("delta", 100, 192, 500);
  prompt.recipe_parameters["tokens"] = 100;
  for (store::RecordedProcess& process : prompt.processes) process.readings.clear();
  const ResultsOf results({prompt, cell_with({}, around(100))});
  for (const char* const figure : {"decoding_by_context", "first_pass_by_context"}) {
    EXPECT_EQ(make_rows(figure_called(figure), results.selection()).why_none,
              "no recipe that generates tokens was measured");
  }
}

}  // namespace
}  // namespace ngb::report::figures

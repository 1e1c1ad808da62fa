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
using made_up::ResultsOf;
using made_up::rows_of;
using made_up::visiting;

TEST(FigureOfVisits, SetsTheFirstVisitOfEachShapeAgainstLaterOnes) {
  const auto rows = rows_of(ResultsOf({visiting(), cell_with({}, around(100))}), "visits_by_shape");
  struct Drawn {
    const char *visit, *shape;
    double visit_s;
  };
  const std::vector<Drawn> expected{{"first visit", "sequence=16", 0.02},
                                    {"first visit", "sequence=128", 0.09},
                                    {"median of later visits", "sequence=16", 0.002},
                                    {"median of later visits", "sequence=128", 0.006}};
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("panel"), "encoder, small, batch 1");
    EXPECT_EQ(rows[i].at("visit"), expected[i].visit);
    EXPECT_EQ(rows[i].at("shape"), expected[i].shape);
    EXPECT_NEAR(rows[i].at("visit_s").get<double>(), expected[i].visit_s, 1e-9);
  }
}

TEST(FigureOfVisits, IsLeftOutWhereASessionHasOneShape) {
  const ResultsOf results({cell_with({}, around(100))});
  EXPECT_EQ(make_rows(figure_called("visits_by_shape"), results.selection()).why_none,
            "no session has visited several shapes");
}

}  // namespace
}  // namespace ngb::report::figures

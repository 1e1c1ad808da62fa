// SPDX-License-Identifier: Apache-2.0
// An exact model with its variants in the table of `ngb show`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../metrics/made_up_cells.h"
#include "report/show/show.h"

namespace ngb::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ShowFamily, WithColumnsOfOnesOwnListsVariantsBelowTheirExactModel) {
  store::CellData cheap = made_up::cell_of("onnxruntime", 1, {made_up::process(0, {2, 2})});
  cheap.cell_id = "cheap-1";
  cheap.of.model = {
      .key = {.hash = "cheap", .batch = 1}, .label = "int8", .variant_of = "resnet18", .exact_hash = "feedface"};
  const std::vector<store::CellData> family{made_up::cell_of("identity", 1, {made_up::process(0, {10, 10})}),
                                            made_up::cell_of("identity", 4, {made_up::process(0, {20, 20})}), cheap};
  const std::string usual = show_text(all_results(family, {}), {.width = 200});
  EXPECT_THAT(usual, HasSubstr("int8, batch 1, on local, variant of resnet18"));
  const ShowOptions chosen{.columns = columns_called("speed-up").value(), .width = 200};
  const std::string listed = show_text(all_results(family, {}), chosen);
  EXPECT_THAT(listed, Not(HasSubstr("variant of")));
  const std::size_t variant = listed.find("onnxruntime 1.0, int8");
  EXPECT_LT(listed.find("batch 1"), variant);
  EXPECT_LT(variant, listed.find("batch 4"));
}

}  // namespace
}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <gtest/gtest.h>

#include "../work/changed_properties.h"
#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

std::string made_of_one(const work::Configuration& of) {
  store::CellData cell = made_up::cell_of("onnxruntime", 1, {});
  cell.of = of;
  return made_of(std::vector{cell}, Baseline(), {});
}

// A table of models that changes needs no metric anew.
TEST(MadeOf, ChangesWithEachPropertyButThoseThatTablesSayOfAModel) {
  const work::Configuration before = made_up::configuration();
  for (const work::Property& each : work::properties()) {
    work::Configuration after = before;
    made_up::changes().at(each.name)(after);
    EXPECT_EQ(made_of_one(after) == made_of_one(before), each.role == work::Role::model_fact) << each.name;
  }
}

}  // namespace
}  // namespace ngb::metrics

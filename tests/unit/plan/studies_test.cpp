// SPDX-License-Identifier: Apache-2.0
// The studies of studies/ from file to plan.
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

Plan plan_of(const std::string& name) {
  const config::Vocabulary vocabulary{
      .compilers = {{"identity", "2.15.0", {}}, {"onnxruntime", "1.31.1", {}}, {"openvino", "2026.4.1", {}}},
      .models = {{"conv_block",
                  {{.name = "width", .type = "int", .default_value = "64"},
                   {.name = "depth", .type = "int", .default_value = "1"},
                   {.name = "image_size", .type = "int", .default_value = "244"}}},
                 {"resnet18", {}},
                 {"resnet50", {}}}};
  const auto study = config::load_study(std::string(NGB_SOURCE_DIR) + "/studies/" + name, vocabulary);
  if (study) return expanded(*study);
  ADD_FAILURE() << study.error()[0].text();
  return {};
}

TEST(Studies, TheQuickstartIsTwelveCellsOfAFewMinutes) {
  const Plan plan = plan_of("quickstart.yaml");
  EXPECT_EQ(plan.cells.size(), 12U);
  EXPECT_EQ(process_count(plan), 60U);
  EXPECT_LT(estimate_seconds(plan), 6 * 60);
}

TEST(Studies, VersionsIsAHundredAndTwentyCells) {
  const Plan plan = plan_of("versions.yaml");
  EXPECT_EQ(plan.cells.size(), 120U);  // 8 models, 3 batch sizes, 5 compilers
  EXPECT_EQ(process_count(plan), 600U);
}

}  // namespace
}  // namespace ngb::plan

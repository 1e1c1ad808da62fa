// SPDX-License-Identifier: Apache-2.0
// Reads and expands the study files of studies/.
#include "plan/estimate.h"
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

Plan plan_of(const std::string& name) {
  const config::Vocabulary vocabulary{
      .compilers = {{"identity", "2.15.0", {}},
                    {"onnxruntime", "1.31.1", {}},
                    {"openvino", "2026.4.1", {}},
                    {"torch-compile", "2.15.0", {}},
                    {"tvm", "0.27.0.post1", {{.name = "trials", .type = "int", .default_value = "0"}}}},
      .models = {{"conv_block",
                  {{.name = "width", .type = "int", .default_value = "64"},
                   {.name = "depth", .type = "int", .default_value = "1"},
                   {.name = "image_size", .type = "int", .default_value = "244"}}},
                 {"mha_block",
                  {{.name = "embed", .type = "int", .default_value = "256"},
                   {.name = "depth", .type = "int", .default_value = "1"}}},
                 {"resnet",
                  {{.name = "depths", .type = "int_list", .default_value = "[2,2,2,2]"},
                   {.name = "width", .type = "float", .default_value = "1.0"}}},
                 {"resnet18", {}},
                 {"resnet50", {}}}};
  const auto study = config::load_study(std::string(NGB_SOURCE_DIR) + "/studies/" + name, vocabulary);
  if (study) return expanded(*study);
  ADD_FAILURE() << study.error()[0].text();
  return {};
}

TEST(Studies, TheQuickstartHasTwelveCellsAndLastsAFewMinutes) {
  const Plan plan = plan_of("quickstart.yaml");
  EXPECT_EQ(plan.cells.size(), 12U);
  EXPECT_EQ(process_count(plan), 60U);
  EXPECT_LT(estimate(plan).seconds, 6 * 60);
}

TEST(Studies, VersionsHasAHundredAndTwentyCells) {
  const Plan plan = plan_of("versions.yaml");
  EXPECT_EQ(plan.cells.size(), 120U);  // 8 models, 3 batch sizes, 5 compilers
  EXPECT_EQ(process_count(plan), 600U);
}

TEST(Studies, ResnetScalingHasThreeDepthsTimesThreeWidths) {
  const Plan plan = plan_of("resnet_scaling.yaml");
  EXPECT_EQ(plan.cells.size(), 27U);  // 9 models, 3 compilers
}

TEST(Studies, MhaHasACellForEachWidthDepthBatchSizeAndCompiler) {
  const Plan plan = plan_of("mha.yaml");
  EXPECT_EQ(plan.cells.size(), 72U);  // 12 models, 2 batch sizes, 3 compilers
}

TEST(Studies, TvmTuningHasTwoModelsTimesFiveCompilers) {
  const Plan plan = plan_of("tvm_tuning.yaml");
  EXPECT_EQ(plan.cells.size(), 10U);
}

TEST(Studies, TextEncoderHasTwoLengthsTimesTwoBatchSizesTimesFourCompilers) {
  const Plan plan = plan_of("text_encoder.yaml");
  EXPECT_EQ(plan.cells.size(), 16U);
  EXPECT_EQ(plan.models.at(0).label, "32 tokens");
}

}  // namespace
}  // namespace ngb::plan

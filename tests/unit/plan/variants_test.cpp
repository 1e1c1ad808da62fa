// SPDX-License-Identifier: Apache-2.0
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

using testing::HasSubstr;

config::ModelEntry block(const std::string& label, int depth, const std::string& variant_of = {}) {
  config::ModelEntry entry =
      recipe(label, "conv_block", {{"depth", std::to_string(depth)}, {"image_size", "8"}, {"width", "4"}});
  entry.variant_of = variant_of;
  return entry;
}

TEST(Variants, KnowTheirExactModelOfTheSameBatchSize) {
  config::Study study = small_study();
  study.models = {block("cheap", 1, "exact"), block("exact", 2)};
  const Plan plan = expanded(study);
  ASSERT_EQ(plan.models.size(), 4U);
  const work::Model& cheap = plan.models[1];
  EXPECT_EQ(cheap.key.batch, 8);
  EXPECT_EQ(cheap.variant_of, "exact");
  EXPECT_EQ(cheap.exact_hash, plan.models[3].key.hash);
  EXPECT_EQ(cheap.workload_hash(), plan.models[3].workload_hash());
  ASSERT_EQ(cheap.exact.size(), 1U);
  EXPECT_EQ(cheap.exact[0].key, plan.models[3].key);
  EXPECT_TRUE(plan.models[3].exact.empty());
}

TEST(Variants, AreOtherModelsThanTheSameFileAsAnExactOne) {
  config::Study study = small_study();
  study.models = {block("exact", 2), block("cheap", 1)};
  const std::string plain = expanded(study).models[2].key.hash;
  study.models[1].variant_of = "exact";
  EXPECT_NE(expanded(study).models[2].key.hash, plain);
}

TEST(Variants, BelongToNoGroup) {
  config::Study study = small_study();
  study.models = {recipe("resnet18", "resnet18"), recipe("resnet50", "resnet50")};
  study.models[1].variant_of = "resnet18";
  const Plan plan = expanded(study);
  EXPECT_EQ(plan.models[0].group, "ResNets");
  EXPECT_EQ(plan.models[2].group, "");
}

TEST(Variants, OfOtherInputsAreRefused) {
  config::Study study = small_study();
  config::ModelEntry other = block("cheap", 1, "exact");
  other.parameters[1].second = "16";
  study.models = {block("exact", 1), other};
  const auto plan = expand(study);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().what,
              HasSubstr("cheap: input \"input\" is f32 [1, 3, 16, 16], that of exact is f32 [1, 3, 8, 8]"));
}

TEST(Variants, AreTimedWithTheInputsOfTheirExactModel) {
  work::Model exact{{.key = {"e", 1}, .label = "exact"}};
  exact.files = {{"model/net.onnx", "/here/net.onnx", "1"}, {"inputs/ids.npy", "/here/ids.npy", "3"}};
  exact.values = {{.input = "ids", .file = "inputs/ids.npy"}, {.input = "mask", .range = std::pair(1.0, 1.0)}};
  work::Model variant{{.key = {"v", 1}, .label = "cheap"}};
  variant.files = {{"model/net8.onnx", "/here/net8.onnx", "2"}};
  work::make_variant(variant, exact);
  ASSERT_EQ(variant.values.size(), 2U);
  EXPECT_EQ(work::file_called(variant.files, variant.values[0].file)->path, "/here/ids.npy");
  EXPECT_EQ(variant.values[1], exact.values[1]);
  EXPECT_EQ(work::exact_of(variant).values, exact.values);
}

TEST(Variants, CarryTheFilesOfTheirExactModelAmongTheirOwn) {
  work::Model exact{{.key = {"e", 1}, .label = "exact"}};
  exact.files = {{"model/net.onnx", "/here/net.onnx", "1"}};
  work::Model variant{{.key = {"v", 1}, .label = "cheap"}};
  variant.files = {{"model/net8.onnx", "/here/net8.onnx", "2"}};
  work::make_variant(variant, exact);
  ASSERT_EQ(variant.files.size(), 2U);
  EXPECT_EQ(variant.files[1].name, "exact/model/net.onnx");
  const work::Model again = work::exact_of(variant);
  EXPECT_EQ(again.files, exact.files);
  EXPECT_EQ(again.key, exact.key);
}

}  // namespace
}  // namespace ngb::plan

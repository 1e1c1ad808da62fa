// SPDX-License-Identifier: Apache-2.0
// Reads and expands the study files of studies/.
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "plan/estimate.h"
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

config::Parameter number(std::string name, std::string default_value) {
  return {.name = std::move(name), .type = "int", .default_value = std::move(default_value)};
}

config::Parameter word(std::string name) { return {.name = std::move(name), .type = "string", .default_value = "cpu"}; }

std::vector<config::FamilyWords> models() {
  std::vector<config::FamilyWords> models{
      {"conv_block", {number("width", "64"), number("depth", "1"), number("image_size", "244")}},
      {"mha_block", {number("embed", "256"), number("depth", "1")}},
      {"llama_30m", {number("context", "128")}},
      {"resnet",
       {{.name = "depths", .type = "int_list", .default_value = "[2,2,2,2]"},
        {.name = "width", .type = "float", .default_value = "1.0"}}}};
  for (const char* const name :
       {"resnet18", "resnet50", "resnet101", "efficientnet_b3", "efficientnet_b4", "efficientnet_b5",
        "deit3_small_patch16_224", "deit3_medium_patch16_224", "deit3_base_patch16_224", "swin_s3_tiny_224",
        "swin_s3_small_224", "swin_s3_base_224", "convnext_tiny", "convnext_small", "convnext_base"})
    models.push_back({name, {}});
  return models;
}

Plan plan_of(const std::string& name) {
  const config::Vocabulary vocabulary{
      .compilers = {{"identity", "2.15.0", {word("device")}},
                    {"torchscript", "2.15.0", {word("device")}},
                    {"eager-cpp", "2.15.0", {}},
                    {"onnxruntime", "1.31.1", {word("provider")}},
                    {.name = "openvino", .default_version = "2026.4.1", .in_flight = true},
                    {"tensorrt", "10.15.1.29", {}},
                    {"torch-compile", "2.15.0", {}},
                    {"tvm", "0.27.0.post1", {number("trials", "0"), word("device")}}},
      .models = models()};
  const auto study = config::load_study(std::string(NGB_SOURCE_DIR) + "/studies/" + name, vocabulary);
  if (study) return expanded(*study);
  ADD_FAILURE() << study.error()[0].text();
  return {};
}

// What the slowest process of a study usually takes to warm up (5 repetitions) and to be timed (20), on two cores at
// 45 GMAC/s each, PyTorch's usual rate.
double longest_run_s(const Plan& plan) {
  std::uint64_t macs = 0;
  for (const auto& model : plan.models) macs = std::max(macs, model.macs.value_or(0));
  return 25 * static_cast<double>(macs) / (2 * 45e9);
}

TEST(Studies, TheQuickstartHasTwelveCellsAndLastsAFewMinutes) {
  const Plan plan = plan_of("quickstart.yaml");
  EXPECT_EQ(plan.cells.size(), 12U);
  EXPECT_EQ(process_count(plan), 84U);
  EXPECT_LT(estimate(plan, no_experience()).seconds, 6 * 60);
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

TEST(Studies, DecodeHasTwoContextsInFourFormsOfTheCacheAndAsPrompts) {
  const Plan plan = plan_of("decode.yaml");
  EXPECT_EQ(plan.cells.size(), 60U);  // 2 contexts, 4 forms and a prompt, 2 batch sizes, 3 compilers
  EXPECT_EQ(plan.models.at(0).prompt_tokens, 128);
  EXPECT_EQ(plan.models.at(4).decoding->new_tokens, 32);
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

TEST(Studies, ThePapersNetworksAreFifteenTimesSixBatchSizesOnFiveCompilersOfEitherKindOfDevice) {
  const Plan plan = plan_of("paper/models.yaml");
  EXPECT_EQ(plan.cells.size(), 900U);  // 15 models, 6 batch sizes, 10 compilers
  EXPECT_EQ(process_count(plan), 4500U);
  EXPECT_EQ(plan.study.protocol.repetitions, 20);
}

TEST(Studies, ThePapersBlocksAreFourWidthsTimesSixDepths) {
  for (const char* const name : {"paper/conv.yaml", "paper/mha.yaml"}) {
    const Plan plan = plan_of(name);
    EXPECT_EQ(plan.cells.size(), 1152U) << name;  // 24 models, 6 batch sizes, 8 compilers
    EXPECT_EQ(process_count(plan), 5760U) << name;
  }
}

TEST(Studies, ThePapersTableOfCompileTimesHasTheLargestModelOfEachFamily) {
  const Plan plan = plan_of("paper/compile.yaml");
  EXPECT_EQ(plan.cells.size(), 60U);  // 5 models, 2 batch sizes, 6 compilers
}

TEST(Studies, ThePapersStudiesUseAllThreadsAndOutlastTheirLongestCells) {
  for (const char* const name : {"paper/models.yaml", "paper/conv.yaml", "paper/mha.yaml", "paper/compile.yaml"}) {
    const Plan plan = plan_of(name);
    for (const auto& compiler : plan.compilers) EXPECT_EQ(compiler.threads_asked, "all") << name;
    EXPECT_GT(static_cast<double>(plan.study.limits.timeouts.run_ns) / 1e9, 4 * longest_run_s(plan)) << name;
  }
}

TEST(Studies, EncoderHasThreeWidthsOnTwoDevicesWithBothSizes) {
  const Plan plan = plan_of("encoder.yaml");
  EXPECT_EQ(plan.cells.size(), 54U);  // 3 widths, 3 batch sizes, 3 compilers, 2 devices
  for (const work::Model& model : plan.models) {
    EXPECT_EQ(model.raw_bytes, 37632U);
    EXPECT_TRUE(model.encoded_bytes.has_value());
  }
}

struct PapersStudy {
  const char* name;
  const char* what;
};
constexpr std::array kPapersStudies{
    PapersStudy{"models", "15 networks × batch 1 to 32 × compilers"},
    PapersStudy{"conv", "convolution blocks: width 64 to 256 × depth 1 to 6 × batch 1 to 32"},
    PapersStudy{"mha", "attention blocks: width 128 to 512 × depth 1 to 6 × batch 1 to 32"},
    PapersStudy{"compile", "the five largest networks × batch 1 and 32, TVM tuned with 1500 trials"}};

// Returns the plan on two cores.
Plan papers_plan(const std::string& folder, const char* name) {
  Plan plan = plan_of(fmt::format("{}/{}.yaml", folder, name));
  for (auto& compiler : plan.compilers) compiler.threads = 2;
  return plan;
}

TEST(Studies, TheQuickFormsOfThePapersStudiesEndWithinTenMinutesOnTwoCoresAndTogetherWithinThirty) {
  double together_s = 0;
  for (const PapersStudy& each : kPapersStudies) {
    const double seconds = estimate(papers_plan("paper/quick", each.name), no_experience()).seconds;
    EXPECT_LT(seconds, 10 * 60) << each.name;
    together_s += seconds;
  }
  EXPECT_LT(together_s, 30 * 60);
}

std::string papers_estimates() {
  std::string table =
      "| study | what | cells | `ngb plan` | quick form | cells | `ngb plan` |\n| --- | --- | --- | --- | --- | --- | "
      "--- |\n";
  for (const PapersStudy& each : kPapersStudies) {
    const Plan full = papers_plan("paper", each.name);
    const Plan quick = papers_plan("paper/quick", each.name);
    table += fmt::format(
        "| [`{0}.yaml`](../studies/paper/{0}.yaml) | {1} | {2} | {3} | "
        "[`quick/{0}.yaml`](../studies/paper/quick/{0}.yaml) | {4} | {5} |\n",
        each.name, each.what, full.cells.size(), text::human_duration(estimate(full, no_experience()).seconds),
        quick.cells.size(), text::human_duration(estimate(quick, no_experience()).seconds));
  }
  return table;
}

TEST(Studies, TheEstimatesOfThePapersStudiesAreThoseOfItsPage) {
  constexpr std::string_view kMark = "<!-- estimates on two cores: generated -->\n";
  const std::filesystem::path path = std::filesystem::path(NGB_SOURCE_DIR) / "docs/reproduce-paper.md";
  std::string page = file::read(path).value();
  const std::size_t first = page.find(kMark);
  const std::size_t end = page.rfind(kMark);
  ASSERT_LT(first, end) << "the page has two marks";
  const std::size_t begin = first + kMark.size();
  if (std::getenv("NGB_UPDATE_DOCS") != nullptr) {
    page.replace(begin, end - begin, papers_estimates() + "\n");
    ASSERT_TRUE(file::write_atomically(path, page));
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), papers_estimates() + "\n") << "run plan_test with NGB_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace ngb::plan

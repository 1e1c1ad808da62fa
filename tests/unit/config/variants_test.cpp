// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string with(std::string_view models) { return "compilers: [onnxruntime]\nmodels:\n" + std::string(models); }

TEST(StudyVariants, NameTheirExactModel) {
  const Study study = good(with("  - zoo: resnet18\n  - {zoo: resnet50, label: cheap, variant_of: resnet18}"));
  EXPECT_EQ(study.models[0].variant_of, "");
  EXPECT_EQ(study.models[1].variant_of, "resnet18");
}

TEST(StudyVariants, OfAnUnknownLabelAreRefusedWithTheNearest) {
  EXPECT_THAT(problems(with("  - zoo: resnet18\n  - {zoo: resnet50, variant_of: resnet19}")),
              Contains(HasSubstr("models: resnet50: variant_of: resnet19: unknown model, did you mean resnet18?")));
}

TEST(StudyVariants, OfThemselvesAreRefused) {
  EXPECT_THAT(problems(with("  - {zoo: resnet18, variant_of: resnet18}")),
              Contains(HasSubstr("a model cannot be a variant of itself")));
}

TEST(StudyVariants, InACircleAreRefused) {
  EXPECT_THAT(problems(with("  - {zoo: resnet18, variant_of: resnet50}\n  - {zoo: resnet50, variant_of: resnet18}")),
              Contains(HasSubstr("resnet50 is a variant itself, of resnet18; name an exact model")));
}

TEST(StudyVariants, HaveTheInputsOfTheirExactModelAndNoGroup) {
  const auto found =
      problems(with("  - zoo: resnet18\n"
                    "  - {zoo: resnet50, variant_of: resnet18, group: Mine, inputs: {input: {range: [0, 1]}}}"));
  EXPECT_THAT(found, Contains(HasSubstr("a variant has the inputs of its exact model; remove this key")));
  EXPECT_THAT(found, Contains(HasSubstr("a variant is pooled with no other model; remove this key")));
}

TEST(StudyVariants, AreMeasuredByTheCompilersThatTheyName) {
  const Study study = good(
      "compilers: [openvino, onnxruntime, {onnxruntime: {version: 1.30.0}}]\nmodels:\n  - zoo: resnet18\n"
      "  - {zoo: resnet50, compilers: [onnxruntime]}\n  - {zoo: resnet18, variant_of: resnet18, label: cheap, "
      "compilers: [openvino, onnxruntime 1.30.0]}");
  EXPECT_THAT(study.models[0].compilers, testing::IsEmpty());
  EXPECT_THAT(study.models[1].compilers, testing::ElementsAre("onnxruntime 1.31.1", "onnxruntime 1.30.0"));
  EXPECT_THAT(study.models[2].compilers, testing::ElementsAre("openvino", "onnxruntime 1.30.0"));
  EXPECT_EQ(to_json(study)["models"][2]["compilers"], (nlohmann::json{"openvino", "onnxruntime 1.30.0"}));
  EXPECT_THAT(problems(with("  - {zoo: resnet18, compilers: [onxruntime]}")),
              Contains(HasSubstr("models[0].compilers[0]: onxruntime: unknown compiler of this study, did you mean "
                                 "onnxruntime?")));
  EXPECT_THAT(problems(with("  - {zoo: resnet18, compilers: onnxruntime}")),
              Contains(HasSubstr("models[0].compilers: expected a list of the study's compilers")));
  EXPECT_THAT(problems(with("  - {zoo: resnet18, compilers: [onnxruntime]}\n  - {zoo: resnet18, label: again}")),
              Contains(HasSubstr("again is the same model as resnet18")));
}

TEST(StudyVariants, AreMadeByQuantising) {
  const Study study = good(
      with("  - zoo: resnet18\n  - {quantise: dynamic, variant_of: resnet18}\n"
           "  - {quantise: {static: {per_channel: true, inputs: 16, method: entropy, exclude: [conv1]}}, variant_of: "
           "resnet18}"));
  EXPECT_EQ(study.models[1].label, "resnet18 int8 dynamic");
  EXPECT_EQ(study.models[1].quantise, Quantisation{});
  EXPECT_EQ(study.models[2].label, "resnet18 int8 static per channel entropy but conv1");
  EXPECT_EQ(
      study.models[2].quantise,
      (Quantisation{.how = "static", .per_channel = true, .inputs = 16, .method = "entropy", .exclude = {"conv1"}}));
}

TEST(StudyVariants, AreNotMadeOfMistakes) {
  EXPECT_THAT(
      problems(with("  - zoo: resnet18\n  - {quantise: int4, variant_of: resnet18}")),
      Contains(HasSubstr("models[1].quantise: expected static, dynamic, one of them with its keys, or {tool: NAME}")));
  EXPECT_THAT(problems(with("  - {quantise: static, label: alone}")),
              Contains(HasSubstr("add variant_of: the label of the model that is quantised")));
  EXPECT_THAT(problems(with("  - zoo: resnet18\n  - {quantise: {dynamic: {inputs: 4}}, variant_of: resnet18}")),
              Contains(HasSubstr("dynamic quantisation is not calibrated; remove the key inputs")));
  EXPECT_THAT(problems(with("  - zoo: resnet18\n  - {quantise: {static: {chanel: true}}, variant_of: resnet18}")),
              Contains(HasSubstr("chanel: unknown key")));
}

// A vocabulary whose openvino has a tool that makes its compiled files, and whose onnxruntime has one that cannot be
// run.
Vocabulary with_tools() {
  Vocabulary vocabulary = small_vocabulary();
  for (CompilerWords& each : vocabulary.compilers) {
    if (each.name == "openvino") {
      each.compiled_files = {{".xml", ".bin"}};
      each.quantiser = {.tool = "nncf", .file = ".xml", .ways = {"static 8", "weights 8", "weights 4"}};
    }
    if (each.name == "onnxruntime") each.quantiser = {.tool = "ncnn", .refused = "no package has its programs"};
  }
  return vocabulary;
}

tl::expected<Study, std::vector<StudyProblem>> read_with_tools(const std::string& quantise) {
  return read_study("compilers: [onnxruntime, openvino]\nmodels:\n  - zoo: resnet18\n  - {quantise: " + quantise +
                        ", variant_of: resnet18}\n",
                    "study.yaml", with_tools());
}

TEST(StudyVariants, AreMadeByACompilersOwnToolForThatCompiler) {
  const auto study = read_with_tools("{tool: nncf, bits: 4}");
  ASSERT_TRUE(study) << study.error()[0].text();
  const ModelEntry& made = study->models[1];
  EXPECT_EQ(made.label, "resnet18 int4 weights by nncf");
  EXPECT_EQ(made.quantise, (Quantisation{.how = "weights", .tool = "nncf", .bits = 4}));
  EXPECT_EQ(made.kind(), ModelKind::compiled);
  EXPECT_THAT(made.compilers, testing::ElementsAre("openvino"));
  const auto again = read_study(to_json(*study).dump(), "study.yaml", with_tools());
  ASSERT_TRUE(again) << again.error()[0].text();
  EXPECT_EQ(again->models[1].quantise, made.quantise);
  EXPECT_EQ(read_with_tools("{tool: nncf, inputs: 8}")->models[1].quantise,
            (Quantisation{.how = "static", .tool = "nncf", .inputs = 8}));
}

TEST(StudyVariants, AreRefusedWithWhatTheToolDoes) {
  const auto why = [](const std::string& quantise) { return read_with_tools(quantise).error()[0].message; };
  EXPECT_EQ(why("{tool: nnfc}"), "nnfc: unknown tool, did you mean nncf?");
  EXPECT_EQ(why("{tool: ncnn}"), "ncnn: no package has its programs");
  EXPECT_EQ(why("{tool: nncf, how: dynamic}"), "nncf does static 8, weights 8, weights 4 only");
  EXPECT_EQ(why("{tool: nncf, how: weights, inputs: 8}"),
            "weights quantisation is not calibrated; remove the key inputs");
  EXPECT_EQ(why("{tool: nncf, bit: 8}"), "bit: unknown key, did you mean bits?");
}

TEST(StudyData, HasSamplesAndLabels) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("x.npy", "x"));
  static_cast<void>(folder.write("y.txt", "1"));
  const auto study =
      load_study(folder.write("study.yaml", with("  - {zoo: resnet18, data: {arrays: x.npy, labels: y.txt}}")),
                 small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->models[0].data,
            (LabelledData{.arrays = folder.path() / "x.npy", .labels = folder.path() / "y.txt"}));
  const auto wrong = problems(with("  - {zoo: resnet18, data: {arrays: gone.npy}}"));
  EXPECT_THAT(wrong, Contains(HasSubstr("gone.npy: no such file or folder")));
  EXPECT_THAT(wrong, Contains(HasSubstr("the key labels is missing")));
}

TEST(StudyVariants, MayHaveALeastAgreement) {
  const std::string models = with("  - zoo: resnet18\n");
  EXPECT_EQ(good(models + "min_agreement: 0.99\n").protocol.min_agreement, 0.99);
  EXPECT_FALSE(good(models).protocol.min_agreement);
  EXPECT_THAT(problems(models + "min_agreement: 1.5\n"), Contains(HasSubstr("min_agreement")));
  EXPECT_THAT(problems(models + "agreement_inputs: 63\n"), Contains(HasSubstr("agreement_inputs")));
}

}  // namespace
}  // namespace ngb::config

// SPDX-License-Identifier: Apache-2.0
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

TEST(StudyVariants, MayHaveALeastAgreement) {
  const std::string models = with("  - zoo: resnet18\n");
  EXPECT_EQ(good(models + "min_agreement: 0.99\n").protocol.min_agreement, 0.99);
  EXPECT_FALSE(good(models).protocol.min_agreement);
  EXPECT_THAT(problems(models + "min_agreement: 1.5\n"), Contains(HasSubstr("min_agreement")));
  EXPECT_THAT(problems(models + "agreement_inputs: 63\n"), Contains(HasSubstr("agreement_inputs")));
}

}  // namespace
}  // namespace ngb::config

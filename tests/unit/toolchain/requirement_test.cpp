// SPDX-License-Identifier: Apache-2.0
#include "toolchain/requirement.h"

#include <gtest/gtest.h>

#include "toolchain/pins.h"

namespace ngb::toolchain {
namespace {

TEST(Requirement, HasNameExtrasConditionsAndMarker) {
  const auto parsed = parse_requirement("cuda-toolkit[cublas, cudart]==13.2.2; platform_system == \"Linux\"");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->name, "cuda-toolkit");
  EXPECT_EQ(parsed->extras, (std::vector<std::string>{"cublas", "cudart"}));
  EXPECT_EQ(parsed->specifier, "==13.2.2");
  EXPECT_EQ(parsed->marker, "platform_system == \"Linux\"");
}

TEST(Requirement, IsReadInTheOldFormWithBracketsToo) {
  const auto parsed = parse_requirement("pillow (!=8.3.*,>=5.3.0)");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->name, "pillow");
  EXPECT_EQ(parsed->specifier, "!=8.3.*,>=5.3.0");
}

TEST(Requirement, NamesAreTheSameInEverySpelling) {
  EXPECT_EQ(normalised_name("Huggingface_Hub"), "huggingface-hub");
  EXPECT_EQ(normalised_name("ruamel.yaml__x"), "ruamel-yaml-x");
}

TEST(Requirement, WithoutANameIsAnError) {
  const auto parsed = parse_requirement("==1.0");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().what, "\"==1.0\" is not a requirement: it starts with no name");
}

TEST(Requirement, GoesToPipWithExtrasAndConditionsAndWithoutItsMarker) {
  EXPECT_EQ(pip_text(parse_requirement("CUDA_toolkit[cublas, nvtx] == 13.2.2 ; os_name == 'x'").value()),
            "cuda-toolkit[cublas,nvtx]==13.2.2");
}

TEST(Placeholders, AreFilledFromTheVersionAndFromThePins) {
  EXPECT_EQ(fill_placeholders("onnxruntime=={version}", "1.31.1").value(), "onnxruntime==1.31.1");
  EXPECT_EQ(fill_placeholders("timm=={timm}", "2.15.0").value().substr(0, 6), "timm==");
  EXPECT_EQ(fill_placeholders("timm=={timm}", "2.15.0").value().find('{'), std::string::npos);
}

TEST(Placeholders, ThatNobodyFillsAreNamed) {
  const auto filled = fill_placeholders("x=={unheard_of}", "1");
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().what, "nothing fills {unheard_of}");
}

TEST(Pins, TestTwoVersionsOfOnnxRuntimeAndOpenVino) {
  for (const char* compiler : {"onnxruntime", "openvino"}) {
    const std::vector<std::string> tested = tested_versions(compiler);
    ASSERT_EQ(tested.size(), 2U) << compiler;
    EXPECT_EQ(tested.back(), default_version(compiler));
  }
  EXPECT_EQ(default_version("unheard_of"), "");
}

}  // namespace
}  // namespace ngb::toolchain

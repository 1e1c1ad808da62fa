// SPDX-License-Identifier: Apache-2.0
#include "toolchain/requirement.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include "base/python.h"
#include "toolchain/pins.h"
#include "toolchain/target.h"

namespace ngb::toolchain {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Needs needs_of(const Requirements& requirements) {
  const auto needs = find_needs(python::default_command(), requirements);
  EXPECT_TRUE(needs) << needs.error().text();
  return needs.value_or(Needs{});
}

// Those of "version condition" pairs where the version does not meet the condition, in one question.
std::vector<std::string> unmet(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Requirements requirements;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    requirements.chosen[fmt::format("p{:02}", i)] = {pairs[i].first, {}};
    requirements.wanted.push_back(fmt::format("p{:02}{}", i, pairs[i].second));
  }
  std::vector<std::string> found;
  for (const std::string& asked : needs_of(requirements).unmet) {
    const auto& [version, condition] = pairs[std::stoul(asked.substr(1, 2))];
    found.push_back(fmt::format("{} {}", version, condition));
  }
  return found;
}

// Those of the markers that hold where `markers` says, in one question.
std::vector<std::string> holding(const std::vector<std::string>& texts, const MarkerVariables& markers) {
  Requirements requirements{.markers = markers};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    requirements.wanted.push_back(fmt::format("p{:02}; {}", i, texts[i]));
  }
  std::vector<std::string> found;
  for (const std::string& asked : needs_of(requirements).unmet) found.push_back(texts[std::stoul(asked.substr(1, 2))]);
  return found;
}

// The values are those of PEP 440's own examples, where it has one.
TEST(Requirement, IsMetAsPep440Says) {
  EXPECT_THAT(unmet({{"1.31.1", ""},
                     {"4.16.0", ">=4.10"},
                     {"8.5.1", "<9.0.0,>=8.4.2"},
                     {"3.9.4", "~=3.9.0"},
                     {"2.3", "~=2.2.post3"},
                     {"8.4.0", "!=8.3.*,>=5.3.0"},
                     {"1.4.9", "==1.4.*"},
                     {"1.1.post1", "==1.1.post1"},
                     {"1.1.post1", "==1.1.*"},
                     {"1.1a1", "==1.1.*"},
                     {"1.1", "==1.1.0"},
                     {"2.15.0+cpu", "==2.15.0"},
                     {"1.7.1", ">1.7"},
                     {"1.7.0.post3", ">1.7.post2"},
                     {"1!0.1", ">2026.4.1"},
                     {"2.0rc1", ">=1.0"}}),
              IsEmpty());
  EXPECT_THAT(unmet({{"9.0.0", "<9.0.0"},
                     {"3.10.0", "~=3.9.0"},
                     {"8.3.2", "!=8.3.*"},
                     {"1.1.post1", "==1.1"},
                     {"2.15.1", "==2.15.0"},
                     {"1.7.0.post1", ">1.7"},
                     {"1.7.0", ">1.7.post2"},
                     {"1.0rc1", "<1.0"},
                     {"1.0.post1", ">1.0"},
                     {"1.0+cpu", ">1.0"},
                     {"nightly", ">=1"}}),
              ElementsAre("9.0.0 <9.0.0", "3.10.0 ~=3.9.0", "8.3.2 !=8.3.*", "1.1.post1 ==1.1", "2.15.1 ==2.15.0",
                          "1.7.0.post1 >1.7", "1.7.0 >1.7.post2", "1.0rc1 <1.0", "1.0.post1 >1.0", "1.0+cpu >1.0",
                          "nightly >=1"));
}

TEST(Requirement, CountsIfItsMarkerHolds) {
  const MarkerVariables jetson = marker_variables({"aarch64", "2.35", "3.10.12", false});
  const std::vector<std::string> hold{"platform_machine == 'aarch64' and sys_platform == 'linux'",
                                      "python_version < '3.11'",
                                      "python_full_version >= '3.10.4' and implementation_name == 'cpython'",
                                      "python_version>=\"3.9\"",
                                      "'linux' in sys_platform",
                                      "sys_platform not in 'win32 cygwin'",
                                      "os_name == 'posix' or python_version < '3' and sys_platform == 'win32'"};
  EXPECT_EQ(holding(hold, jetson), hold);
  EXPECT_THAT(holding({"platform_machine == 'x86_64'", "python_version >= '3.11'", "os_name == 'nt'", "extra == 'x'",
                       "(os_name == 'posix' or python_version < '3') and sys_platform == 'win32'"},
                      jetson),
              IsEmpty());
}

TEST(Requirement, CountsForTheAnsweringPythonUnlessAnotherIsDescribed) {
  EXPECT_THAT(holding({"python_version >= '3.9'", "sys_platform == 'win32'"}, {}),
              ElementsAre("python_version >= '3.9'"));
}

TEST(Requirement, ThatNothingMeetsIsNamedWithExtrasAndConditionsAndWithoutItsMarker) {
  EXPECT_THAT(needs_of({.wanted = {"CUDA_toolkit[nvtx, cublas] == 13.2.2 ; os_name == 'posix'", "pillow (!=8.3.*,>=5)",
                                   "Huggingface_Hub"},
                        .markers = marker_variables({"x86_64", "2.36", "3.11", false})})
                  .unmet,
              ElementsAre("cuda-toolkit[cublas,nvtx]==13.2.2", "huggingface-hub", "pillow!=8.3.*,>=5"));
}

TEST(Requirement, OfAChosenPackageIsFollowedWithTheWantedExtras) {
  const Needs needs = needs_of(
      {.wanted = {"toy==1.0"},
       .chosen = {{"toy", {"1.0", {"kit[CU_blas]==3.0", "other; extra == 'dev'", "x @ https://example.org/x.whl"}}},
                  {"kit", {"3.0", {"blas; extra == 'Cu.Blas'", "solver; extra == 'solver'"}}},
                  {"solver", {"1.0", {}}}}});
  EXPECT_THAT(needs.packages, ElementsAre("kit", "toy"));
  EXPECT_THAT(needs.unmet, ElementsAre("blas"));
}

TEST(Requirement, ThatIsSkippedIsNotNeededAndNeitherIsWhatOnlyItRequires) {
  Requirements requirements{.wanted = {"toy"},
                            .chosen = {{"toy", {"1.0", {"nv-big", "leaf"}}},
                                       {"nv-big", {"1.0", {"nv-small", "leaf"}}},
                                       {"nv-small", {"1.0", {}}},
                                       {"leaf", {"1.0", {}}}},
                            .skip = {"NV_Big"}};
  EXPECT_THAT(needs_of(requirements).packages, ElementsAre("leaf", "toy"));
  EXPECT_THAT(needs_of(requirements).unmet, IsEmpty());
  requirements.skip.clear();
  EXPECT_THAT(needs_of(requirements).packages, ElementsAre("leaf", "nv-big", "nv-small", "toy"));
}

TEST(Requirement, OfSeveralPackagesIsUnmetUnlessAllConditionsHold) {
  Requirements requirements{.wanted = {"toy", "leaf>=1"},
                            .chosen = {{"toy", {"1.0", {"leaf<2"}}}, {"leaf", {"2.0", {}}}}};
  EXPECT_THAT(needs_of(requirements).unmet, ElementsAre("leaf<2", "leaf>=1"));
  requirements.chosen["leaf"].version = "1.9";
  EXPECT_THAT(needs_of(requirements).unmet, IsEmpty());
}

TEST(Requirement, ThatIsMalformedIsAnErrorWithItsText) {
  for (const char* text : {"==1.0", "x; (python_version > '3'", "x; weather == 'fine'"}) {
    const auto needs = find_needs(python::default_command(), {.wanted = {text}});
    ASSERT_FALSE(needs) << text;
    EXPECT_THAT(needs.error().what, HasSubstr(fmt::format("\"{}\" is not a requirement", text)));
  }
}

TEST(Requirement, CannotBeReadWithoutPython) {
  EXPECT_FALSE(find_needs("/nowhere/python3", {.wanted = {"x"}}));
  EXPECT_THAT(find_needs("echo", {.wanted = {"x"}}).error().what, HasSubstr("unexpected answer"));
}

TEST(Versions, AreEqualDespiteZerosSpellingAndLocalParts) {
  EXPECT_TRUE(is_same_version("1.0", "1.0.0"));
  EXPECT_TRUE(is_same_version("2.15.0+cpu", "2.15.0"));
  EXPECT_TRUE(is_same_version("1.0-RC.1", "1.0rc1"));
  EXPECT_FALSE(is_same_version("1.0", "1.0.post1"));
  EXPECT_FALSE(is_same_version("nightly", "1.0"));
}

TEST(Versions, OfEqualTextAreComparedWithoutStartingPython) {
  ::setenv("NGB_PYTHON", "/nowhere/python3", 1);
  EXPECT_TRUE(is_same_version("nightly", "nightly"));
  ::unsetenv("NGB_PYTHON");
}

TEST(Versions, NearAnotherAreThoseNextBelowAndAboveIt) {
  const std::vector<std::string> all{"1.0.dev1", "1.0a1", "1.0", "1.0rc1", "1.0.post1", "1.9", "1.10", "1!0.1"};
  const auto near = [&](std::string_view requirement) {
    return nearest_versions(python::default_command(), requirement, all).value();
  };
  EXPECT_THAT(near("x==1.0"), ElementsAre("1.0a1", "1.0rc1", "1.0", "1.0.post1", "1.9", "1.10"));
  EXPECT_THAT(near("x==0.1"), ElementsAre("1.0.dev1", "1.0a1", "1.0rc1"));
  EXPECT_THAT(near("x==1.*"), ElementsAre("1.0rc1", "1.0", "1.0.post1", "1.9", "1.10", "1!0.1"));
}

std::vector<std::string> between(const std::string& first, const std::string& last) {
  const std::vector<std::string> all{"1.10",  "1.0",       "1.9",   "1.2rc1",  "nightly", "1.4.post1", "1.3.dev2",
                                     "1.4.0", "2.0+local", "1!0.1", "1.9+cpu", "2.0rc1",  "0.9",       "2.1"};
  return versions_between(python::default_command(), first, last, all).value();
}

TEST(Versions, BetweenTwoAscendWithoutPreReleasesAndWithoutLocalParts) {
  EXPECT_THAT(between("1.0", "2.0"), ElementsAre("1.0", "1.4.0", "1.4.post1", "1.9", "1.10", "2.0"));
  EXPECT_THAT(between("1.9.0", "1.10"), ElementsAre("1.9.0", "1.10"));
  EXPECT_THAT(between("2.1", "1!0.1"), ElementsAre("2.1", "1!0.1"));
}

TEST(Versions, BetweenTwoContainPreReleasesIfAnEndIsOne) {
  EXPECT_THAT(between("1.2rc1", "1.9"), ElementsAre("1.2rc1", "1.3.dev2", "1.4.0", "1.4.post1", "1.9"));
  EXPECT_THAT(between("1.9", "2.0rc2"), ElementsAre("1.9", "1.10", "2.0rc1", "2.0rc2"));
}

TEST(Versions, BetweenTwoNeedAnOlderAndANewerOne) {
  const auto error = [](const std::string& first, const std::string& last) {
    return versions_between(python::default_command(), first, last, {}).error().what;
  };
  EXPECT_EQ(error("1.10", "1.9"), "1.10 is not older than 1.9");
  EXPECT_EQ(error("1.0", "1.0.0"), "1.0 is not older than 1.0.0");
  EXPECT_THAT(error("newest", "1.9"), HasSubstr("newest"));
}

TEST(Placeholders, AreFilledFromTheVersionAndFromThePins) {
  EXPECT_EQ(fill_placeholders("onnxruntime=={version}", "1.31.1").value(), "onnxruntime==1.31.1");
  EXPECT_EQ(fill_placeholders("timm=={timm}", "2.15.0").value().substr(0, 6), "timm==");
  EXPECT_EQ(fill_placeholders("timm=={timm}", "2.15.0").value().find('{'), std::string::npos);
}

TEST(Placeholders, WithoutAValueAreNamed) {
  const auto filled = fill_placeholders("x=={unheard_of}", "1");
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().what, "no value for {unheard_of}");
}

TEST(Pins, TestSeveralVersionsOfOnnxRuntimeAndOpenVino) {
  for (const char* compiler : {"onnxruntime", "openvino"}) {
    const std::vector<std::string> tested = tested_versions(compiler);
    ASSERT_GE(tested.size(), 2U) << compiler;
    EXPECT_EQ(tested.back(), default_version(compiler));
  }
  EXPECT_EQ(default_version("unheard_of"), "");
}

}  // namespace
}  // namespace ngb::toolchain

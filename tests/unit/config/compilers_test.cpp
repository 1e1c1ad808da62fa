// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "config/keys/key.h"
#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string with_compilers(std::string_view compilers) {
  return "models: [{zoo: resnet18}]\ncompilers:\n" + std::string(compilers);
}

std::vector<std::string> compiler_labels(const Study& study) {
  std::vector<std::string> out;
  for (const work::Compiler& compiler : study.compilers) out.push_back(compiler.label);
  return out;
}

TEST(StudyCompilers, GiveVersionThreadsAndOptions) {
  const Study study = good(with_compilers(R"(
  - identity
  - onnxruntime: {version: 1.30.0, threads: 2, options: {graph_optimization: basic, arena: false, spin: 5}}
)"));
  ASSERT_EQ(study.compilers.size(), 2U);
  EXPECT_EQ(study.compilers[0].version, "2.15.0");
  EXPECT_EQ(study.compilers[0].threads, 1);
  EXPECT_EQ(study.compilers[1].name, "onnxruntime");
  EXPECT_EQ(study.compilers[1].version, "1.30.0");
  EXPECT_EQ(study.compilers[1].threads, 2);
  EXPECT_THAT(study.compilers[1].options,
              ElementsAre(Pair("arena", "false"), Pair("graph_optimization", "\"basic\""), Pair("spin", "5")));
}

TEST(StudyCompilers, AVersionNeedsNoQuotesEvenIfYamlReadsANumber) {
  EXPECT_EQ(good(with_compilers("  - onnxruntime: {version: 1.30}")).compilers[0].version, "1.30");
  EXPECT_EQ(good(with_compilers("  - onnxruntime: {version: 2026}")).compilers[0].version, "2026");
}

TEST(StudyCompilers, AnOptionGivenAtItsDefaultIsTheSameAsNone) {
  EXPECT_THAT(good(with_compilers("  - onnxruntime: {options: {graph_optimization: all}}")).compilers[0].options,
              IsEmpty());
}

TEST(StudyCompilers, ThreadsComeFromTheStudyEvenIfTheKeyFollowsTheCompilers) {
  EXPECT_EQ(good(with_compilers("  - onnxruntime\nthreads: 3")).compilers[0].threads, 3);
}

TEST(StudyCompilers, ComputeInThePrecisionOfTheStudyUnlessTheySayOtherwise) {
  const Study study = good(with_compilers("  - onnxruntime\n  - openvino: {precision: [f32, f16]}\nprecision: bf16"));
  EXPECT_THAT(compiler_labels(study), ElementsAre("onnxruntime", "openvino f32", "openvino f16"));
  EXPECT_EQ(study.compilers[0].precision, "bf16");
  EXPECT_EQ(study.compilers[1].precision, "f32");
  EXPECT_EQ(study.compilers[2].precision, "f16");
  EXPECT_THAT(study.own_precision, ElementsAre("openvino f16", "openvino f32"));
  const nlohmann::json shown = to_json(study)["compilers"];
  EXPECT_FALSE(shown[0]["onnxruntime"].contains("precision"));
  EXPECT_EQ(shown[2]["openvino"]["precision"], "f16");
  EXPECT_THAT(problems(with_compilers("  - openvino: {precision: f23}")),
              testing::Contains(testing::HasSubstr("f23: unknown value, did you mean f32?")));
}

TEST(StudyCompilers, NullIsANameWithAndWithoutQuotes) {
  for (const char* const entry : {"  - null", "  - \"null\"", "  - null:", "  - null: {threads: 2}", "  - {null: }"}) {
    const Study study = good(with_compilers(entry));
    ASSERT_EQ(study.compilers.size(), 1U) << entry;
    EXPECT_EQ(study.compilers[0].name, "null") << entry;
    EXPECT_EQ(study.compilers[0].version, "") << entry;
  }
}

TEST(StudyCompilers, AnEmptyEntryIsNotTheCompilerCalledNull) {
  EXPECT_THAT(problems(with_compilers("  -\n  - onnxruntime")),
              ElementsAre(testing::HasSubstr("compilers[0]: expected a compiler's name, or a compiler with its "
                                             "settings, found nothing")));
  EXPECT_THAT(problems(with_compilers("  - ~")),
              ElementsAre("3:5: compilers[0]: ~: unknown compiler, expected one of: identity, null, onnxruntime, "
                          "openvino"));
}

TEST(StudyCompilers, LabelsNameTheSettingsInWhichNamesakesDiffer) {
  EXPECT_THAT(
      compiler_labels(good(with_compilers("  - identity\n  - onnxruntime\n  - onnxruntime: {version: 1.30.0}"))),
      ElementsAre("identity", "onnxruntime 1.31.1", "onnxruntime 1.30.0"));
  EXPECT_THAT(compiler_labels(good(with_compilers("  - onnxruntime\n  - onnxruntime: {threads: 2}"))),
              ElementsAre("onnxruntime threads=1", "onnxruntime threads=2"));
  EXPECT_THAT(
      compiler_labels(good(with_compilers("  - onnxruntime\n  - onnxruntime: {options: {graph_optimization: basic}}\n"
                                          "  - onnxruntime: {version: 1.30.0, label: old}"))),
      ElementsAre("onnxruntime 1.31.1 graph_optimization=all", "onnxruntime 1.31.1 graph_optimization=basic", "old"));
}

TEST(StudyCompilers, LabelsHaveTheirWordsInTheOrderOfTheKeysOfAnEntry) {
  EXPECT_THAT(compiler_labels(good(with_compilers(
                  "  - onnxruntime: {version: 1.30.0, threads: all, in_flight: auto, instances: 3, precision: bf16,\n"
                  "                  options: {spin: 5, arena: false}, settings: {b: x, a: 1}}\n"
                  "  - onnxruntime\n"))),
              ElementsAre("onnxruntime 1.30.0 threads=all in_flight=auto instances=3 bf16 arena=false spin=5 a=1 b=x",
                          "onnxruntime 1.31.1 threads=1 in_flight=1 instances=1 f32 arena=true spin=0 a=default "
                          "b=default"));
}

TEST(StudyCompilers, HaveAPropertyForEachKeyOfAnEntry) {
  std::vector<std::string> names;
  for (const Key& key : compiler_keys()) names.emplace_back(property_of(key).name);
  EXPECT_THAT(names, ElementsAre("compiler_version", "threads", "in_flight", "instances", "processors", "precision",
                                 "options", "settings", "compiler_label"));
}

TEST(StudyCompilers, HaveTheLeastAndTheMostOfEachNumberThatIsSet) {
  for (const Key& key : compiler_keys()) {
    if (key.type != ValueType::integer && key.type != ValueType::integer_or_word) continue;
    for (const auto number : {static_cast<int>(key.minimum), static_cast<int>(key.maximum)}) {
      work::Compiler compiler;
      set_value(compiler, key, number);
      EXPECT_EQ(value_of(compiler, key), number) << key.name;
    }
  }
}

TEST(StudyCompilers, AnEntryWithoutOptionsBesideLabelledOnesHasItsPlainName) {
  EXPECT_THAT(compiler_labels(good(with_compilers(
                  "  - onnxruntime\n  - onnxruntime: {label: basic, options: {graph_optimization: basic}}\n"))),
              ElementsAre("onnxruntime", "basic"));
  EXPECT_THAT(compiler_labels(good(with_compilers(
                  "  - onnxruntime: {options: {graph_optimization: basic}}\n  - onnxruntime: {label: usual}\n"))),
              ElementsAre("onnxruntime graph_optimization=basic", "usual"));
}

TEST(StudyCompilers, AListGivesOneCompilerForEachValueAndTheLastListIsFastest) {
  const Study study =
      good(with_compilers("  - onnxruntime: {threads: [1, 2], options: {graph_optimization: [basic, all]}}\n"
                          "  - onnxruntime: {version: [1.29.0, 1.30.0], label: old}"));
  EXPECT_THAT(compiler_labels(study),
              ElementsAre("onnxruntime 1.31.1 threads=1 graph_optimization=basic",
                          "onnxruntime 1.31.1 threads=1 graph_optimization=all",
                          "onnxruntime 1.31.1 threads=2 graph_optimization=basic",
                          "onnxruntime 1.31.1 threads=2 graph_optimization=all", "old 1.29.0", "old 1.30.0"));
  EXPECT_EQ(study.compilers[2].threads, 2);
  EXPECT_THAT(study.compilers[2].options, ElementsAre(Pair("graph_optimization", "\"basic\"")));
  EXPECT_THAT(study.compilers[3].options, IsEmpty());
  EXPECT_EQ(study.compilers[5].version, "1.30.0");
}

TEST(StudyCompilers, MistakesInAListAreReportedAtTheirPlaces) {
  EXPECT_THAT(
      problems(with_compilers("  - onnxruntime: {threads: [1, 0], options: {graph_optimization: [basics]}}\n"
                              "  - onnxruntime: {threads: [2, 2]}\n"
                              "  - onnxruntime: {threads: [], label: [a, b]}")),
      ElementsAre(
          testing::HasSubstr("compilers[0].onnxruntime.threads[1]: expected all, physical, or an integer from 1"),
          testing::HasSubstr("graph_optimization[0]: basics: unknown value, did you mean basic?"),
          testing::HasSubstr("compilers[1]: onnxruntime is listed twice with the same settings"),
          testing::HasSubstr("compilers[2].onnxruntime.threads: expected all, physical, or an integer from 1"),
          testing::HasSubstr("compilers[2].onnxruntime.label: expected one line of text")));
}

TEST(StudyCompilers, TheSameCompilerTwiceIsAProblem) {
  EXPECT_THAT(
      problems(with_compilers("  - onnxruntime\n  - onnxruntime: {version: 1.31.1, label: again}")),
      ElementsAre(
          "4:5: compilers[1]: onnxruntime is listed twice with the same settings; remove one of the two entries, or "
          "give each a label to measure it twice"));
}

TEST(StudyCompilers, TheSameCompilerTwiceWithTwoLabelsIsMeasuredTwice) {
  const Study study =
      good(with_compilers("  - onnxruntime: {label: left}\n  - onnxruntime: {version: 1.31.1, label: right}"));
  ASSERT_EQ(study.compilers.size(), 2U);
  EXPECT_EQ(study.compilers[0].label, "left");
  EXPECT_EQ(study.compilers[1].label, "right");
  EXPECT_THAT(problems(with_compilers("  - onnxruntime: {label: left}\n  - onnxruntime: {label: left}")),
              ElementsAre(testing::HasSubstr("the label left is used twice")));
}

TEST(StudyCompilers, MistakesNameTheNearestCompilerOptionAndWord) {
  EXPECT_THAT(
      problems(with_compilers("  - openvno\n"
                              "  - onnxruntime: {options: {graph_optimisation: basic}}\n"
                              "  - onnxruntime: {options: {graph_optimization: basics, arena: yes}}\n"
                              "  - onnxruntime: {threads: 2, verson: 1.30.0}\n")),
      ElementsAre(
          "3:5: compilers[0]: openvno: unknown compiler, did you mean openvino?",
          "4:29: compilers[1].onnxruntime.options: graph_optimisation: unknown option of onnxruntime, did you mean "
          "graph_optimization?",
          "5:49: compilers[2].onnxruntime.options.graph_optimization: basics: unknown value, did you mean basic?",
          "5:64: compilers[2].onnxruntime.options.arena: expected true or false, found yes",
          "6:31: compilers[3].onnxruntime: verson: unknown key, did you mean version?"));
}

TEST(StudyCompilers, AnOptionBesideOptionsIsReportedWithItsProperPlace) {
  EXPECT_THAT(problems(with_compilers("  - onnxruntime: {arena: false}")),
              ElementsAre("3:19: compilers[0].onnxruntime: arena: an option of onnxruntime; put it below options"));
}

TEST(StudyCompilers, AVersionThatNamesNoReleaseIsRefused) {
  EXPECT_THAT(problems(with_compilers("  - onnxruntime: {version: latest}\n  - openvino: {version: ../../etc}\n"
                                      "  - null: {version: 1}\n  - openvino: {options: {a: 1}}")),
              ElementsAre("3:28: compilers[0].onnxruntime.version: latest: expected a version such as 1.31.1, so that "
                          "the study can be repeated",
                          "4:25: compilers[1].openvino.version: expected a version such as 1.31.1, found ../../etc",
                          "5:21: compilers[2].null.version: null has no versions; remove this key",
                          "6:26: compilers[3].openvino.options: a: openvino has no options"));
}

TEST(StudyCompilers, InFlightIsANumberOrAutoAndAListGivesOneCompilerForEach) {
  const Study study = good(with_compilers("  - onnxruntime: {in_flight: [1, 4, auto]}"));
  EXPECT_EQ(study.compilers[0].in_flight, 1);
  EXPECT_EQ(study.compilers[1].in_flight, 4);
  EXPECT_EQ(study.compilers[2].in_flight, std::nullopt);
  EXPECT_THAT(compiler_labels(study),
              ElementsAre("onnxruntime in_flight=1", "onnxruntime in_flight=4", "onnxruntime in_flight=auto"));
  EXPECT_EQ(good(to_json(study).dump()).compilers, study.compilers);
}

TEST(StudyCompilers, InFlightOfACompilerThatRunsOneAtATimeIsRefused) {
  EXPECT_THAT(
      problems(with_compilers("  - openvino: {in_flight: auto}\n  - identity: {in_flight: 1}\n"
                              "  - onnxruntime: {in_flight: 0}")),
      ElementsAre("3:27: compilers[0].openvino.in_flight: openvino runs one inference at a time; remove this key",
                  "5:30: compilers[2].onnxruntime.in_flight: expected auto, or an integer from 1 to 1024, found "
                  "0"));
}

TEST(StudyCompilers, InstancesOfTheStudyAreAnAxisOfEveryCompilerThatDoesNotSayOtherwise) {
  const Study study =
      good(with_compilers("  - identity\n  - onnxruntime: {instances: 4}\n  - openvino\ninstances: [1, 2]"));
  EXPECT_THAT(compiler_labels(study), ElementsAre("identity instances=1", "identity instances=2", "onnxruntime",
                                                  "openvino instances=1", "openvino instances=2"));
  std::vector<int> instances;
  for (const work::Compiler& compiler : study.compilers) instances.push_back(compiler.instances);
  EXPECT_THAT(instances, ElementsAre(1, 2, 4, 1, 2));
  EXPECT_EQ(good(to_json(study).dump()).compilers, study.compilers);
}

TEST(StudyCompilers, InstancesOfACompilerAreANumberOrAListWithInferencesInFlightInEach) {
  const Study study = good(with_compilers("  - onnxruntime: {instances: [1, 3], in_flight: 2}"));
  EXPECT_THAT(compiler_labels(study), ElementsAre("onnxruntime instances=1", "onnxruntime instances=3"));
  EXPECT_EQ(study.compilers[1].instances, 3);
  EXPECT_EQ(study.compilers[1].in_flight, 2);
  EXPECT_EQ(good(with_compilers("  - onnxruntime")).compilers[0].instances, 1);
}

TEST(StudyCompilers, InstancesThatAreNoPositiveNumberAreRefused) {
  EXPECT_THAT(problems(with_compilers("  - openvino: {instances: 0}\n  - identity: {instances: auto}")),
              ElementsAre("3:27: compilers[0].openvino.instances: expected an integer from 1 to 1024, found 0",
                          "4:27: compilers[1].identity.instances: expected an integer from 1 to 1024, found auto"));
  EXPECT_THAT(problems(with_compilers("  - openvino\ninstances: [1, 0]")),
              ElementsAre("4:16: instances[1]: expected an integer from 1 to 1024, found 0"));
}

TEST(StudyCompilers, SettingsOfTheLibraryAreHandedOnWithTheirTypes) {
  const Study study = good(
      with_compilers("  - onnxruntime: {settings: {session.x: 1, mlas.y: yes, ratio: 0.5, flag: true, quoted: '1'}}"));
  EXPECT_THAT(study.compilers[0].settings,
              ElementsAre(Pair("flag", "true"), Pair("mlas.y", "\"yes\""), Pair("quoted", "\"1\""),
                          Pair("ratio", "0.5"), Pair("session.x", "1")));
  EXPECT_THAT(study.compilers[0].options, IsEmpty());
}

TEST(StudyCompilers, AListOfASettingGivesOneCompilerForEachValue) {
  const Study study = good(with_compilers("  - onnxruntime: {settings: {session.x: [0, 1]}}\n  - onnxruntime"));
  EXPECT_THAT(compiler_labels(study),
              ElementsAre("onnxruntime session.x=0", "onnxruntime session.x=1", "onnxruntime session.x=default"));
}

TEST(StudyCompilers, AStudyWithSettingsIsReadAgainAsTheSame) {
  const Study study = good(with_compilers("  - onnxruntime: {settings: {session.x: 1, mlas.y: a}}"));
  EXPECT_EQ(good(to_json(study).dump()).compilers, study.compilers);
}

TEST(StudyCompilers, ASettingThatAnOptionOrAKeySaysIsRefused) {
  EXPECT_THAT(
      problems(with_compilers("  - onnxruntime:\n"
                              "      settings:\n"
                              "        session.intra_threads: 4\n"
                              "        --Use_Arena: 0\n"
                              "        spin: 5\n"
                              "        cache: here\n")),
      ElementsAre("5:9: compilers[0].onnxruntime.settings: session.intra_threads: the key threads says this; remove it "
                  "here, and give threads instead",
                  "6:9: compilers[0].onnxruntime.settings: --Use_Arena: onnxruntime has the option arena for this; "
                  "remove it here, and give that option below options",
                  "7:9: compilers[0].onnxruntime.settings: spin: onnxruntime has the option spin for this; remove it "
                  "here, and give that option below options",
                  "8:9: compilers[0].onnxruntime.settings: cache: may not be set, because every process compiles cold; "
                  "remove it"));
}

TEST(StudyCompilers, ASettingInTwoSpellingsIsRefused) {
  EXPECT_THAT(problems(with_compilers("  - onnxruntime: {settings: {opt-level: 1, --opt_level: 2}}")),
              ElementsAre("3:44: compilers[0].onnxruntime.settings: --opt_level: the same setting as opt-level; remove "
                          "one of the two"));
}

TEST(StudyCompilers, ACompilerWithoutALibraryOfItsOwnHasNoSettings) {
  EXPECT_THAT(problems(with_compilers("  - identity: {settings: {a: 1}}")),
              ElementsAre("3:27: compilers[0].identity.settings: a: identity hands no settings on to a library; remove "
                          "it"));
  EXPECT_THAT(good(with_compilers("  - identity: {settings: {}}")).compilers[0].settings, IsEmpty());
}

TEST(StudyCompilers, ASettingsNameAndValueAreChecked) {
  EXPECT_THAT(problems(with_compilers("  - onnxruntime: {settings: {a=b: 1, c: {d: 1}, e: }}")),
              ElementsAre("3:30: compilers[0].onnxruntime.settings: a=b: expected a setting's name of at most 200 "
                          "characters, without blanks and =",
                          "3:41: compilers[0].onnxruntime.settings.c: expected a text of at most 4096 characters, a "
                          "number, true or false, found a mapping",
                          "3:52: compilers[0].onnxruntime.settings.e: expected a text of at most 4096 characters, a "
                          "number, true or false, found nothing"));
  EXPECT_THAT(problems(with_compilers("  - onnxruntime: {settings: [1]}")),
              ElementsAre("3:29: compilers[0].onnxruntime.settings: expected settings as NAME: value, found a list"));
}

TEST(StudyCompilers, SettingsBesideTheNameInsteadOfBelowItAreReported) {
  EXPECT_THAT(problems(with_compilers("  - onnxruntime:\n    version: 1.30.0")),
              ElementsAre("3:5: compilers[0]: expected one compiler with its settings indented below it"));
}

}  // namespace
}  // namespace ngb::config

// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<StudyProblem> failures(const std::filesystem::path& path) {
  auto study = load_study(path, small_vocabulary());
  return study ? std::vector<StudyProblem>{} : study.error();
}

TEST(StudyProblems, AreReportedTogetherInTheOrderOfLines) {
  EXPECT_THAT(problems("modles: [{zoo: resnet18}]\n"
                       "compilers: [openvno]\n"
                       "batch_sizes: [1, 0, 8, 8]\n"
                       "repetitions: many\n"
                       "tolerances: {absolut: 1e-4}\n"),
              ElementsAre("1:1: modles: unknown key, did you mean models?",
                          "1:1: models: the key is missing; a study must list models and compilers",
                          "2:13: compilers[0]: openvno: unknown compiler, did you mean openvino?",
                          "3:18: batch_sizes[1]: expected an integer from 1 to 65536, found 0",
                          "3:24: batch_sizes[3]: 8 is listed twice; remove one of the two",
                          "4:14: repetitions: expected auto, or an integer from 1 to 1000000, found many",
                          "5:14: tolerances: absolut: unknown key, did you mean absolute?"));
}

TEST(StudyProblems, TextNamesFileLineColumnAndKey) {
  const StudyProblem problem{"a/study.yaml", 4, 7, "compilers[1]", "openvno: unknown compiler, did you mean openvino?"};
  EXPECT_EQ(problem.text(), "a/study.yaml:4:7: compilers[1]: openvno: unknown compiler, did you mean openvino?");
  EXPECT_EQ((StudyProblem{"a/study.yaml", 0, 0, "", "no such file"}).text(), "a/study.yaml: no such file");
}

TEST(StudyProblems, OneSizeOfASampleNeedsTheOther) {
  EXPECT_THAT(problems("models: [{zoo: resnet18, raw_bytes: 150528}]\n"
                       "compilers: [identity]\n"),
              ElementsAre("1:37: models[0].raw_bytes: TCR/s needs both sizes of a sample: add encoded_bytes, or remove "
                          "this key"));
}

TEST(StudyProblems, DistinguishAMissingFileAFolderAndAnEmptyFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(failures(folder.path() / "gone.yaml").at(0).message, "no such file");
  EXPECT_EQ(failures(folder.path()).at(0).message, "a folder, expected a study file");
  EXPECT_EQ(failures(folder.write("a.yaml", "")).at(0).message,
            "the file is empty; a study must list models and compilers");
  EXPECT_EQ(failures(folder.write("b.yaml", "# later\n")).at(0).message,
            "the file is empty; a study must list models and compilers");
}

TEST(StudyProblems, AnEndlessFileIsRefused) {
  EXPECT_EQ(failures("/dev/zero").at(0).message, "cannot read: a device, not a file");
}

TEST(StudyProblems, AFifoIsRefusedAtOnce) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "study.yaml";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(failures(path).at(0).message, "cannot read: a FIFO, not a file");
}

TEST(StudyProblems, AnEmptyOutputIsReportedAsEmptyText) {
  EXPECT_THAT(problems("models: [{zoo: resnet18}]\ncompilers: [openvino]\noutput: \"\"\n"),
              ElementsAre("3:9: output: expected text, found the text \"\""));
}

TEST(StudyProblems, AZeroByteFromAnEscapeIsRefused) {
  EXPECT_THAT(problems("models: [{zoo: resnet18}]\ncompilers: [openvino]\noutput: \"a\\0b\"\n"),
              ElementsAre("3:9: a text contains a zero byte, which no name and no path may contain"));
}

TEST(StudyProblems, AHugeFileIsRefusedWithoutReadingIt) {
  const TemporaryFolder folder;
  const auto path = folder.write("huge.yaml", "x");
  std::filesystem::resize_file(path, 1ULL << 40U);  // sparse
  EXPECT_THAT(failures(path).at(0).message, HasSubstr("larger than 1048576 bytes"));
}

TEST(StudyProblems, BrokenYamlIsReportedWithItsPlace) {
  EXPECT_THAT(problems("models: [\n"), ElementsAre(HasSubstr("not valid YAML")));
  EXPECT_THAT(problems("models: a\n\tb: c\n"), ElementsAre(HasSubstr("2:1: not valid YAML")));
  EXPECT_THAT(problems("a: *nowhere\n"), ElementsAre(HasSubstr("not valid YAML")));
}

TEST(StudyProblems, ARootThatIsNotAMappingIsReported) {
  EXPECT_THAT(problems("- models\n"), ElementsAre("1:1: expected keys such as models and compilers, found a list"));
  EXPECT_THAT(problems("hello\n"), ElementsAre("1:1: expected keys such as models and compilers, found hello"));
}

TEST(StudyProblems, AKeyThatIsGivenTwiceIsReported) {
  EXPECT_THAT(problems_with("compilers: [identity]"),
              ElementsAre("3:1: compilers: the key is given twice; remove one of the two"));
  EXPECT_THAT(problems_with("timeouts: {run_s: 1, run_s: 2}"),
              ElementsAre("3:22: timeouts.run_s: the key is given twice; remove one of the two"));
}

TEST(StudyProblems, AWrongTypeIsReportedWithWhatWasExpected) {
  const std::vector<std::pair<std::string, std::string>> kCases{
      {"repetitions: \"20\"",
       "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found the text \"20\""},
      {"repetitions: 1.5", "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found 1.5"},
      {"repetitions: [20]", "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found a list"},
      {"repetitions: -1", "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found -1"},
      {"repetitions: true", "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found true"},
      {"repetitions: ~", "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found ~"},
      {"repetitions: 0x10", "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found 0x10"},
      {"repetitions: 99999999999999999999",
       "3:14: repetitions: expected auto, or an integer from 1 to 1000000, found 99999999999999999999"},
      {"batch_sizes: 1e999", "3:14: batch_sizes: expected an integer from 1 to 65536, found 1e999"},
      {"batch_sizes: []",
       "3:14: batch_sizes: expected a list of different integers from 1 to 65536, found an empty "
       "list"},
      {"min_repetition_ms: .nan", "3:20: min_repetition_ms: expected a number from 0 to 60000, found .nan"},
      {"max_transient_s: .inf", "3:18: max_transient_s: expected a number from 0 to 86400, found .inf"},
      {"warm_up: automatic", "3:10: warm_up: expected auto, or an integer from 0 to 1000000, found automatic"},
      {"precision: f23", "3:12: precision: f23: unknown value, did you mean f32?"},
      {"precision: 32", "3:12: precision: 32: unknown value, did you mean f32?"},
      {"baseline: onxruntime", "3:11: baseline: onxruntime: unknown compiler of this study, did you mean onnxruntime?"},
      {"baseline: onnxruntime@1.30.0",
       "3:11: baseline: onnxruntime@1.30.0: unknown compiler of this study, did you mean onnxruntime@1.31.1?"},
      {"baseline: tvm",
       "3:11: baseline: tvm: unknown compiler of this study, expected one of: identity, onnxruntime, "
       "onnxruntime@1.31.1"},
      {"reference: identiy", "3:12: reference: identiy: unknown compiler, did you mean identity?"},
      {"reference: none\nreference_version: 1.0", "4:20: reference_version: there is no reference; remove this key"},
      {"tolerances: 1e-3", "3:13: tolerances: expected a mapping with absolute, relative, found 1e-3"},
      {"tolerances: {absolute: -1}", "3:24: tolerances.absolute: expected a number from 0 to 1000000, found -1"},
      {"timeouts: {compile_s: 0}", "3:23: timeouts.compile_s: expected a number from 0.001 to 10000000, found 0"},
      {"memory_limit: 4 gigs",
       "3:15: memory_limit: expected bytes such as 4000000000, 4 GB or 512 MiB, from 1 MB to "
       "1000 TB, found 4 gigs"},
      {"memory_limit: 10",
       "3:15: memory_limit: expected bytes such as 4000000000, 4 GB or 512 MiB, from 1 MB to 1000 "
       "TB, found 10"},
      {"name: ../escape",
       "3:7: name: expected one line of text, at most 100 characters, without slashes, found "
       "../escape"},
      {"name: 7", "3:7: name: expected one line of text, at most 100 characters, without slashes, found 7"},
      {"stop_when: {min_repetitions: 9, max_repetitions: 3}",
       "3:50: stop_when.max_repetitions: min_repetitions 9 is more than max_repetitions 3"},
      {"stop_when: {min_repetitions: 2000}",
       "3:30: stop_when.min_repetitions: min_repetitions 2000 is more than max_repetitions 1000"},
      {"rounds: {min: 9, max: 8}", "3:23: rounds.max: min 9 is more than max 8"},
      {"rounds: {min: 16}", "3:15: rounds.min: min 16 is more than max 15"},
      {"rounds: {min: 2}", "3:15: rounds.min: expected at least 3, or `over: models`"},
      {"rounds: {over: modles}", "3:16: rounds.over: modles: unknown value, did you mean models?"},
      {"rounds: {over: models, until: decided_against_baseline}",
       "3:16: rounds.over: only `until: decided` is over models; remove over or until"},
      {"goal: {metrik: tcr_bits_per_s}", "3:8: goal: metrik: unknown key, did you mean metric?"},
      {"goal: {across: worse}", "3:16: goal.across: worse: unknown value, did you mean worst?"},
      {"goal: {on: [locall]}", "3:13: goal.on: locall: unknown device of this study, did you mean local?"},
      {"goal: {at_least: 200}", "3:18: goal.at_least: expected amounts by metric: {throughput_per_s: 200}, found 200"},
      {"goal: {at_most: {load_s: [1]}}",
       "3:26: goal.at_most.load_s: expected a text of at most 4096 characters, a number, true or false, found a list"},
      {"rounds: {until: bored}",
       "3:17: rounds.until: bored: unknown value, expected one of: decided, decided_against_baseline"},
      {"seed: !!str 5", "3:7: seed: expected an integer from 0 to 9007199254740991, found the text \"5\""},
      {"seed: !secret 5", "3:7: seed: the tag !secret has no meaning here; remove it"},
      {"? [a, b]\n: 1", "3:3: expected a word as key, found a list"},
      {"<<: 5", "3:5: <<: expected a mapping to merge, found 5"},
  };
  for (const auto& [line, problem] : kCases) EXPECT_THAT(problems_with(line), ElementsAre(problem)) << line;
}

TEST(StudyProblems, TwoMetricsAreOneTooMany) {
  EXPECT_THAT(problems("models: [{zoo: resnet18}]\n"
                       "compilers: [identity]\n"
                       "goal: {metric: tcr_bits_per_s}\n"
                       "metric: timed_peak_bytes\n"),
              ElementsAre("4:9: metric: the goal's metric is tcr_bits_per_s; remove this key"));
}

TEST(StudyProblems, RoundsOverModelsDoNotKnowTheBestOfAllDevices) {
  EXPECT_THAT(
      problems("models: [{zoo: resnet18}]\n"
               "compilers: [identity]\n"
               "devices: [local, {far: {ssh: orin.lab}}]\n"
               "goal: {across: worst}\n"
               "rounds: {over: models}\n"),
      ElementsAre("5:16: rounds.over: each device ends its rounds by its own models, so none knows the worst of "
                  "all devices; remove over, or set goal.across: each"));
}

TEST(StudyProblems, AKeyOfAnotherPlaceIsToldItsPlace) {
  const auto told = [](const std::string& text) { return problems(text).at(0); };
  EXPECT_EQ(told("models: [{zoo: resnet18}]\ncompilers: [identity]\nunreachable_s: 60\n"),
            "3:1: unreachable_s: unknown key here; it belongs in an entry of devices");
  EXPECT_EQ(told("models: [{zoo: resnet18}]\ncompilers: [identity]\nunreachable: 60\n"),
            "3:1: unreachable: unknown key here, did you mean unreachable_s in an entry of devices?");
  EXPECT_EQ(told("models: [{zoo: resnet18, batch_sizes: [1]}]\ncompilers: [identity]\n"),
            "1:26: models[0]: batch_sizes: unknown key here; it belongs in the study itself");
}

TEST(StudyProblems, AnUnknownKeyWithoutASimilarOneIsReportedWithTheListOfKeys) {
  EXPECT_THAT(
      problems_with("colour: red"),
      ElementsAre(HasSubstr("3:1: colour: unknown key, expected one of: name, models, compilers, batch_sizes")));
}

TEST(StudyProblems, AWordIsShownShortAndWithoutControlCharacters) {
  const std::string problem = problems_with("precision: \"" + std::string(5000, 'x') + "\"").at(0);
  EXPECT_LT(problem.size(), 200U);
  EXPECT_THAT(problems_with("precision: \"a\\nb\\eb\""), ElementsAre(HasSubstr("a b b: unknown value")));
}

TEST(StudyProblems, AStudyOfMoreThanAMillionProcessesIsRefused) {
  std::string sizes;
  for (int i = 1; i <= 1000; ++i) sizes += std::to_string(i) + (i < 1000 ? ", " : "");
  EXPECT_THAT(problems("models: [{zoo: {conv_block: {depth: [1, 2]}}}]\ncompilers: [identity]\nprocesses: 1000\n"
                       "batch_sizes: [" +
                       sizes + "]"),
              ElementsAre("1:1: 2000000 processes are more than 1000000; split the study"));
}

}  // namespace
}  // namespace ngb::config

// SPDX-License-Identifier: Apache-2.0
// Threads of a study, of its devices and of its compilers: a number, all or physical.
#include <nlohmann/json.hpp>

#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kModels = "models: [{zoo: resnet18}]\n";

// A machine with eight processors on four cores.
Vocabulary vocabulary_of_eight() {
  Vocabulary vocabulary = small_vocabulary();
  vocabulary.processors = {.all = 8, .physical = 4};
  return vocabulary;
}

Study on_eight(const std::string& text) {
  auto study = parse(std::string(kModels) + text, vocabulary_of_eight());
  if (study) return *std::move(study);
  for (const StudyProblem& problem : study.error()) ADD_FAILURE() << problem.text();
  return {};
}

std::vector<std::string> problems_on_eight(const std::string& text) {
  return problems(std::string(kModels) + text, vocabulary_of_eight());
}

std::vector<std::string> asked(const Study& study) {
  std::vector<std::string> words;
  for (const work::Compiler& compiler : study.compilers) words.push_back(asked_threads(compiler));
  return words;
}

TEST(StudyThreads, MayBeANumberOrAWordAndACompilersOwnComeFirst) {
  const Study study = on_eight("threads: all\ncompilers: [identity, {onnxruntime: {threads: [1, physical]}}]");
  EXPECT_THAT(asked(study), ElementsAre("all", "1", "physical"));
  EXPECT_EQ(study.compilers[0].threads, 8);
  EXPECT_EQ(study.compilers[2].threads, 4);
  EXPECT_EQ(study.compilers[2].label, "onnxruntime threads=physical");
}

TEST(StudyThreads, OfADeviceAreForCompilersWithoutTheirOwn) {
  const Study study = on_eight(
      "threads: 2\ncompilers: [identity, {openvino: {threads: 1}}]\n"
      "devices: [local, {orin: {ssh: orin, threads: all}}, {xeon: {ssh: xeon, threads: 16}}]");
  const auto there = [&](std::size_t device, std::size_t compiler) {
    return asked_threads(on_device(study, study.devices[device], study.compilers[compiler]));
  };
  EXPECT_THAT((std::vector{there(0, 0), there(1, 0), there(2, 0)}), ElementsAre("2", "all", "16"));
  EXPECT_THAT((std::vector{there(0, 1), there(1, 1), there(2, 1)}), ElementsAre("1", "1", "1"));
}

TEST(StudyThreads, AreReadBackFromTheStudysJson) {
  const std::string text =
      "threads: physical\ncompilers: [identity, {openvino: {threads: all}}]\n"
      "devices: [local, {orin: {ssh: orin, threads: 4}}]";
  const Study study = on_eight(text);
  const nlohmann::json told = to_json(study);
  EXPECT_EQ(told["threads"], "physical");
  EXPECT_EQ(told["compilers"][1]["openvino"]["threads"], "all");
  const auto again = parse(told.dump(), vocabulary_of_eight());
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), told);
  EXPECT_EQ(asked_threads(on_device(*again, again->devices[1], again->compilers[0])), "4");
}

TEST(StudyThreads, OfAnotherWordAreAProblem) {
  EXPECT_THAT(problems_on_eight("threads: most\ncompilers: [identity]"),
              ElementsAre("2:10: threads: expected all, physical, or an integer from 1 to 4096, found most"));
}

TEST(StudyThreads, BeyondThisMachineAreAProblemThatNamesTheirLine) {
  EXPECT_THAT(problems_on_eight("compilers: [identity]\nthreads: 9"),
              ElementsAre("3:10: threads: 9 threads are more than the 8 processors that local lets a process use; give "
                          "at most 8, or all"));
  EXPECT_THAT(problems_on_eight("compilers:\n  - identity\n  - openvino: {threads: [8, 64]}"),
              ElementsAre("4:25: compilers[1].openvino.threads: 64 threads are more than the 8 processors that local "
                          "lets a process use; give at most 8, or all"));
}

TEST(StudyThreads, OfAllInstancesBeyondThisMachineAreAProblemThatNamesTheKeyAndTheNumbers) {
  EXPECT_THAT(
      problems_on_eight("compilers: [identity]\nthreads: 4\ninstances: [1, 2, 3]"),
      ElementsAre("4:12: instances: 3 instances of 4 threads need 12 processors, more than the 8 that local lets "
                  "a process use; give fewer instances or threads"));
  EXPECT_THAT(problems_on_eight("compilers:\n  - identity\n  - openvino: {instances: [2, 9]}"),
              ElementsAre("4:27: compilers[1].openvino.instances: 9 instances of 1 thread need 9 processors, more than "
                          "the 8 that local lets a process use; give fewer instances or threads"));
}

TEST(StudyThreads, GivenByAWordAreSharedOutAmongTheInstances) {
  const Study study =
      on_eight("threads: all\ninstances: [1, 2]\ncompilers: [identity, {openvino: {threads: physical}}]");
  std::vector<int> threads;
  for (const work::Compiler& compiler : study.compilers) threads.push_back(compiler.threads);
  EXPECT_THAT(threads, ElementsAre(8, 4, 4, 2));
  EXPECT_THAT(
      problems_on_eight("threads: all\ninstances: 9\ncompilers: [identity]"),
      ElementsAre("3:12: instances: 9 instances of 1 thread need 9 processors, more than the 8 that local lets a "
                  "process use; give fewer instances or threads"));
}

TEST(StudyThreads, OfDevicesElsewhereAreNotComparedWithThisMachine) {
  EXPECT_THAT(problems_on_eight("compilers: [identity]\nthreads: 64\ndevices: [{xeon: {ssh: xeon}}]"), IsEmpty());
  EXPECT_THAT(problems_on_eight("compilers: [identity, {openvino: {threads: 64}}]\n"
                                "devices: [local, {xeon: {ssh: xeon}}]\npairs: {local: [identity]}"),
              IsEmpty());
}

// The eight are two cores for performance of two processors each, and four for efficiency, all on one node.
Vocabulary hybrid_vocabulary() {
  Vocabulary vocabulary = vocabulary_of_eight();
  using enum ProcessorKind;
  vocabulary.processors->each = {{0, 0, 0, performance}, {1, 0, 0, performance}, {2, 2, 0, performance},
                                 {3, 2, 0, performance}, {4, 4, 0, efficiency},  {5, 5, 0, efficiency},
                                 {6, 6, 0, efficiency},  {7, 7, 0, efficiency}};
  return vocabulary;
}

Study on_hybrid(const std::string& text) {
  auto study = parse(std::string(kModels) + text, hybrid_vocabulary());
  if (study) return *std::move(study);
  for (const StudyProblem& problem : study.error()) ADD_FAILURE() << problem.text();
  return {};
}

std::vector<std::string> problems_on_hybrid(const std::string& text) {
  return problems(std::string(kModels) + text, hybrid_vocabulary());
}

std::vector<std::string> processors_of_each(const Study& study) {
  std::vector<std::string> words;
  for (const work::Compiler& compiler : study.compilers) words.push_back(compiler.processors);
  return words;
}

TEST(StudyProcessors, AreAnAxisOfTheStudyAndOfACompiler) {
  const Study study = on_hybrid(
      "processors: [[0, 2], performance, efficiency]\ncompilers: [identity, {openvino: {processors: [2, 0, 1]}}]");
  EXPECT_THAT(processors_of_each(study), ElementsAre("0,2", "performance", "efficiency", "0-2"));
  EXPECT_EQ(study.compilers[0].label, "identity processors=0,2");
  EXPECT_EQ(study.compilers[3].label, "openvino");
  EXPECT_THAT(processors_of_each(on_hybrid("compilers: [{openvino: {processors: [all, one_per_core]}}]")),
              ElementsAre("all", "one_per_core"));
  EXPECT_THAT(processors_of_each(on_hybrid("processors: numa:0 memory:interleave\ncompilers: [identity]")),
              ElementsAre("numa:0 memory:interleave"));
  EXPECT_THAT(processors_of_each(on_hybrid("compilers: [identity]")), ElementsAre("auto"));
}

TEST(StudyProcessors, SayHowManyThreadsAWordMeans) {
  const Study study = on_hybrid(
      "processors: performance\nthreads: all\ncompilers: [identity, {openvino: {threads: physical}}, "
      "{onnxruntime: {processors: efficiency, instances: 2}}]");
  EXPECT_EQ(study.compilers[0].threads, 4);
  EXPECT_EQ(study.compilers[1].threads, 2);
  EXPECT_EQ(study.compilers[2].threads, 2) << "of each instance";
}

TEST(StudyProcessors, AreReadBackFromTheStudysJson) {
  const Study study = on_hybrid("processors: [[0, 2], all]\ncompilers: [identity, {openvino: {processors: 3}}]");
  const Study again = good(to_json(study).dump());
  EXPECT_THAT(processors_of_each(again), ElementsAre("0,2", "all", "3"));
}

TEST(StudyProcessors, ThatAreNotThereOrTooFewAreRefusedWithWhatToWrite) {
  EXPECT_THAT(
      problems_on_hybrid("processors: [0, 9]\ncompilers: [identity]"),
      ElementsAre("2:13: processors: processor 9 does not exist, or a process may not use it; list some of 0-7, "
                  "or write all"));
  EXPECT_THAT(
      problems_on_hybrid("compilers:\n  - openvino: {processors: 'numa:1'}"),
      ElementsAre("3:28: compilers[0].openvino.processors: node 1 has no processor that a process may use; name "
                  "one of the nodes 0, or write all"));
  EXPECT_THAT(
      problems_on_hybrid("threads: 3\nprocessors: [0, 2]\ncompilers: [identity]"),
      ElementsAre("3:13: processors: 3 threads need 3 processors, and 0,2 means 2 here: 0,2; give fewer threads "
                  "or instances, or more processors"));
}

TEST(StudyProcessors, OfOtherFormsAreRefusedWithTheFormsThatThereAre) {
  constexpr const char* kForms =
      "expected processors such as [0, 2, 4], numa:0, performance, efficiency, one_per_core, all or auto, with "
      "memory:0 "
      "or memory:interleave behind them or without, found ";
  EXPECT_THAT(problems_on_hybrid("processors: p-cores\ncompilers: [identity]"),
              ElementsAre(std::string("2:13: processors: ") + kForms + "p-cores"));
  EXPECT_THAT(problems_on_hybrid("processors: [all, all]\ncompilers: [identity]"),
              ElementsAre("2:19: processors[1]: \"all\" is listed twice; remove one of the two"));
}

}  // namespace
}  // namespace ngb::config

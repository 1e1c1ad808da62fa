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

}  // namespace
}  // namespace ngb::config

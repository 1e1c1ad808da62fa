// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using work::LoadKind;
using work::LoadPlace;

std::vector<std::string> names_of(std::string_view line) {
  std::vector<std::string> names;
  for (const work::Load& load : good_with(line).loads) names.push_back(load.name);
  return names;
}

TEST(Loads, AreNoneIfTheStudySaysNothing) {
  EXPECT_THAT(good(kSmallest).loads, ElementsAre(work::Load{}));
  EXPECT_EQ(work::Load{}.name, "none");
}

TEST(Loads, HaveTheNamesByWhichTheStudySaysThem) {
  EXPECT_THAT(names_of("loads: [none, {cpu: 1}, {cpu: 50%}, {memory: 4 GB/s}, {command: \"stress-ng --cpu 1\"}]"),
              ElementsAre("none", "cpu: 1", "cpu: 50%", "memory: 4 GB/s", "command: stress-ng --cpu 1"));
}

TEST(Loads, HaveOneNameForEachMeaning) {
  EXPECT_THAT(names_of("loads: [{cpu: 100%}, {cpu: 1.5}, {cpu: 2.5 %}, {memory: 1500 MB/s}, {memory: 900 B/s}]"),
              ElementsAre("cpu: 1", "cpu: 150%", "cpu: 2.5%", "memory: 1.5 GB/s", "memory: 900 B/s"));
  EXPECT_THAT(
      names_of("loads: [{cpu: 1, processors: cell}, {cpu: 1, processors: others}, {cpu: 2, processors: [3, 1]}, "
               "{command: x, wait_s: 1}, {command: x, wait_s: 2.5, processors: cell}]"),
      ElementsAre("cpu: 1", "cpu: 1, processors: others", "cpu: 2, processors: [1,3]", "command: x",
                  "command: x, processors: cell, wait_s: 2.5"));
}

TEST(Loads, RunWhereTheirKindRunsIfTheStudyDoesNotSay) {
  const auto loads = good_with("loads: [{cpu: 0.5}, {memory: 2 GiB/s}, {command: \"./serve\", wait_s: 3}]").loads;
  ASSERT_EQ(loads.size(), 3U);
  EXPECT_EQ(loads[0].kind, LoadKind::cpu);
  EXPECT_EQ(loads[0].processors, 0.5);
  EXPECT_EQ(loads[0].place, LoadPlace::cell);
  EXPECT_EQ(loads[1].bytes_per_s, 2147483648.0);
  EXPECT_EQ(loads[1].place, LoadPlace::others);
  EXPECT_EQ(loads[2].command, "./serve");
  EXPECT_EQ(loads[2].place, LoadPlace::all);
  EXPECT_EQ(loads[2].wait_s, 3);
}

TEST(Loads, AreReadAgainFromTheRecordedStudy) {
  const Study study = good_with(
      "loads: [none, {cpu: 1.25}, {cpu: 3, processors: [4, 2, 0]}, {memory: 0.5 GB/s}, {command: a, wait_s: 0.5}]");
  EXPECT_EQ(good(to_json(study).dump()).loads, study.loads);
  EXPECT_EQ(
      to_json(study)["loads"].dump(),
      R"(["none",{"cpu":"125%"},{"cpu":3,"processors":[0,2,4]},{"memory":"500 MB/s"},{"command":"a","wait_s":0.5}])");
}

TEST(Loads, ProblemsNameTheKeyAndTheLine) {
  EXPECT_THAT(problems_with("loads: none"),
              ElementsAre("3:8: loads: expected a list such as [none, {cpu: 1}], found none"));
  EXPECT_THAT(problems_with("loads: []"),
              ElementsAre("3:8: loads: expected a list such as [none, {cpu: 1}], found an empty list"));
  EXPECT_THAT(problems_with("loads: [idle]"),
              ElementsAre("3:9: loads[0]: expected none, or a load such as {cpu: 1}, found idle"));
  EXPECT_THAT(problems_with("loads: [{cpus: 1}]"),
              ElementsAre("3:9: loads[0]: it does not say what runs; give one of cpu, memory, command",
                          "3:10: loads[0]: cpus: unknown key, did you mean cpu?"));
  EXPECT_THAT(
      problems_with("loads: [{cpu: 1, memory: 1 GB/s}]"),
      ElementsAre("3:9: loads[0]: cpu and memory are two loads; write an entry for each, or a command that does "
                  "both"));
  EXPECT_THAT(
      problems_with("loads: [{cpu: half}]"),
      ElementsAre("3:15: loads[0].cpu: expected a number of processors such as 1, or a share of one such as 50%, "
                  "found half"));
  EXPECT_THAT(problems_with("loads: [{cpu: 0}]"),
              ElementsAre("3:9: loads[0].cpu: expected more than 0; for no load write none"));
  EXPECT_THAT(problems_with("loads: [{memory: 4 GB}]"),
              ElementsAre("3:18: loads[0].memory: expected bytes per second such as 4 GB/s or 500 MB/s, found 4 GB"));
  EXPECT_THAT(problems_with("loads: [{cpu: 1}, none, {cpu: 100%}]"),
              ElementsAre("3:25: loads[2]: cpu: 1 is listed twice; remove one of the two"));
  EXPECT_THAT(problems_with("loads: [{cpu: 1, wait_s: 2}]"),
              ElementsAre("3:26: loads[0].wait_s: cpu says itself when it has begun; only a command has wait_s"));
  EXPECT_THAT(problems_with("loads: [{cpu: 1, processors: mine}]"),
              ElementsAre("3:30: loads[0].processors: mine: unknown value, expected one of: cell, others, all"));
  EXPECT_THAT(problems_with("loads: [{cpu: 1, processors: [1, 1]}]"),
              ElementsAre("3:30: loads[0].processors: processor 1 is listed twice; remove one of the two"));
}

}  // namespace
}  // namespace ngb::config

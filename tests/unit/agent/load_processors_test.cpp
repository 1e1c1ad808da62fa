// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/load_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::agent {
namespace {

using testing::ElementsAre;
using work::LoadKind;
using work::LoadPlace;

const std::vector<int> kFour{0, 1, 2, 3};

work::Load cpu(double processors, LoadPlace place = LoadPlace::cell) {
  return {.kind = LoadKind::cpu, .processors = processors, .place = place, .name = "cpu: x"};
}

TEST(ProcessorsOfALoad, AreTheCellsFirstAndThenTheOthers) {
  EXPECT_THAT(*processors_of(cpu(1), kFour, {2, 3}), ElementsAre(2));
  EXPECT_THAT(*processors_of(cpu(0.5), kFour, {2, 3}), ElementsAre(2));
  EXPECT_THAT(*processors_of(cpu(2.5), kFour, {2, 3}), ElementsAre(2, 3, 0));
}

TEST(ProcessorsOfALoad, AreThoseThatTheStudySays) {
  EXPECT_THAT(*processors_of(cpu(1, LoadPlace::others), kFour, {2, 3}), ElementsAre(0));
  EXPECT_THAT(*processors_of({.kind = LoadKind::memory, .place = LoadPlace::others}, kFour, {3}), ElementsAre(0, 1, 2));
  EXPECT_THAT(*processors_of({.kind = LoadKind::command, .place = LoadPlace::all}, kFour, {3}),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(*processors_of({.kind = LoadKind::command, .place = LoadPlace::cell}, kFour, {3}), ElementsAre(3));
  EXPECT_THAT(*processors_of({.kind = LoadKind::cpu, .processors = 1, .place = LoadPlace::listed, .listed = {1, 3}},
                             kFour, {3}),
              ElementsAre(1));
}

TEST(ProcessorsOfALoad, OfMemoryAreTheCellsIfThereAreNoOthers) {
  EXPECT_THAT(*processors_of({.kind = LoadKind::memory, .place = LoadPlace::others}, {0, 1}, {0, 1}),
              ElementsAre(0, 1));
}

TEST(ProcessorsOfALoad, AreRefusedIfThereAreTooFew) {
  const auto refused = [](const work::Load& load, const std::vector<int>& of_cell) {
    const auto cpus = processors_of(load, kFour, of_cell);
    return cpus ? "accepted" : cpus.error().text();
  };
  EXPECT_EQ(refused(cpu(5), {3}),
            "loads: cpu: x: it needs 5 processors, and may run on 4 here: 3, 0, 1, 2; ask for less, or leave the load "
            "out on this device");
  EXPECT_EQ(refused(cpu(1, LoadPlace::others), kFour),
            "loads: cpu: x: the cell's inference uses all 4 processors that the study may use here; give the compilers "
            "fewer threads, or leave out processors: others");
  EXPECT_EQ(refused({.kind = LoadKind::memory, .place = LoadPlace::listed, .listed = {1, 9}, .name = "memory: x"}, {3}),
            "loads: memory: x: processor 9 is none of those that the study may use here: 0, 1, 2, 3; list others below "
            "processors");
}

}  // namespace
}  // namespace ngb::agent

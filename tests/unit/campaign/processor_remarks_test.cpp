// SPDX-License-Identifier: Apache-2.0
#include "campaign/processor_remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ngb::campaign {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two cores for performance of two processors each, and two for efficiency.
std::vector<LogicalProcessor> hybrid() {
  using enum ProcessorKind;
  return {{0, 0, 0, performance}, {1, 0, 0, performance}, {2, 2, 0, performance},
          {3, 2, 0, performance}, {4, 4, 0, efficiency},  {5, 5, 0, efficiency}};
}

plan::Plan plan_of(const std::vector<work::Compiler>& compilers) {
  plan::Plan plan;
  plan.study.devices = {{.name = "local", .kind = config::kLocal}};
  plan.compilers = compilers;
  for (std::size_t i = 0; i < compilers.size(); ++i)
    plan.cells.push_back({.device = "local", .compiler_index = static_cast<int>(i)});
  return plan;
}

// Finds that the first two of the processors share a core.
std::optional<probe::SharedCore> first_two_share(const std::vector<int>& processors) {
  return probe::SharedCore{processors[0], processors[1], 0.52};
}
std::optional<probe::SharedCore> none_share(const std::vector<int>& /*processors*/) { return std::nullopt; }

TEST(ProcessorRemarks, SayWhichProcessorsAStudysWordsMeanHere) {
  const auto plan = plan_of({{.name = "a", .processors = "performance"}, {.name = "a", .processors = "efficiency"}});
  EXPECT_THAT(processor_remarks(plan, hybrid(), none_share),
              ElementsAre("efficiency: processors 4-5 of this machine", "performance: processors 0-3 of this machine",
                          "processors 0 and 1 share a core; for a thread on each core, a study says processors: "
                          "one_per_core"));
}

TEST(ProcessorRemarks, SayThatARentedMachineHidesASharedCore) {
  const auto plan = plan_of({{.name = "a", .threads = 2}});
  EXPECT_THAT(
      processor_remarks(plan, {{0, 0}, {1, 1}}, first_two_share),
      ElementsAre("processors 0 and 1 share a core, though the machine shows two: while both compute, the faster "
                  "one has 52 % of its speed; for a thread on each core, a study lists its processors without "
                  "1"));
}

TEST(ProcessorRemarks, AreNoneWhereEachCellHasOneProcessorOrCoresOfItsOwn) {
  EXPECT_THAT(processor_remarks(plan_of({{.name = "a"}, {.name = "b", .processors = "1"}}), hybrid(), first_two_share),
              IsEmpty());
  EXPECT_THAT(processor_remarks(plan_of({{.name = "a", .threads = 2}}), {{0, 0}, {1, 1}}, none_share), IsEmpty());
}

}  // namespace
}  // namespace ngb::campaign

// SPDX-License-Identifier: Apache-2.0
#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;

TEST(Turns, AreOneIfTheStudySaysNothing) {
  EXPECT_EQ(good(kSmallest).protocol.turns, 1);
  EXPECT_EQ(good_with("turns: 20").protocol.turns, 20);
}

TEST(Turns, AreRefusedWhereSomethingElseRunsBesideAProcess) {
  const std::string study = "models: [{zoo: resnet18}]\ncompilers: [openvino]\nturns: 5\n";
  EXPECT_THAT(problems(study + "arrivals: {requests_per_s: 10}\n"),
              ElementsAre("3:8: turns: processes under arrivals cannot take turns; remove arrivals or turns"));
  EXPECT_THAT(problems(study + "loads: [{cpu: 1}]\n"),
              ElementsAre("3:8: turns: processes under a load cannot take turns; remove loads or turns"));
  EXPECT_THAT(
      problems(study + "instances: 2\n"),
      ElementsAre("3:8: turns: several instances run together and cannot take turns; remove instances or turns"));
}

}  // namespace
}  // namespace ngb::config

// SPDX-License-Identifier: Apache-2.0
#include "config/turns.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;

TEST(Turns, AreTwentyIfTheStudySaysNothing) {
  EXPECT_EQ(good(kSmallest).protocol.turns, 20);
  EXPECT_EQ(good_with("turns: 5").protocol.turns, 5);
  EXPECT_EQ(good_with("turns: 1").protocol.turns, 1);
}

TEST(Turns, AreOneWhereSomethingElseRunsBesideAProcess) {
  EXPECT_EQ(good_with("arrivals: {requests_per_s: 10}").protocol.turns, 1);
  EXPECT_EQ(good_with("loads: [{cpu: 1}]").protocol.turns, 1);
  EXPECT_EQ(good_with("instances: 2").protocol.turns, 1);
}

TEST(Turns, AreOneInThePaper) {
  EXPECT_EQ(good_with("protocol: paper").protocol.turns, 1);
  EXPECT_EQ(good_with("protocol: paper").protocol.processes, 5);
  EXPECT_EQ(good_with("protocol: paper").protocol.repetitions, 20);
  EXPECT_EQ(good_with("protocol: turns").protocol.turns, 20);
  EXPECT_THAT(problems("models: [{zoo: resnet18}]\ncompilers: [openvino]\nturns: 5\nprotocol: paper\n"),
              ElementsAre("3:8: turns: the paper's processes run one after the other; remove turns or protocol"));
}

TEST(Turns, AreLeftOpenOnlyByAStudyThatSaysNothing) {
  EXPECT_TRUE(leaves_turns_open(good(kSmallest)));
  EXPECT_FALSE(leaves_turns_open(good_with("turns: 20")));
  EXPECT_FALSE(leaves_turns_open(good_with("protocol: paper")));
  EXPECT_FALSE(leaves_turns_open(good_with("loads: [{cpu: 1}]")));
}

// As a command makes one: written with every default, and with keys of its own.
TEST(Turns, YieldInAStudyThatACommandHasMadeOfOneInTurns) {
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"arrivals", {{"requests_per_s", 10}}},
                                   {"loads", {{{"cpu", 1}}}},
                                   {"instances", 2}}) {
    nlohmann::json study = to_json(good(kSmallest));
    EXPECT_EQ(study["turns"], 20);
    study[key] = value;
    const auto made = read_study(study.dump(), "made.json", small_vocabulary(), Author::command);
    ASSERT_TRUE(made) << made.error().front().text();
    EXPECT_EQ(made->protocol.turns, 1) << key;
    EXPECT_FALSE(read_study(study.dump(), "users.json", small_vocabulary())) << key;
  }
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

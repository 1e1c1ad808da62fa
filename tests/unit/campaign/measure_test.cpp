// SPDX-License-Identifier: Apache-2.0
#include "campaign/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "made_up_campaign.h"

namespace ngb::campaign::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Pair;

TEST_F(Campaign, MeasuresAPlanAndRecordsEachProcess) {
  const auto ending = run(planned(study(3)));
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(*ending, Ending::finished);
  EXPECT_THAT(notes_.runs, ElementsAre(Pair(0, 3)));
  EXPECT_THAT(notes_.finished, ElementsAre(0, 1, 2));
  EXPECT_EQ(notes_.ended, 1);
  EXPECT_THAT(notes_.said, IsEmpty());
  const auto measured = cells();
  ASSERT_EQ(measured.size(), 1U);
  EXPECT_EQ(measured[0].of.compiler.label, "null");
  EXPECT_EQ(measured[0].processes.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "results/study.json"));
}

TEST_F(Campaign, HasNothingLeftToDoTheSecondTime) {
  ASSERT_TRUE(run(planned(study(1))));
  EXPECT_EQ(run(planned(study(1))), Ending::finished);
  EXPECT_EQ(notes_.said, "ngb: nothing left to measure; to measure it anew, run: ngb run --again\n");
  EXPECT_EQ(notes_.finished.size(), 1U);
}

TEST_F(Campaign, ResumesWhereItWasStopped) {
  constexpr int kProcesses = 4;
  const nlohmann::json slow = study(kProcesses, {{"compile_ns", 500'000'000}});
  notes_.stops_after_a_process = true;
  EXPECT_EQ(run(planned(slow)), Ending::stopped);
  const int done = static_cast<int>(cells().at(0).processes.size());
  EXPECT_THAT(done, AllOf(Ge(1), Le(kProcesses - 1)));
  notes_ = {};
  EXPECT_EQ(run(planned(slow)), Ending::finished);
  EXPECT_THAT(notes_.runs, ElementsAre(Pair(done, kProcesses)));
  EXPECT_EQ(notes_.finished.size(), static_cast<std::size_t>(kProcesses - done)) << "nothing was measured twice";
  EXPECT_EQ(cells().at(0).processes.size(), static_cast<std::size_t>(kProcesses));
}

TEST_F(Campaign, EndsWhenItsTimeIsUp) {
  const nlohmann::json endless = study(1, {{"fault", "hang"}});
  EXPECT_EQ(run(planned(endless), system_clock().now()), Ending::out_of_time);
  EXPECT_THAT(cells().at(0).processes, IsEmpty());
  notes_.is_stopped = true;
  EXPECT_EQ(run(planned(endless), system_clock().now()), Ending::stopped) << "the user was quicker";
}

TEST_F(Campaign, RecordsWhyACellFailedAndFinishes) {
  EXPECT_EQ(run(planned(study(2, {{"fault", "error"}, {"fault_phase", "compile"}}))), Ending::finished);
  EXPECT_THAT(notes_.remarks.at(0), HasSubstr("conv_block"));
  EXPECT_THAT(notes_.remarks.at(0), HasSubstr(" in compile: "));
  EXPECT_THAT(notes_.finished, IsEmpty());
  EXPECT_EQ(notes_.will_not_run, 2);
  const auto failed = cells();
  ASSERT_FALSE(failed.at(0).failed.empty());
  EXPECT_EQ(failed[0].failed[0].failure->phase, samples::Phase::compile);
}

TEST_F(Campaign, ReturnsTheReasonOfADeviceThatFailsAndKeepsWhatIsThere) {
  ASSERT_TRUE(run(planned(study(1))));
  installation_.parts.agent = folder_.write("ngb-agent", "#!/bin/sh\necho 'cannot map memory' >&2\nexit 9");
  std::filesystem::permissions(installation_.parts.agent, std::filesystem::perms::owner_all);
  nlohmann::json more = study(1);
  more["batch_sizes"] = {1, 2};
  const auto ending = run(planned(more));
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().text(), HasSubstr("cannot map memory"));
  EXPECT_EQ(notes_.ended, 2) << "the run is over for whoever watches it";
  EXPECT_EQ(cells().at(0).processes.size(), 1U);
}

TEST_F(Campaign, DoesNotReplaceAStudyThatItHasNotWritten) {
  folder_.write("results/study.json", R"({"models": ["mine"]})");
  const auto ending = run(planned(study(1)));
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().what, "this file is not one that ngb has written, and would be replaced");
  EXPECT_EQ(file::read(folder_ / "results/study.json").value(), R"({"models": ["mine"]})");
}

TEST_F(Campaign, FetchesOnlyFromARunThatIsActive) {
  ASSERT_TRUE(run(planned(study(1))));
  plan::Plan plan = planned(study(1));
  const auto compilers = Compilers::find(installation_, plan);
  const auto fetched = measure(installation_, {.plan = std::move(plan), .only_fetch = true}, *compilers, notes_);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().what, "no run is active");
}

// A command with one question must not answer it from two different contents.
TEST_F(Campaign, OfOneQuestionRefusesResultsOfAnotherModel) {
  ASSERT_TRUE(run(planned(study(1))));
  nlohmann::json other = study(1);
  other["seed"] = 8;
  const plan::Plan plan = planned(other);
  const auto compilers = Compilers::find(installation_, plan);
  const auto answer = measure_plan(installation_, plan, *compilers, notes_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Refusal::Kind::cannot_go_on);
  EXPECT_THAT(answer.error().text, HasSubstr("what was measured there has changed since: conv_block"));
}

TEST_F(Campaign, OfOneQuestionHasNoAnswerWhenItIsStoppedAndOneWhenItsBudgetIsUsedUp) {
  const plan::Plan plan = planned(study(1, {{"fault", "hang"}}));
  const auto compilers = Compilers::find(installation_, plan);
  EXPECT_TRUE(measure_plan(installation_, plan, *compilers, notes_, Nanoseconds(1)));
  notes_.is_stopped = true;
  const auto stopped = measure_plan(installation_, plan, *compilers, notes_);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, Refusal::Kind::interrupted);
  EXPECT_EQ(stopped.error().text, "ngb: stopped; the results so far are kept\n");
}

TEST_F(Campaign, OfAStudyWithFaultsListsThemAll) {
  nlohmann::json wrong = study(1);
  wrong["processes"] = 0;
  wrong["compilers"] = {"nul"};
  const auto plan = plan_made_study(installation_, wrong, saying(notes_));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, Refusal::Kind::wrong_usage);
  EXPECT_THAT(plan.error().text, AllOf(HasSubstr("processes"), HasSubstr("null"), HasSubstr("nothing was run\n")));
}

TEST_F(Campaign, KeepsNothingInACacheThatOthersMayWriteTo) {
  const std::filesystem::path folder = installation_.cache.make("").value();
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  EXPECT_TRUE(usable_cache(installation_, saying(notes_)).is_none());
  EXPECT_TRUE(trusted_cache(installation_).is_none());
  EXPECT_THAT(notes_.said, HasSubstr("the cache is not used, because other users may write there"));
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  EXPECT_EQ(usable_cache(installation_, saying(notes_)).path(), installation_.cache.path());
}

}  // namespace
}  // namespace ngb::campaign::test

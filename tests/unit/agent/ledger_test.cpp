// SPDX-License-Identifier: Apache-2.0
#include "agent/ledger.h"

#include <gtest/gtest.h>

namespace ngb::agent {
namespace {

using samples::FailureKind;

samples::Event result(const std::string& cell, int process, int attempt, std::optional<FailureKind> kind = {}) {
  samples::ProcessResult body;
  body.cell_id = cell;
  body.process_index = process;
  body.attempt = attempt;
  if (kind) {
    body.failure.emplace();
    body.failure->kind = *kind;
  }
  return {1, body};
}

TEST(Ledger, BeginsWithTheFirstAttempt) { EXPECT_EQ(Ledger({.attempts = 2}).next_attempt("a", 0), 1); }

TEST(Ledger, RunsACompletedProcessNoMore) {
  Ledger ledger({.attempts = 2});
  ledger.add(result("a", 0, 1));
  EXPECT_EQ(ledger.next_attempt("a", 0), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("a", 1), 1);
}

TEST(Ledger, TriesAgainAfterAFailureThatIsWorthIt) {
  Ledger ledger({.attempts = 3});
  ledger.add(result("a", 0, 1, FailureKind::crash));
  EXPECT_EQ(ledger.next_attempt("a", 0), 2);
  ledger.add(result("a", 0, 2, FailureKind::timeout));
  EXPECT_EQ(ledger.next_attempt("a", 0), 3);
}

TEST(Ledger, SkipsTheRestOfACellAfterItsLastAttempt) {
  Ledger ledger({.attempts = 2});
  ledger.add(result("a", 0, 1, FailureKind::crash));
  ledger.add(result("a", 0, 2, FailureKind::crash));
  EXPECT_EQ(ledger.next_attempt("a", 0), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("a", 1), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("b", 0), 1);
}

TEST(Ledger, SkipsTheRestOfACellAtOnceAfterAFailureThatWouldRepeat) {
  Ledger ledger({.attempts = 5});
  ledger.add(result("a", 2, 1, FailureKind::unsupported_operator));
  EXPECT_EQ(ledger.next_attempt("a", 3), std::nullopt);
}

TEST(Ledger, GivesUpADisturbedProcessAfterAttemptsOfItsOwnAndRunsTheOthersOfItsCell) {
  Ledger ledger({.attempts = 1, .disturbance = {.attempts = 2}});
  ledger.add(result("a", 0, 1, FailureKind::disturbed));
  EXPECT_EQ(ledger.next_attempt("a", 0), 2);
  ledger.add(result("a", 0, 2, FailureKind::disturbed));
  EXPECT_EQ(ledger.next_attempt("a", 0), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("a", 1), 1);
}

TEST(Ledger, TriesAgainCellsWhoseToolchainOrReferenceAnotherJobMayHave) {
  Ledger ledger({.attempts = 2});
  ledger.add(result("cured", 0, 2, FailureKind::toolchain_missing));
  ledger.add(result("still missing", 0, 2, FailureKind::toolchain_missing));
  ledger.add(result("no reference", 0, 2, FailureKind::no_reference));
  ledger.add(result("inaccurate", 0, 1, FailureKind::inaccurate));
  ledger.add(result("measured", 0, 1));
  ledger.add({6, samples::Finished{}});
  ledger.begin_other_job([](const std::string& cell, FailureKind) { return cell == "still missing"; });
  EXPECT_FALSE(ledger.is_finished());
  EXPECT_EQ(ledger.next_attempt("cured", 0), 1);
  EXPECT_EQ(ledger.next_attempt("no reference", 0), 1);
  for (const char* cell : {"still missing", "inaccurate", "measured"}) {
    EXPECT_EQ(ledger.next_attempt(cell, 0), std::nullopt) << cell;
  }
}

TEST(Ledger, DoesNotTryAgainWhatTheJobSaysIsStillMissing) {
  work::Job job;
  job.reference.emplace();
  job.compilers = {{.name = "here"}, {.name = "gone"}};
  job.places = {{}, {.compiler = "here"}, {.compiler = "gone", .why_missing = "no network"}};
  job.models = {{{.key = {"m"}}}, {{.key = {"n"}}}};
  job.given_references = {{.model_index = 1, .why_not = "no PyTorch"}};
  job.cells = {{"a", "", 0, 0}, {"b", "", 1, 1}};
  const StillMissing still_missing(job);
  EXPECT_FALSE(still_missing("a", FailureKind::toolchain_missing));
  EXPECT_FALSE(still_missing("a", FailureKind::no_reference));
  EXPECT_TRUE(still_missing("b", FailureKind::toolchain_missing));
  EXPECT_TRUE(still_missing("b", FailureKind::no_reference));
}

TEST(Ledger, IgnoresAnEndThatHasAnEventAfterIt) {
  Ledger ledger({.attempts = 1});
  ledger.add({1, samples::Finished{}});
  ledger.add(result("a", 0, 1));
  EXPECT_FALSE(ledger.is_finished());
}

samples::Event made_with(samples::Event event, const std::string& worker, const std::string& environment) {
  auto& body = std::get<samples::ProcessResult>(event.body);
  body.made_with.worker_sha256 = worker;
  body.environment_hash = environment;
  return event;
}

samples::Origin origin(const std::string& worker, const std::string& environment, const std::string& model = {}) {
  return {samples::Provenance{.worker_sha256 = worker}.build(), model, environment};
}

TEST(Ledger, RepeatsEveryProcessOfACellMeasuredInPartWithAnotherBuild) {
  Ledger ledger({.attempts = 1}, 3);
  ledger.add(made_with(result("a", 0, 1), "old", "here"));
  EXPECT_EQ(ledger.next_attempt("a", 0, origin("old", "here")), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("a", 0, origin("new", "here")), 1);
  EXPECT_EQ(ledger.other_build("a", origin("new", "here").build_sha256)->worker_sha256, "old");
  EXPECT_EQ(ledger.other_build("a", origin("old", "here").build_sha256), nullptr);
}

TEST(Ledger, RepeatsEveryProcessOfACellMeasuredInPartInAnotherEnvironment) {
  Ledger ledger({.attempts = 1}, 2);
  ledger.add_completed({{.worker_sha256 = "w"}, "there", {{"part", {0}}, {"whole", {0, 1}}}});
  EXPECT_EQ(ledger.next_attempt("part", 0, origin("w", "here")), 1);
  EXPECT_EQ(ledger.next_attempt("whole", 0, origin("w", "here")), std::nullopt) << "it is complete there";
  EXPECT_EQ(ledger.next_attempt("part", 0, origin("w", "there")), std::nullopt);
}

TEST(Ledger, ComparesTheModelFileAsSoonAsItIsKnown) {
  Ledger ledger({.attempts = 1}, 3);
  ledger.add_completed({{.worker_sha256 = "w", .model_sha256 = "m"}, "here", {{"a", {0}}}});
  EXPECT_EQ(ledger.next_attempt("a", 0, origin("w", "here")), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("a", 0, origin("w", "here", "m")), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("a", 0, origin("w", "here", "another")), 1);
}

TEST(Ledger, IgnoresTheFailuresOfAnotherBuild) {
  Ledger ledger({.attempts = 2}, 3);
  ledger.add(made_with(result("a", 0, 1, FailureKind::unsupported_operator), "old", "here"));
  ledger.add(made_with(result("b", 0, 1, FailureKind::crash), "old", "here"));
  EXPECT_EQ(ledger.next_attempt("a", 0, origin("old", "here")), std::nullopt);
  EXPECT_EQ(ledger.next_attempt("a", 0, origin("new", "here")), 1);
  EXPECT_EQ(ledger.next_attempt("b", 0, origin("new", "here")), 1);
  EXPECT_EQ(ledger.next_attempt("b", 0, origin("old", "here")), 2);
}

TEST(Ledger, RemembersModelsAndTheEnd) {
  Ledger ledger({.attempts = 1});
  EXPECT_EQ(ledger.model_sha256({"m"}), std::nullopt);
  ledger.add({1, samples::ModelWritten{{"m"}, "77aa", 1, 1}});
  EXPECT_EQ(ledger.model_sha256({"m"}), "77aa");
  EXPECT_FALSE(ledger.is_finished());
  ledger.add({2, samples::Finished{}});
  EXPECT_TRUE(ledger.is_finished());
}

}  // namespace
}  // namespace ngb::agent

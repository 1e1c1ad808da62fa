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

TEST(Ledger, AsksForTheFirstAttemptOfWhatWasNeverTried) { EXPECT_EQ(Ledger(2).next_attempt({"a", 0}), 1); }

TEST(Ledger, AsksForNothingMoreOfACompletedProcess) {
  Ledger ledger(2);
  ledger.add(result("a", 0, 1));
  EXPECT_EQ(ledger.next_attempt({"a", 0}), std::nullopt);
  EXPECT_EQ(ledger.next_attempt({"a", 1}), 1);
}

TEST(Ledger, AsksForAnotherAttemptAfterAFailureThatIsWorthIt) {
  Ledger ledger(3);
  ledger.add(result("a", 0, 1, FailureKind::crash));
  EXPECT_EQ(ledger.next_attempt({"a", 0}), 2);
  ledger.add(result("a", 0, 2, FailureKind::timeout));
  EXPECT_EQ(ledger.next_attempt({"a", 0}), 3);
}

TEST(Ledger, SkipsTheRestOfACellAfterItsLastAttempt) {
  Ledger ledger(2);
  ledger.add(result("a", 0, 1, FailureKind::crash));
  ledger.add(result("a", 0, 2, FailureKind::crash));
  EXPECT_EQ(ledger.next_attempt({"a", 0}), std::nullopt);
  EXPECT_EQ(ledger.next_attempt({"a", 1}), std::nullopt);
  EXPECT_EQ(ledger.next_attempt({"b", 0}), 1);
}

TEST(Ledger, SkipsTheRestOfACellAtOnceForWhatIsAPropertyOfTheCell) {
  Ledger ledger(5);
  ledger.add(result("a", 2, 1, FailureKind::unsupported_operator));
  EXPECT_EQ(ledger.next_attempt({"a", 3}), std::nullopt);
}

TEST(Ledger, HoldsAGroupPendingUntilAllOfItsStepsAreDecided) {
  Ledger ledger(1);
  const samples::Group group{"m", {{"a", 0}, {"b", 0}}};
  EXPECT_TRUE(ledger.is_pending(group));
  ledger.add(result("a", 0, 1));
  EXPECT_TRUE(ledger.is_pending(group));
  ledger.add(result("b", 0, 1, FailureKind::crash));
  EXPECT_FALSE(ledger.is_pending(group));
}

TEST(Ledger, RemembersModelsAndTheEnd) {
  Ledger ledger(1);
  EXPECT_EQ(ledger.model_sha256("m"), std::nullopt);
  ledger.add({1, samples::ModelWritten{"m", "77aa", 1, 1}});
  EXPECT_EQ(ledger.model_sha256("m"), "77aa");
  EXPECT_FALSE(ledger.is_finished());
  ledger.add({2, samples::Finished{}});
  EXPECT_TRUE(ledger.is_finished());
}

}  // namespace
}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
#include "metrics/history/changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ngb::metrics::history {
namespace {

constexpr std::size_t kPoints = 12;

// A history of PyTorch eager (line 0) and of a compiler (line 1), which vary by a few tenths of a percent.
class Made {
 public:
  Made() {
    whole.sources.resize(kPoints);
    whole.origins = {{.version = "1.0", .environment_hash = "here"}};
    whole.environments["here"] = {{{"kernel", "", Known<std::string>::of("6.1")}}};
    whole.lines.resize(2);
    whole.lines[0].cell.of.compiler.name = "identity";
    whole.lines[0].cell.of.compiler.label = "identity";
    whole.lines[1].identity = 0;
  }
  // Speeds of both lines, with a factor from the middle on.
  history::History with(double identity, double compiler) {
    for (std::uint32_t i = 0; i < kPoints; ++i) {
      const double drift = 1 + 0.0002 * (i * 5 % kPoints);
      const double own = 1 + 0.0001 * (i * 7 % kPoints);
      const bool is_after = i >= kPoints / 2;
      whole.lines[0].points.push_back({i, 0, true, {100 * drift * (is_after ? identity : 1)}});
      whole.lines[1].points.push_back({i, 0, true, {300 * drift * own * (is_after ? compiler : 1)}});
    }
    return whole;
  }

  History whole{};
};

std::vector<Findings> found_in(const History& whole) { return findings_of(whole, {}, 1); }

TEST(History, TellsAChangeOfTheCompilerFromADriftOfTheMachine) {
  const auto compiler = found_in(Made().with(1, 0.9));
  EXPECT_TRUE(compiler[0].changes.empty());
  ASSERT_EQ(compiler[1].changes.size(), 1U);
  EXPECT_EQ(compiler[1].changes[0].at, 6U);
  EXPECT_EQ(compiler[1].changes[0].cause, Cause::compiler);
  EXPECT_EQ(compiler[1].changes[0].verdict, statistics::Verdict::slower);
  EXPECT_NEAR(compiler[1].changes[0].step.estimate, std::log(0.9), 0.002);
  EXPECT_NEAR(compiler[1].changes[0].beside_identity->estimate, std::log(0.9), 0.001);

  const auto machine = found_in(Made().with(0.9, 0.9));
  ASSERT_EQ(machine[0].changes.size(), 1U);
  ASSERT_EQ(machine[1].changes.size(), 1U);
  EXPECT_EQ(machine[0].changes[0].cause, Cause::machine);
  EXPECT_EQ(machine[1].changes[0].cause, Cause::machine);

  const auto both = found_in(Made().with(0.9, 0.8));
  ASSERT_EQ(both[1].changes.size(), 1U);
  EXPECT_EQ(both[1].changes[0].cause, Cause::both);
}

TEST(History, DoesNotBlameTheMachineWhereTheIdentityChangedItsVersion) {
  Made made;
  made.whole.origins.push_back({.version = "2.0", .environment_hash = "here"});
  History whole = made.with(0.9, 0.9);
  for (std::size_t i = 6; i < kPoints; ++i) whole.lines[0].points[i].origin = 1;
  const auto found = found_in(whole);
  EXPECT_EQ(found[1].changes.at(0).cause, Cause::unknown);
  EXPECT_EQ(found[1].changes.at(0).why_unknown, "the identity changed its version there too, from 1.0 to 2.0");
  EXPECT_EQ(found[0].changes.at(0).why_unknown, "its own version changed there");
}

TEST(History, FindsCauseOnlyWhereBothHaveValues) {
  History whole = Made().with(1, 0.9);
  for (std::size_t i = 5; i < kPoints; ++i) whole.lines[0].points[i].value = unknown("it failed");
  const auto found = found_in(whole);
  EXPECT_EQ(found[1].changes.at(0).cause, Cause::unknown);
  EXPECT_EQ(found[1].changes.at(0).why_unknown, "the identity has fewer than two values before or after it");
}

TEST(History, LooksAtPointsThatHaveAValue) {
  History whole = Made().with(1, 0.9);
  whole.lines[1].points[3].value = unknown("it failed");
  const auto found = found_in(whole);
  EXPECT_EQ(found[1].values, kPoints - 1);
  EXPECT_EQ(found[1].changes.at(0).at, 6U) << "an index of the line's points";
  whole.lines[1].points.back().value = unknown("it failed");
  EXPECT_EQ(found_in(whole)[1].last.reason, "the last point has no value: it failed");
}

TEST(History, FindsNothingInALineThatIsNotShown) {
  History whole = Made().with(0.9, 0.9);
  whole.lines[0].is_shown = false;
  EXPECT_TRUE(found_in(whole)[0].changes.empty());
  EXPECT_EQ(found_in(whole)[1].changes.at(0).cause, Cause::machine) << "it still stands beside the other";
}

TEST(History, TellsWhatChangedAround) {
  Made made;
  made.whole.origins.push_back({.version = "1.1", .ngb_sha256 = "", .environment_hash = "there"});
  made.whole.environments["there"] = {{{"kernel", "", Known<std::string>::of("6.2")},
                                       {"boot_id", "", Known<std::string>::of("b"), false},
                                       {"slurm_node", "", Known<std::string>::unknown("no node")}}};
  History whole = made.with(1, 1);
  whole.lines[1].points[4].origin = 1;
  const auto found = differences(whole, whole.lines[1].points[3], whole.lines[1].points[4]);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].entry + found[0].before + found[0].after, "version1.01.1");
  EXPECT_EQ(found[1].entry + found[1].before + found[1].after, "kernel6.16.2");
  EXPECT_EQ(found[2].entry + found[2].before + found[2].after, "slurm_nodenot recordedunknown");
  const auto changes = changes_of_surroundings(whole);
  ASSERT_EQ(changes.size(), 6U) << "there and back";
  EXPECT_EQ(changes[0].at, 4U);
  EXPECT_EQ(changes[3].at, 5U);
}

TEST(History, OrdersVersionsByTheirNumbers) {
  EXPECT_TRUE(is_older_version("1.9.0", "1.10.0"));
  EXPECT_FALSE(is_older_version("1.10.0", "1.9.0"));
  EXPECT_TRUE(is_older_version("1.30.0rc1", "1.30.0"));
  EXPECT_TRUE(is_older_version("1.30.0.dev5", "1.30.0rc1")) << "by their letters";
  EXPECT_FALSE(is_older_version("1.30.0", "1.30.0"));
  EXPECT_TRUE(is_older_version("1.30", "1.30.1"));
  EXPECT_TRUE(is_older_version("1.30.0", "1.30.0.post1"));
  EXPECT_TRUE(is_older_version("", "1.0"));
  EXPECT_FALSE(is_older_version("99999999999999999999999", "99999999999999999999999"));
}

TEST(History, IsCalledAfterACommitByItsFolder) {
  EXPECT_EQ(commit_of("history/0123456789ab/"), "0123456789ab");
  EXPECT_EQ(commit_of("bundles/0123456789ab.zip"), "0123456789ab");
}

}  // namespace
}  // namespace ngb::metrics::history

// SPDX-License-Identifier: Apache-2.0
// No process is started: what a device would run is followed as a line of text, with results that are made up here.
#include "agent/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace ngb::agent {
namespace {

// A job with groups "a b" and "c": cells of one model each, with two processes of every cell.
work::Job job_of(work::Order order, int turns = 1) {
  work::Job job;
  job.order = order;
  job.protocol.processes = 2;
  job.protocol.turns = turns;
  job.compilers = {work::Compiler{.name = "x"}};
  job.places = {work::Place{.compiler = "x"}};
  job.models.resize(2);
  job.models[1].key.batch = 2;
  for (const char* id : {"a", "b", "c"}) {
    work::Cell cell;
    cell.id = id;
    cell.model_index = job.cells.size() == 2 ? 1 : 0;
    job.cells.push_back(cell);
  }
  job.groups = {{.model_index = 0, .steps = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}},
                {.model_index = 1, .steps = {{2, 0}, {2, 1}}}};
  return job;
}

// By cell and attempt ("a1", "a2", …): why it fails. All others complete.
using Failures = std::map<std::string, samples::FailureKind>;
// By cell: inferences per second of its processes 0, 1, …
using Speeds = std::map<std::string, std::vector<double>>;
const Speeds kEasilyTold{{"a", {100, 100, 100}}, {"b", {150.1, 150, 149.9}}, {"c", {100, 100, 100}}};

samples::ProcessResult result_of(const work::Cell& cell, int process, int attempt, const Failures& failures,
                                 const Speeds& speeds) {
  samples::ProcessResult result;
  result.cell_id = cell.id;
  result.process_index = process;
  result.attempt = attempt;
  if (const auto failed = failures.find(cell.id + std::to_string(attempt)); failed != failures.end()) {
    result.failure.emplace().kind = failed->second;
  } else if (const auto speed = speeds.find(cell.id); speed != speeds.end()) {
    result.repetitions.push_back(
        {.wall_ns = static_cast<std::int64_t>(1e9 / speed->second[static_cast<std::size_t>(process)]),
         .inferences = 1});
  }
  return result;
}

// Follows the schedule to its end. "a0" is process 0 of cell a; processes that take turns are joined by "+"; "|" is the
// end of a visit to a group, "(a)" says that the cell needs no more rounds, and "reopen(a)" that it needs some after
// all.
std::string followed(const work::Job& job, Ledger& ledger, const Failures& failures = {}, const Speeds& speeds = {}) {
  Schedule schedule(job, ledger, [](const work::Cell&) { return samples::Origin{}; });
  std::string line;
  for (Schedule::Next next = schedule.next(); next != Schedule::Next::finish; next = schedule.next()) {
    if (next == Schedule::Next::leave) {
      schedule.leave();
      line += "| ";
      const samples::RoundsEnded judged = schedule.ended_rounds();
      for (const std::string& id : judged.cell_ids) line += "(" + id + ") ";
      for (const std::string& id : judged.reopened_ids) line += "reopen(" + id + ") ";
      if (!judged.is_empty()) ledger.add({0, judged});
      continue;
    }
    std::vector<samples::Event> events;
    for (const work::Step* step : schedule.steps()) {
      const work::Cell& cell = schedule.cell_of(job.cell_of(*step).id);
      line += (events.empty() ? "" : "+") + cell.id + std::to_string(step->process_index);
      events.push_back({0, result_of(cell, step->process_index, *schedule.next_attempt(*step), failures, speeds)});
    }
    line += " ";
    for (const samples::Event& event : events) ledger.add(event);
  }
  return line;
}

std::string followed(const work::Job& job, const Failures& failures = {}) {
  Ledger ledger(job.limits);
  return followed(job, ledger, failures);
}

TEST(Schedule, MeasuresAGroupToItsEndGroupByGroup) {
  EXPECT_EQ(followed(job_of(work::Order::groups)), "a0 b0 b1 a1 | c0 c1 | ");
}

TEST(Schedule, MeasuresARoundOfEveryGroupBeforeTheNextRound) {
  EXPECT_EQ(followed(job_of(work::Order::rounds)), "a0 b0 | c0 | b1 a1 | c1 | ");
}

TEST(Schedule, RunsTheProcessesOfARoundTogetherIfTheyTakeTurns) {
  EXPECT_EQ(followed(job_of(work::Order::groups, 5)), "a0+b0 b1+a1 | c0 c1 | ");
}

TEST(Schedule, TriesAProcessAgainBeforeTheNextOne) {
  work::Job job = job_of(work::Order::groups);
  job.limits.attempts = 2;
  EXPECT_EQ(followed(job, {{"b1", samples::FailureKind::crash}}), "a0 b0 b0 b1 b1 a1 | c0 c1 | ");
}

TEST(Schedule, SkipsTheOtherProcessesOfACellThatHasFailed) {
  EXPECT_EQ(followed(job_of(work::Order::rounds), {{"b1", samples::FailureKind::unsupported_operator}}),
            "a0 b0 | c0 | a1 | c1 | ");
}

TEST(Schedule, ContinuesWhereAnAgentThatWasKilledHadStopped) {
  const work::Job job = job_of(work::Order::rounds);
  Ledger ledger(job.limits);
  for (const std::size_t cell : {0U, 1U}) ledger.add({0, result_of(job.cells[cell], 0, 1, {}, {})});
  EXPECT_EQ(followed(job, ledger), "| c0 | b1 a1 | c1 | ");
}

TEST(Schedule, HasNothingLeftOfAJobThatHasFinished) {
  const work::Job job = job_of(work::Order::rounds);
  Ledger ledger(job.limits);
  ledger.add({0, samples::Finished{}});
  EXPECT_EQ(followed(job, ledger), "");
}

TEST(Schedule, LeavesACompletedProcessAloneIfItsToolchainIsMissingNow) {
  work::Job job = job_of(work::Order::groups);
  Ledger ledger(job.limits);
  samples::ProcessResult other_build = result_of(job.cells[2], 0, 1, {}, {});
  other_build.made_with.worker_sha256 = "another";
  ledger.add({0, other_build});
  EXPECT_EQ(followed(job, ledger), "a0 b0 b1 a1 | c0 c1 | ");
  Ledger same(job.limits);
  same.add({0, other_build});
  job.places[0].why_missing = "removed";
  EXPECT_EQ(followed(job, same), "a0 b0 b1 a1 | c1 | ");
}

TEST(Schedule, MeasuresAgainWhatHadAnotherModelFile) {
  const work::Job job = job_of(work::Order::groups);
  Ledger ledger(job.limits);
  samples::ProcessResult result = result_of(job.cells[0], 0, 1, {}, {});
  result.made_with.model_sha256 = "before";
  ledger.add({0, result});
  Schedule schedule(job, ledger, [](const work::Cell&) { return samples::Origin{}; });
  EXPECT_EQ(schedule.steps()[0]->cell_index, 1);  // while the file is unknown, the process counts
  schedule.use_model("before");
  EXPECT_EQ(schedule.steps()[0]->cell_index, 1);
  schedule.use_model("now");
  EXPECT_EQ(schedule.steps()[0]->cell_index, 0);
}

TEST(Schedule, OfAJobForReferencesVisitsEachGroupUntilItsReferenceIsRecorded) {
  work::Job job = job_of(work::Order::groups);
  job.task = work::Task::make_references;
  Ledger ledger(job.limits);
  Schedule schedule(job, ledger, [](const work::Cell&) { return samples::Origin{}; });
  EXPECT_EQ(schedule.next(), Schedule::Next::visit);
  ledger.add({0, samples::ReferenceMade{.model = job.models[0].key}});
  EXPECT_EQ(schedule.next(), Schedule::Next::leave);
  EXPECT_TRUE(schedule.ended_rounds().is_empty());
  schedule.leave();
  EXPECT_EQ(schedule.next(), Schedule::Next::visit);
  EXPECT_EQ(schedule.group_index(), 1U);
}

// One group of two cells, of which b is a little faster and is told apart by the first look, after round 2.
work::Job job_with_a_question(work::Order order) {
  work::Job job = job_of(order);
  job.protocol.rounds = work::Rounds{.min = 3, .max = 5, .until = work::Until::decided_against_baseline};
  job.groups[0].questions = {{1, 0}};
  for (work::Group& group : job.groups) group.steps.clear();
  for (int round = 0; round < 5; ++round) {
    for (const int cell : {0, 1}) job.groups[0].steps.push_back({cell, round});
    job.groups[1].steps.push_back({2, round});
  }
  return job;
}

TEST(Schedule, EndsTheRoundsOfCellsWhoseQuestionsAreDecided) {
  const work::Job job = job_with_a_question(work::Order::groups);
  Ledger ledger(job.limits, 5, true);
  EXPECT_EQ(followed(job, ledger, {}, kEasilyTold), "a0 b0 a1 b1 a2 b2 | c0 c1 c2 | (a) (b) (c) ");
}

TEST(Schedule, EndsRoundsOnceEveryGroupHadTheFirstOnesIfEachGroupIsVisitedForEachRound) {
  const work::Job job = job_with_a_question(work::Order::soonest);
  Ledger ledger(job.limits, 5, true);
  EXPECT_EQ(followed(job, ledger, {}, kEasilyTold), "a0 b0 | c0 | a1 b1 | c1 | a2 b2 | c2 | (a) (b) (c) ");
}

// Two groups of the same two compilers, and their log ratios by round.
std::string followed_with_ratios(const std::vector<double>& first, const std::vector<double>& second) {
  work::Job job = job_with_a_question(work::Order::rounds);
  job.compilers.push_back({.name = "y"});
  job.places.push_back({.compiler = "y"});
  job.cells.push_back(job.cells[2]);
  job.cells[3].id = "d";
  for (const std::size_t cell : {1U, 3U}) job.cells[cell].compiler_index = 1;
  job.groups[1].questions = {{3, 2}};
  job.groups[1].steps.clear();
  Speeds speeds;
  for (int round = 0; round < 5; ++round) {
    for (const int cell : {2, 3}) job.groups[1].steps.push_back({cell, round});
    for (const char* baseline : {"a", "c"}) speeds[baseline].push_back(100);
    speeds["b"].push_back(100 * std::exp(first[static_cast<std::size_t>(round)]));
    speeds["d"].push_back(100 * std::exp(second[static_cast<std::size_t>(round)]));
  }
  Ledger ledger(job.limits, 5, true);
  return followed(job, ledger, {}, speeds);
}
constexpr const char* kFirstRounds = "a0 b0 | c0 d0 | a1 b1 | c1 d1 | a2 b2 | c2 d2 | ";

// After three rounds, the two compilers usually differ by 2 % from round to round (0.5 and 3.5 %), and b is told to be
// faster. The fourth round of d is off by a factor of 4.5: now 0.3 is no more than one standard deviation.
TEST(Schedule, OpensAQuestionAgainIfAnotherGroupShowsThatItIsNotDecided) {
  EXPECT_EQ(followed_with_ratios({0.295, 0.3, 0.305, 0.3, 0.3}, {0, 0.04, -0.03, 1.5, 0}),
            std::string(kFirstRounds) + "(a) (b) c3 d3 | reopen(a) reopen(b) a3 b3 | a4 b4 | c4 d4 | ");
}

TEST(Schedule, MeasuresARoundAtATimeOfTheGroupWithTheFewest) {
  EXPECT_EQ(followed_with_ratios({0, 0.04, -0.03, 0.04, -0.03}, {0, 0.04, -0.03, 0.04, -0.03}),
            std::string(kFirstRounds) + "a3 b3 | c3 d3 | a4 b4 | c4 d4 | ");
}

}  // namespace
}  // namespace ngb::agent

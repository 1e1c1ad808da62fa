// SPDX-License-Identifier: Apache-2.0
// Tests a real agent's reference outputs, with the worker of agent_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "agent/reference_cache.h"
#include "agent_client.h"
#include "base/hash.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;

TEST(AgentsReferences, MakesReferenceOutputsOnceAndKeepsThem) {
  const TemporaryFolder folder;
  const TemporaryFolder cache;
  work::Job job = small_job(2);
  add_cell(job, "a");
  job.reference = compiler_of(job, 0);
  job.reference->version = "2.0";
  job.places.push_back({.compiler = "fake", .version = "2.0", .host = "native"});
  job.reference_cache = cache.path().string();
  const WholeRun first = run_job(folder.path() / "1", job);
  EXPECT_EQ(first.processes.at(0).facts.at("reference"), "fake 2.0");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cache.path()), {}), 1);
  const WholeRun second = run_job(folder.path() / "2", job);
  int reference_logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "2/logs")) {
    if (entry.path().filename().string().starts_with("reference-")) ++reference_logs;
  }
  EXPECT_EQ(reference_logs, 0);
  EXPECT_FALSE(second.processes.at(0).failure);
}

// Returns a job of one cell whose reference is another compiler with this option.
work::Job judged_by(const std::string& option, const std::string& value) {
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.reference = {.name = "judge"};
  if (!option.empty()) job.reference->options = {{option, value}};
  job.places.push_back({.compiler = "judge", .host = "native"});
  return job;
}

void add_other_reference(work::Job& job, const std::string& name, const work::Options& options) {
  job.other_references.push_back({.name = name, .options = options});
  job.places.push_back({.compiler = name, .host = "native"});
}

std::map<std::string, std::string> facts_of(const work::Job& job) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_TRUE(ends_finished(run.events));
  if (run.processes.size() != 1 || run.processes[0].failure) return {};
  return run.processes[0].facts;
}

TEST(AgentsReferences, AreThoseOfTheNextReferenceIfTheFirstFailsInAnyWayAndSayWhy) {
  work::Job job = judged_by("behave", "crash");
  add_other_reference(job, "other", {});
  const std::map<std::string, std::string> facts = facts_of(job);
  EXPECT_EQ(facts.at("reference"), "other");
  EXPECT_THAT(facts.at("reference_reason"), HasSubstr("judge (behave: crash) could not make its outputs (crash): "));
  EXPECT_THAT(facts.at("reference_reason"), HasSubstr("; log: devices/local/logs/reference-"));
}

TEST(AgentsReferences, OfACompilerThatIsNotInstalledArePassedOver) {
  work::Job job = judged_by("behave", "crash");
  add_other_reference(job, "absent", {});
  job.places.back().why_missing = "not installed";
  add_other_reference(job, "other", {});
  EXPECT_EQ(facts_of(job).at("reference"), "other");
}

TEST(AgentsReferences, ThatAreNotFiniteGiveWayToThoseThatAre) {
  work::Job job = judged_by("doubt", "not_finite");
  add_other_reference(job, "other", {});
  EXPECT_EQ(facts_of(job).at("reference"), "other");
  EXPECT_EQ(facts_of(job).at("reference_reason"), "judge (doubt: not_finite): it is not_finite");
}

TEST(AgentsReferences, ThatAreDoubtfulJudgeIfAllOthersAreDoubtfulToo) {
  work::Job job = judged_by("doubt", "other_shape");
  add_other_reference(job, "other", {{"doubt", "other_shape"}});
  EXPECT_EQ(facts_of(job).at("reference"), "judge (doubt: other_shape)");
  EXPECT_EQ(facts_of(job).at("reference_reason"),
            "judge (doubt: other_shape): it is other_shape; the same of other (doubt: other_shape)");
}

TEST(AgentsReferences, OfARandomModelJudgeNobodyAndNoOtherIsAsked) {
  work::Job job = judged_by("doubt", "random");
  add_other_reference(job, "other", {});
  EXPECT_EQ(facts_of(job).at("reference"), "none");
  EXPECT_EQ(facts_of(job).at("reference_reason"), "judge (doubt: random): it is random");
}

TEST(AgentsReferences, AreThoseOfTwoCompilersThatAgreeIfNoReferenceHasAny) {
  const TemporaryFolder folder;
  work::Job job = judged_by("behave", "crash");
  add_cell(job, "b");
  job.compilers.push_back({.name = "second"});
  job.places.push_back({.compiler = "second", .host = "native"});
  job.cells.back().compiler_index = static_cast<int>(job.compilers.size()) - 1;
  const WholeRun run = run_job(folder.path(), job);
  ASSERT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(run.processes[0].facts.at("reference"), "second");
}

// Returns a job whose cell differs from every reference whose name begins with `from`, and that has a third compiler.
work::Job differing(const std::string& from, const std::string& third_agrees) {
  work::Job job = judged_by("", "");
  job.compilers[0].options = {{"behave", "differs"}, {"from", from}};
  add_other_reference(job, "third", {{"agrees", third_agrees}});
  return job;
}

TEST(AgentsReferences, OfTheOutlierAmongThreeDoNotJudge) {
  const std::map<std::string, std::string> facts = facts_of(differing("judge", "no"));
  EXPECT_EQ(facts.at("reference"), "third (agrees: no)");
  EXPECT_EQ(facts.at("reference_reason"), "judge is the outlier among three: fake agrees with third (agrees: no)");
}

// The other cell of the round agrees with everybody.
work::Job differing_in_turns(const std::string& from, const std::string& third_agrees) {
  work::Job job = differing(from, third_agrees);
  job.protocol.turns = 2;
  add_cell(job, "b");
  job.compilers.push_back({.name = "second"});
  job.places.push_back({.compiler = "second", .host = "native"});
  job.cells.back().compiler_index = static_cast<int>(job.compilers.size()) - 1;
  return job;
}

TEST(AgentsReferences, OfTheOutlierAmongThreeDoNotJudgeARoundInTurnsEither) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), differing_in_turns("judge", "no"));
  ASSERT_EQ(run.processes.size(), 2U);
  for (const samples::ProcessResult& process : run.processes) {
    EXPECT_FALSE(process.failure);
    EXPECT_EQ(process.facts.at("reference"), "third (agrees: no)");
    EXPECT_EQ(process.attempt, 1);
  }
}

TEST(AgentsReferences, WithWhichAThirdAgreesLeaveOneCellOfARoundInTurnsInaccurate) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), differing_in_turns("judge", "yes"));
  std::map<std::string, bool> has_failed;
  for (const samples::ProcessResult& process : run.processes)
    has_failed[process.cell_id] |= process.failure.has_value();
  EXPECT_EQ(has_failed, (std::map<std::string, bool>{{run.processes[0].cell_id, true}, {"b", false}}));
}

TEST(AgentsReferences, OfAThirdThatHasNoneAreThoseOfTheNext) {
  work::Job job = differing("judge", "no");
  job.other_references.front().options = {{"behave", "crash"}};
  add_other_reference(job, "fourth", {{"agrees", "no"}});
  EXPECT_EQ(facts_of(job).at("reference"), "fourth (agrees: no)");
}

TEST(AgentsReferences, WithWhichAThirdAgreesLeaveTheCellInaccurate) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path(), differing("judge", "yes"));
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].failure->kind, FailureKind::inaccurate);
}

TEST(AgentsReferences, JudgeNobodyIfAllThreeDiffer) {
  const std::map<std::string, std::string> facts = facts_of(differing("", "no"));
  EXPECT_EQ(facts.at("reference"), "none");
  EXPECT_EQ(
      facts.at("reference_reason"),
      "the outputs of judge, fake and third (agrees: no) differ from each other, so that none is known to be right");
}

TEST(AgentsReferences, ThatNobodyHasLeaveCellsMeasuredAndSayWhy) {
  const std::map<std::string, std::string> facts = facts_of(judged_by("behave", "crash"));
  EXPECT_EQ(facts.at("reference"), "none");
  EXPECT_THAT(facts.at("reference_reason"), HasSubstr("signal 6"));
}

// Returns the path of a reference file that the fake worker has made.
std::filesystem::path made_reference(const std::filesystem::path& folder);

void damage(const std::filesystem::path& reference) {
  std::string bytes = file::read(reference).value();
  bytes.back() ^= 1;
  ASSERT_TRUE(file::write_atomically(reference, bytes));
}

// Returns a job that only makes the model's reference outputs.
work::Job references_only(const std::filesystem::path& cache) {
  work::Job job = small_job(1);
  job.task = work::Task::make_references;
  job.reference = {.name = "fake"};
  job.places = {{.compiler = "fake", .host = "native"}};
  job.reference_cache = cache.string();
  return job;
}

// Returns the run's only ReferenceMade.
samples::ReferenceMade reference_of(const WholeRun& run) {
  for (const samples::Event& event : run.events) {
    if (const auto* made = std::get_if<samples::ReferenceMade>(&event.body)) return *made;
  }
  ADD_FAILURE() << "no reference outputs";
  return {};
}

std::filesystem::path made_reference(const std::filesystem::path& folder) {
  return reference_of(run_job(folder / "maker", references_only(folder / "cache"))).path;
}

TEST(AgentsReferences, MakesNothingButReferenceOutputsWhenAskedAndNamesTheFile) {
  const TemporaryFolder folder;
  const work::Job job = references_only(folder.path() / "cache");
  const WholeRun first = run_job(folder.path() / "1", job);
  EXPECT_TRUE(first.processes.empty());
  EXPECT_FALSE(reference_of(first).failure);
  const std::filesystem::path made = reference_of(first).path;
  EXPECT_EQ(check_reference_file(made).value_or(ReferenceFile{}).sha256, hash::sha256("outputs"));
  EXPECT_EQ(reference_of(first).key, made.stem().string());
  const WholeRun second = run_job(folder.path() / "2", job);
  EXPECT_EQ(reference_of(second).path, made);
  EXPECT_EQ(second.events.size(), 3U);  // environment, reference, finished: no model is written if the outputs exist
}

TEST(AgentsReferences, RefusesAJobForReferencesThatNamesNoCompiler) {
  const TemporaryFolder folder;
  work::Job job = references_only(folder.path());
  job.reference.reset();
  EXPECT_EQ(run_job(folder.path(), job).error->what,
            "asks for reference outputs, and does not say which compiler makes them");
}

TEST(AgentsReferences, ComparesWithReferenceOutputsFromTheClientAndMakesNone) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.reference = compiler_of(job, 0);
  job.reference->options = {{"behave", "crash"}};
  const std::filesystem::path given = made_reference(folder.path());
  job.given_references = {{.path = given.string(), .key = "of the client"}};
  const WholeRun run = run_job(folder.path() / "work", job);
  EXPECT_FALSE(run.processes.at(0).failure);
  EXPECT_EQ(run.processes.at(0).facts.at("reference_path"), given.string());
  EXPECT_EQ(run.processes[0].made_with.reference_key, "of the client");
  EXPECT_EQ(run.processes[0].made_with.reference_sha256, hash::sha256("outputs"));
}

TEST(AgentsReferences, RefusesDamagedOnesFromTheClientAndBlamesNoCompiler) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.reference = compiler_of(job, 0);
  const std::filesystem::path given = made_reference(folder.path());
  damage(given);
  job.given_references = {{.path = given.string()}};
  const WholeRun run = run_job(folder.path() / "work", job);
  EXPECT_EQ(run.processes.at(0).failure->kind, FailureKind::no_reference);
  EXPECT_THAT(run.processes[0].failure->message, HasSubstr("its outputs are not those that were written"));
}

TEST(AgentsReferences, MakesADamagedOneAgain) {
  const TemporaryFolder folder;
  work::Job job = references_only(folder.path() / "cache");
  const std::filesystem::path made = reference_of(run_job(folder.path() / "1", job)).path;
  damage(made);
  const WholeRun again = run_job(folder.path() / "2", job);
  EXPECT_FALSE(reference_of(again).failure);
  EXPECT_EQ(check_reference_file(made).value_or(ReferenceFile{}).sha256, hash::sha256("outputs"));
}

TEST(AgentsReferences, AreMadeAnewWhenTheirCompilersAdaptorHasChanged) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "lib/compilers/fake");
  const Programs programs{.lib = folder.path() / "lib"};
  std::set<std::string> made;
  for (const std::string adaptor : {"wrong", "mended", "wrong"}) {
    ASSERT_TRUE(file::write_atomically(folder.path() / "lib/compilers/fake/adaptor.py", adaptor));
    const WholeRun run = run_job(folder.path() / std::to_string(made.size()) / adaptor,
                                 references_only(folder.path() / "cache"), 0, programs);
    made.insert(reference_of(run).path);
  }
  EXPECT_EQ(made.size(), 2U);
}

TEST(AgentsReferences, ReportsWhyNeitherAgentNorClientHasReferenceOutputs) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  job.reference = compiler_of(job, 0);
  job.given_references = {{.why_not = "signal 9"}};
  const WholeRun run = run_job(folder.path(), job);
  EXPECT_EQ(run.processes.at(0).failure->kind, FailureKind::no_reference);
  EXPECT_EQ(run.processes[0].failure->message,
            "fake is not installed on this device, and the client could not make its outputs: signal 9");
}

}  // namespace
}  // namespace ngb::agent::test

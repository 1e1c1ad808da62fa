// SPDX-License-Identifier: Apache-2.0
// Tests what a real agent records about what its processes were made with, and what it does when that changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_client.h"
#include "base/hash.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;

TEST(Agent, GivesNoNumberForAUsersModelThatChangesWhileItIsMeasured) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "user.onnx";
  ASSERT_TRUE(file::write_atomically(path, "content"));
  work::Job job = small_job(3);
  job.models[0].source = work::OnnxFile{};
  job.models[0].files = {{"model/user.onnx", path.string(), hash::sha256("content")}};
  add_cell(job, "a", "rewrite", "1:1");
  add_cell(job, "b");
  const WholeRun run = run_job(folder.path() / "work", job);
  ASSERT_EQ(run.processes.size(), 4U);
  EXPECT_FALSE(run.processes[0].failure);
  EXPECT_FALSE(run.processes[1].failure);
  for (const int index : {2, 3}) {
    const auto& process = run.processes[static_cast<std::size_t>(index)];
    ASSERT_TRUE(process.failure) << process.cell_id;
    EXPECT_EQ(process.failure->kind, FailureKind::invalid_model);
    EXPECT_EQ(process.failure->message, path.string() + " has changed while it was measured");
    EXPECT_TRUE(process.repetitions.empty());
  }
  EXPECT_TRUE(ends_finished(run.events));
}

TEST(Agent, ContinuesWithAUsersModelThatWasOnlyTouched) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "user.onnx";
  ASSERT_TRUE(file::write_atomically(path, "content"));
  work::Job job = small_job(2);
  job.models[0].source = work::OnnxFile{};
  job.models[0].files = {{"model/user.onnx", path.string(), hash::sha256("content")}};
  add_cell(job, "a", "touch");
  for (const auto& process : run_job(folder.path() / "work", job).processes) EXPECT_FALSE(process.failure);
}

TEST(Agent, RecordsWhatEachProcessWasMadeWith) {
  const TemporaryFolder folder;
  work::Job job = small_job(1);
  add_cell(job, "a");
  place_of(job, 0).manifest_sha256 = "5ec5";
  const WholeRun run = run_job(folder.path(), job);
  const samples::Provenance& with = run.processes.at(0).made_with;
  EXPECT_EQ(with.manifest_sha256, "5ec5");
  EXPECT_EQ(with.worker_sha256, hash::sha256_of_file(fake_worker()).value());
  EXPECT_EQ(with.package_sha256.size(), 64U);
  EXPECT_EQ(with.plugin_sha256, "") << "this compiler has no folder";
  EXPECT_EQ(with.model_sha256, std::get<samples::ModelWritten>(run.events.at(1).body).file_sha256);
}

TEST(Agent, CountsWhatAnAdoptedToolchainsPythonFindsElsewhereToTheBuild) {
  const TemporaryFolder folder;
  const std::filesystem::path site = folder.path() / "adopted/site-packages";
  std::filesystem::create_directories(site);
  const auto package_of_a_run = [&](const char* run) {
    work::Job job = small_job(1);
    add_cell(job, "a");
    host_by_python(job, 0, "forked");
    place_of(job, 0).toolchain_dir = site.string();
    job.run_id = run;
    return run_job(folder.path() / run, job).processes.at(0).made_with.package_sha256;
  };
  const std::string before = package_of_a_run("run-1");
  EXPECT_EQ(package_of_a_run("run-2"), before);
  ASSERT_TRUE(file::write_atomically(site / "usercustomize.py", "import time"));
  EXPECT_NE(package_of_a_run("run-3"), before);
}

// Returns records of another worker: process 0 of cell a, and all processes of cell b.
samples::Completed with_an_older_worker() {
  return {{.worker_sha256 = "0123456789abcdef"}, "e", {{"a", {0}}, {"b", {0, 1}}}};
}

TEST(Agent, RefusesACellThatWasMeasuredInPartWithAnotherBuild) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a");
  AgentClient client(folder.path());
  client.send(samples::Hello{});
  client.send(job);
  client.send(with_an_older_worker());
  client.send(samples::Follow{});
  EXPECT_TRUE(client.follow_to_the_end().empty());
  ASSERT_TRUE(client.error());
  EXPECT_THAT(client.error()->what, HasSubstr("ngb-worker (0123456789ab before, "));
  EXPECT_THAT(client.error()->next, HasSubstr("--new-build"));
}

TEST(Agent, MeasuresSuchACellAnewIfTheJobAcceptsANewBuild) {
  const TemporaryFolder folder;
  work::Job job = small_job(2);
  add_cell(job, "a");
  job.accepts_new_build = true;
  AgentClient client(folder.path());
  client.send(samples::Hello{});
  client.send(job);
  client.send(with_an_older_worker());
  client.send(samples::Follow{});
  EXPECT_EQ(processes_of(client.follow_to_the_end()).size(), 2U);
  EXPECT_FALSE(client.error());
}

}  // namespace
}  // namespace ngb::agent::test

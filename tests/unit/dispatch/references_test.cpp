// SPDX-License-Identifier: Apache-2.0
// Tests reference outputs that are made here for devices elsewhere, with a real agent and the worker of the agent's
// tests.
#include "dispatch/reference_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "agent_client.h"
#include "base/hash.h"

namespace ngb::dispatch {
namespace {

using testing::HasSubstr;

class ReferencesHere : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("NGB_FAKE_WORKER", agent::test::fake_worker().c_str(), 1);
    std::filesystem::create_directory(folder_.path() / "bin");
    std::filesystem::create_symlink(NGB_BUILD_DIR "/bin/ngb-agent", installation_.agent);
    std::filesystem::create_symlink(agent::test::fake_worker(), installation_.worker);
    job_.reference.emplace();
    job_.reference->name = "fake";
    job_.reference->version = "2.0";
    job_.places = {{.compiler = "fake", .version = "2.0", .host = "native", .toolchain_dir = "/toolchains/fake"}};
    job_.reference_cache = (folder_.path() / "cache").string();
  }

  // Returns the answers to devices that ask at the same time.
  std::vector<Result<References::OfModels>> ask(const std::vector<std::string>& devices) {
    return ask(devices, references_);
  }
  std::vector<Result<References::OfModels>> ask(const std::vector<std::string>& devices, References& references) {
    std::vector<Share> shares;
    for (const std::string& device : devices) {
      shares.push_back({.device = {.name = device, .kind = "ssh"},
                        .job_here = [this] { return job_; },
                        .work_folder = folder_.path() / device});
    }
    std::vector<Result<References::OfModels>> answers(devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i)
      asio::co_spawn(loop_.io, keep(references, shares[i], answers[i]), asio::detached);
    loop_.io.run();
    loop_.io.restart();
    return answers;
  }
  static asio::awaitable<void> keep(References& references, const Share& share, Result<References::OfModels>& answer) {
    answer = co_await references.of(share);
  }

  TemporaryFolder folder_;
  Installation installation_{folder_.path() / "bin/ngb-agent", folder_.path() / "bin/ngb-worker",
                             NGB_SOURCE_DIR "/tests/unit/agent/lib"};
  work::Job job_ = agent::test::small_job(1);
  Loop loop_;
  Callbacks nobody_{.on_event = {}, .commit = {}, .on_progress = [](const auto&, const auto&) {}, .on_remark = {}};
  Recording recording_{loop_, nobody_};
  References references_{loop_, recording_, installation_};
};

TEST_F(ReferencesHere, AreMadeOnceForAllDevicesAndNamedByTheirContent) {
  const auto answers = ask({"a", "b"});
  ASSERT_TRUE(answers[0] && answers[1]);
  const MadeReference& made = *answers[0]->at(job_.models[0].key);
  EXPECT_EQ(made.why_not, "");
  EXPECT_EQ(made.tree.tree.path, "references/" + hash::sha256_of_file(made.tree.sources.at(0)).value());
  EXPECT_TRUE(file::read(made.tree.sources[0]).value_or("").ends_with("outputs"));
  EXPECT_EQ(made.key, made.tree.sources[0].stem().string());
  EXPECT_EQ(made.tree.sources[0].parent_path(), folder_.path() / "cache");
  EXPECT_EQ(answers[1]->at(job_.models[0].key), &made);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "b"));  // no agent ran for the second device
}

TEST_F(ReferencesHere, ReportWhyTheyCannotBeMade) {
  job_.reference->options = {{"behave", "crash"}};
  const auto answers = ask({"a"});
  EXPECT_THAT(answers.at(0)->at(job_.models[0].key)->why_not,
              HasSubstr("fake 2.0 (behave: crash) could not make its outputs (crash)"));
}

TEST_F(ReferencesHere, ThatFailedAreMadeAgainByTheNextRun) {
  std::filesystem::remove(installation_.worker);
  std::filesystem::create_symlink("/bin/false", installation_.worker);
  EXPECT_NE(ask({"a"}).at(0)->at(job_.models[0].key)->why_not, "");
  std::filesystem::remove(installation_.worker);
  std::filesystem::create_symlink(agent::test::fake_worker(), installation_.worker);
  References of_the_next_run(loop_, recording_, installation_);
  EXPECT_EQ(ask({"a"}, of_the_next_run).at(0)->at(job_.models[0].key)->why_not, "");
}

TEST_F(ReferencesHere, LeaveWhatIsThereAloneIfTheDevicesFolderLeadsElsewhere) {
  const std::filesystem::path theirs = folder_.path() / "theirs/references/thesis.tex";
  std::filesystem::create_directories(theirs.parent_path());
  ASSERT_TRUE(file::write_atomically(theirs, "theirs"));
  std::filesystem::create_directory_symlink(folder_.path() / "theirs", folder_.path() / "a");
  const auto answers = ask({"a"});
  EXPECT_EQ(answers.at(0)->at(job_.models[0].key)->why_not, "");
  EXPECT_EQ(file::read(theirs).value_or("deleted"), "theirs");
}

TEST_F(ReferencesHere, ReportThatTheirCompilerIsNotInstalled) {
  job_.places[0].toolchain_dir.clear();
  const auto answers = ask({"a"});
  EXPECT_EQ(answers.at(0)->at(job_.models[0].key)->why_not,
            "fake 2.0 is not installed on the client either (ngb toolchain install fake@2.0)");
}

TEST_F(ReferencesHere, AreNotMadeOnceTheLoopStops) {
  loop_.stop();
  const auto answers = ask({"a"});
  EXPECT_TRUE(answers.at(0)->empty());
}

TEST(JobForReferences, HasAGroupForEachModelAndNoMoreThreadsThanProcessors) {
  work::Job job = agent::test::small_job(5);
  job.reference.emplace().threads = 100'000;
  const work::Job only = job_for_references(job);
  EXPECT_EQ(only.task, work::Task::make_references);
  EXPECT_TRUE(only.cells.empty());
  EXPECT_EQ(only.groups.at(0).model_index, 0);
  EXPECT_EQ(only.reference->threads, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace ngb::dispatch

// SPDX-License-Identifier: Apache-2.0
// Tests a device whose clients come and go: deliveries, the agent that outlives its clients, and the removal of
// everything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include "agent/workers/process_tree.h"
#include "agent_client.h"
#include "base/hash.h"

namespace ngb::agent {
namespace {

using test::AgentClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRun = "runs/0123456789abcdef-01234567";
const std::string kOtherRun = "runs/0123456789abcdef-89abcdef";
const std::string kBundle = "bundles/" + std::string(64, '1');
const std::string kTree = "bundles/" + std::string(64, '2');

class Device : public testing::Test {
 protected:
  // Stands in for a bundle: links to the worker and the lib of these tests.
  void SetUp() override {
    std::filesystem::create_directories(folder() / kBundle);
    std::filesystem::create_symlink(test::fake_worker(), folder() / kBundle / "worker");
    std::filesystem::create_symlink(NGB_SOURCE_DIR "/tests/unit/agent/lib", folder() / kBundle / "lib");
  }
  void TearDown() override {
    AgentClient client = arrive();
    client.send(samples::Remove{{kRun}, false});
    client.next_of<samples::Removed>();
  }

  [[nodiscard]] std::filesystem::path folder() const { return temporary_.path() / "device"; }
  [[nodiscard]] AgentClient arrive() const {
    return AgentClient(std::vector<std::string>{"receive", "--folder", folder().string()});
  }
  // Attaches to the agent of a run.
  void attach(AgentClient& client, const std::string& run = kRun) {
    client.send(samples::Attach{run, kBundle + "/worker", kBundle + "/lib"});
    ASSERT_TRUE(client.next_of<samples::Hello>()) << client.error().value_or(Error{"silence", {}, {}}).text();
  }
  static samples::TreeFile file(const std::string& path, const std::string& content) {
    return {path, hash::sha256(content), content.size(), false};
  }
  [[nodiscard]] std::string content(const std::string& path) const {
    return file::read(folder() / path).value_or("(nothing)");
  }

  TemporaryFolder temporary_;
};

TEST_F(Device, DescribesItself) {
  AgentClient client = arrive();
  const auto arrival = client.next_of<samples::Arrival>();
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->folder, folder().string());
  utsname system{};
  ::uname(&system);
  EXPECT_EQ(arrival->machine, system.machine);
  client.send(samples::Describe{});
  const auto description = client.next_of<samples::Description>();
  ASSERT_TRUE(description);
  EXPECT_FALSE(description->environment.entries.empty());
  EXPECT_THAT(description->toolchains, IsEmpty());
}

TEST_F(Device, InspectsFoldersOfPackagesAndAdoptsThem) {
  const std::filesystem::path packages = temporary_.path() / "venv/lib/python3.11/site-packages";
  std::filesystem::create_directories(packages / "Toy-1.0.dist-info");
  AgentClient client = arrive();
  client.send(samples::Inspect{{(temporary_.path() / "venv").string(), "toolchains/toy/1.0"}});
  const auto before = client.next_of<samples::Inspection>();
  ASSERT_EQ(before->folders.size(), 2U);
  EXPECT_EQ(before->folders[0].site, packages.string());
  EXPECT_EQ(before->folders[0].packages[0].name, "Toy");
  EXPECT_EQ(before->folders[0].packages[0].version, "1.0");
  EXPECT_EQ(before->folders[1].site, "");
  client.send(samples::Adopt{"toolchains/toy/1.0", packages.string(), "{}"});
  EXPECT_EQ(client.next_of<samples::Installed>()->path, "toolchains/toy/1.0");
  client.send(samples::Inspect{{"toolchains/toy/1.0"}});
  const auto after = client.next_of<samples::Inspection>();
  EXPECT_EQ(after->folders[0].site, packages.string());
  EXPECT_EQ(after->folders[0].manifest, "{}");
  std::filesystem::create_directories(folder() / "toolchains/toy/2.0/site");
  client.send(samples::Describe{});
  const auto description = client.next_of<samples::Description>();
  ASSERT_EQ(description->toolchains.size(), 2U);
  EXPECT_EQ(description->toolchains[0].name, "toy@1.0");
  EXPECT_TRUE(description->toolchains[0].has_manifest);
  EXPECT_EQ(description->toolchains[1].name, "toy@2.0");
  EXPECT_FALSE(description->toolchains[1].has_manifest);
}

TEST_F(Device, InstallsATreeInOneStepAndReportsMissingTrees) {
  AgentClient client = arrive();
  client.send(samples::Ask{{kBundle, kTree}, ""});
  EXPECT_THAT(client.next_of<samples::Lacking>()->trees, ElementsAre(kTree));
  client.send(samples::Tree{kTree, {file("a", "one"), file("deep/er/b", "two"), file("c", "one"), file("d", "")}});
  const auto want = client.next_of<samples::Want>();
  ASSERT_EQ(want->pieces.size(), 3U) << "the same content twice is asked for once";
  EXPECT_FALSE(std::filesystem::exists(folder() / kTree));
  client.send_plain("onet");
  client.send_plain("wo");
  EXPECT_EQ(client.next_of<samples::Installed>()->path, kTree);
  EXPECT_EQ(content(kTree + "/a"), "one");
  EXPECT_EQ(content(kTree + "/deep/er/b"), "two");
  EXPECT_EQ(content(kTree + "/c"), "one");
  EXPECT_EQ(content(kTree + "/d"), "");
}

TEST_F(Device, ResumesADeliveryThatWasCutOff) {
  const samples::Tree tree{kTree, {file("a", "0123456789")}};
  {
    AgentClient client = arrive();
    client.send(tree);
    ASSERT_TRUE(client.next_of<samples::Want>());
    client.send_plain("0123456");
    client.hang_up();
    client.wait();
  }
  AgentClient client = arrive();
  client.send(tree);
  const auto want = client.next_of<samples::Want>();
  ASSERT_EQ(want->pieces.size(), 1U);
  EXPECT_EQ(want->pieces[0].offset_bytes, 7U);
  client.send_plain("789");
  ASSERT_TRUE(client.next_of<samples::Installed>());
  EXPECT_EQ(content(kTree + "/a"), "0123456789");
}

TEST_F(Device, RefusesAndDeletesContentThatDoesNotMatchItsHash) {
  const samples::Tree tree{kTree, {file("a", "0123456789")}};
  {
    AgentClient client = arrive();
    client.send(tree);
    ASSERT_TRUE(client.next_of<samples::Want>());
    client.send_plain("0123456780");
    EXPECT_FALSE(client.next_of<samples::Installed>());
    EXPECT_EQ(client.error()->what, "a was damaged in transit");
  }
  AgentClient client = arrive();
  client.send(tree);
  EXPECT_EQ(client.next_of<samples::Want>()->pieces.at(0).offset_bytes, 0U);
}

TEST_F(Device, RefusesPathsOutsideItsFolder) {
  for (const std::string path : {"../a", "/tmp/a", "a/../../b", "", ".", "a//b"}) {
    AgentClient in_a_tree = arrive();
    in_a_tree.send(samples::Tree{kTree, {file(path, "x")}});
    EXPECT_FALSE(in_a_tree.next_of<samples::Want>()) << path;
    EXPECT_THAT(in_a_tree.error()->what, HasSubstr("leaves the device's folder")) << path;
    AgentClient as_a_tree = arrive();
    as_a_tree.send(samples::Tree{path, {file("x", "x")}});
    EXPECT_FALSE(as_a_tree.next_of<samples::Want>()) << path;
    AgentClient removed = arrive();
    removed.send(samples::Remove{{path}, true});
    EXPECT_FALSE(removed.next_of<samples::Removed>()) << path;
  }
}

TEST_F(Device, SaysWhenTheDiskIsTooFull) {
  AgentClient client = arrive();
  samples::TreeFile large = file("a", "x");
  large.size_bytes = 1ULL << 60U;
  client.send(samples::Tree{kTree, {large}});
  EXPECT_FALSE(client.next_of<samples::Want>());
  EXPECT_THAT(client.error()->what, HasSubstr("the disk is too full"));
}

work::Job job_of(int processes, const std::string& behave = "") {
  work::Job job = test::small_job(processes);
  test::add_cell(job, "a", behave);
  return job;
}

TEST_F(Device, AnAgentContinuesWithoutItsClientAndReportsToTheNextOne) {
  {
    AgentClient client = arrive();
    attach(client);
    client.begin(job_of(4));
    ASSERT_TRUE(client.next_of<samples::Event>());
    client.kill();  // and the connection with it
  }
  AgentClient client = arrive();
  attach(client);
  client.begin(job_of(4));
  const auto events = client.follow_to_the_end();
  EXPECT_TRUE(test::ends_finished(events));
  EXPECT_EQ(test::processes_of(events).size(), 4U);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].sequence, i + 1);
}

TEST_F(Device, ANewClientReplacesTheOneBefore) {
  AgentClient first = arrive();
  attach(first);
  first.begin(job_of(1, "hang"));
  ASSERT_TRUE(first.next_of<samples::Event>());
  AgentClient second = arrive();
  attach(second);
  second.begin(job_of(1, "hang"));
  EXPECT_TRUE(second.next_of<samples::Event>());
  EXPECT_FALSE(first.next_of<Error>()) << "its connection is closed";
}

TEST_F(Device, MeasuresOneRunAtATime) {
  AgentClient first = arrive();
  attach(first);
  first.begin(job_of(1, "hang"));
  ASSERT_TRUE(first.next_of<samples::Event>());
  AgentClient second = arrive();
  second.send(samples::Attach{kOtherRun, kBundle + "/worker", kBundle + "/lib"});
  const auto busy = second.next_of<samples::Busy>();
  ASSERT_TRUE(busy) << second.error().value_or(Error{"silence", {}, {}}).text();
  EXPECT_EQ(busy->task, kRun);
  EXPECT_THAT(busy->holder, HasSubstr("process "));
  first.send(samples::Stop{});
  EXPECT_TRUE(second.next_of<samples::Hello>()) << "it has waited for its turn";
}

TEST_F(Device, AnInvalidMessageOfAClientDoesNotEndTheJob) {
  AgentClient first = arrive();
  attach(first);
  first.begin(job_of(3));
  ASSERT_TRUE(first.next_of<samples::Event>());
  AgentClient second = arrive();
  attach(second);
  second.send_plain("this is not a frame, and longer than a header");
  EXPECT_FALSE(second.next_of<samples::Event>());
  AgentClient third = arrive();
  attach(third);
  third.begin(job_of(3));
  EXPECT_EQ(test::processes_of(third.follow_to_the_end()).size(), 3U);
}

TEST_F(Device, AClientMaySendOnlyOneJob) {
  AgentClient first = arrive();
  attach(first);
  first.begin(job_of(3));
  ASSERT_TRUE(first.next_of<samples::Event>());
  first.send(job_of(2));
  while (first.next_of<samples::Event>()) {
  }
  ASSERT_TRUE(first.error());
  EXPECT_EQ(first.error()->what, "received a second job");
  AgentClient second = arrive();
  attach(second);
  second.begin(job_of(3));
  EXPECT_EQ(test::processes_of(second.follow_to_the_end()).size(), 3U);
}

TEST_F(Device, ARemovalWaitsForTheProcessesThatItKills) {
  std::filesystem::create_directories(folder() / kRun);
  std::vector<pid_t> spinning;
  for (int i = 0; i < 16; ++i) {  // more than processors, so that not all can end at once
    process::Spawn spawn{{"sh", "-c", "while :; do :; done"}};
    spawn.environment = {{kWorkFolderVariable, (folder() / kRun).string()}};
    spinning.push_back(*process::spawn(spawn));
  }
  AgentClient client = arrive();
  client.send(samples::Remove{{kRun}, false});
  const auto removed = client.next_of<samples::Removed>();
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->processes_left, 0U);
  for (const pid_t process : spinning) ::waitpid(process, nullptr, 0);
}

TEST_F(Device, NothingRemainsWhenARunIsRemoved) {
  AgentClient client = arrive();
  attach(client);
  client.begin(job_of(1, "hang"));
  ASSERT_TRUE(client.next_of<samples::Event>());
  AgentClient remover = arrive();
  remover.send(samples::Remove{{kRun}, false});
  const auto removed = remover.next_of<samples::Removed>();
  ASSERT_TRUE(removed) << remover.error().value_or(Error{}).text();
  EXPECT_THAT(removed->left, IsEmpty());
  EXPECT_EQ(removed->processes_left, 0U);
  EXPECT_FALSE(std::filesystem::exists(folder()));
  AgentClient again = arrive();
  again.send(samples::Remove{{kRun}, false});
  EXPECT_TRUE(again.next_of<samples::Removed>()) << "what is gone can be removed again";
}

}  // namespace
}  // namespace ngb::agent

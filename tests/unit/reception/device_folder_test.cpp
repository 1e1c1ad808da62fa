// SPDX-License-Identifier: Apache-2.0
// Tells NGraphBench's things in a device's folder from other things: only ours are used, run, ended and removed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "agent/lock.h"
#include "agent_client.h"
#include "base/hash.h"

namespace ngb::agent {
namespace {

namespace fs = std::filesystem;
using test::AgentClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kARun = "runs/0123456789abcdef-01234567";
const std::string kAnotherRun = "runs/ngb-0123456789abcdef-89abcdef-2";
const std::string kAHash(64, 'a');
const std::string kABundle = "bundles/" + kAHash;

// Returns the regular files below a folder with their content.
std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).string()] = *file::read(entry.path());
  }
  return files;
}

class DeviceFolder : public testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder_); }

  [[nodiscard]] AgentClient arrive() const {
    return AgentClient(std::vector<std::string>{"receive", "--folder", folder_.string()});
  }
  // Returns why the device refuses clients; "" if it receives them.
  [[nodiscard]] std::string refusal() const {
    AgentClient client = arrive();
    return client.next_of<samples::Arrival>() ? "" : client.error().value_or(Error{"silence", {}, {}}).text();
  }
  [[nodiscard]] std::optional<samples::Removed> remove(bool with_toolchains = false) const {
    AgentClient client = arrive();
    client.send(samples::Remove{{kARun}, with_toolchains});
    std::optional<samples::Removed> removed = client.next_of<samples::Removed>();
    EXPECT_TRUE(removed) << client.error().value_or(Error{"silence", {}, {}}).text();
    return removed;
  }
  void write(const fs::path& path, const std::string& content) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << content;
  }
  void write_mark() const { write(samples::kMarkFile, std::string(samples::kMarkText) + "\n"); }
  // Puts other people's files in every folder where NGraphBench keeps some.
  void write_strangers_files() const {
    for (const char* path :
         {"notes.txt", "agents/smith.txt", "bundles/of/joy.txt", "models/precious.onnx", "references/paper.bib",
          "tuning/fork.wav", "tuning/tvm/log.json", "holders/candles.txt", "files/notes.txt", "files/lock.old",
          "runs/marathon/times.csv", "toolchains/gcc/13/bin/gcc", "toolchains/notes.txt", ".hidden/secret"}) {
      write(path, std::string("precious: ") + path);
    }
  }
  static samples::TreeFile file(const std::string& path, const std::string& content) {
    return {path, hash::sha256(content), content.size(), false};
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path() / "device";
};

TEST_F(DeviceFolder, StrangersFilesInEveryPlaceSurviveARunAndItsTeardown) {
  write_mark();
  write_strangers_files();
  const auto before = files_below(folder_);
  write("agents/" + kAHash + "/ngb-agent", "x");
  write("models/" + kAHash + "/model.onnx", "x");
  write("references/" + kAHash + ".ref", "x");
  write("references/" + kAHash + "/outputs.ref", "x");
  write("tuning/tvm/" + std::string(32, 'a') + "/log", "x");
  write("tuning/tensorrt/timing-8.6.cache", "x");
  write("holders/ngb-0123456789abcdef-01234567.log", "x");
  write("files/" + kAHash + ".x.partial", "x");
  write("toolchains/toy/1.0/site/toy.py", "x");
  fs::create_directories(folder_ / kABundle);
  fs::create_symlink(test::fake_worker(), folder_ / kABundle / "worker");
  fs::create_symlink(NGB_SOURCE_DIR "/tests/unit/agent/lib", folder_ / kABundle / "lib");
  {
    AgentClient client = arrive();
    client.send(samples::Attach{kARun, kABundle + "/worker", kABundle + "/lib"});
    ASSERT_TRUE(client.next_of<samples::Hello>()) << client.error().value_or(Error{}).text();
    work::Job job = test::small_job(1);
    test::add_cell(job, "a", "hang");
    client.begin(job);
    ASSERT_TRUE(client.next_of<samples::Event>());
  }
  const auto removed = remove();
  EXPECT_THAT(removed->left, IsEmpty());
  EXPECT_THAT(removed->kept_for, IsEmpty());
  auto expected = before;
  expected["toolchains/toy/1.0/site/toy.py"] = "x";
  EXPECT_EQ(files_below(folder_), expected);
  EXPECT_THAT(remove(true)->left, IsEmpty());
  EXPECT_EQ(files_below(folder_), before);
}

TEST_F(DeviceFolder, IsRefusedAndLeftAsItWasWhenItHoldsSomethingElse) {
  for (const std::string path : {"notes.txt", "models/precious.onnx", "references/paper.bib", "files/notes.txt",
                                 "toolchains/gcc/13/bin/gcc", "lock"}) {
    write(path, "precious");
    EXPECT_THAT(refusal(), HasSubstr("is not empty and not NGraphBench's: it holds " + path.substr(0, path.find('/'))));
    EXPECT_EQ(files_below(folder_), (std::map<std::string, std::string>{{path, "precious"}}));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
}

TEST_F(DeviceFolder, OfAnEarlierVersionGetsAMarkAndIsUsed) {
  write("toolchains/toy/1.0/manifest.json", "{}");
  write("files/" + kAHash, "x");
  write("lock", R"({"pid":12,"boot_id":"b"})");
  fs::create_directories(folder_ / kARun);
  EXPECT_EQ(refusal(), "");
  EXPECT_THAT(file::read(folder_ / samples::kMarkFile).value_or(""), testing::StartsWith(samples::kMarkText));
}

TEST_F(DeviceFolder, IsRefusedWhenOthersMayWriteInItOrInItsToolchains) {
  fs::permissions(folder_, fs::perms::all);
  EXPECT_THAT(refusal(), HasSubstr("is writable by other users"));
  EXPECT_TRUE(fs::is_empty(folder_));
  fs::permissions(folder_, fs::perms::owner_all);
  const fs::path toolchains = temporary_.path() / "toolchains";
  fs::create_directory(toolchains);
  fs::permissions(toolchains, fs::perms::all);
  fs::create_symlink(toolchains, folder_ / "toolchains");
  EXPECT_THAT(refusal(), HasSubstr("is writable by other users"));
  fs::permissions(toolchains, fs::perms::owner_all);
  EXPECT_EQ(refusal(), "");
}

TEST_F(DeviceFolder, IsRefusedWhenItBelongsToAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::chown(folder_.c_str(), kNobody, kNobody), 0);
  EXPECT_THAT(refusal(), HasSubstr("belongs to another user (uid 65534)"));
}

TEST_F(DeviceFolder, IsRefusedIfALinkReplacesOneOfOurFolders) {
  write_mark();
  const fs::path elsewhere = temporary_.path() / "elsewhere";
  fs::create_directory(elsewhere);
  fs::create_symlink(elsewhere, folder_ / "models");
  EXPECT_THAT(refusal(), HasSubstr("models: is a link"));
}

TEST_F(DeviceFolder, IsRefusedIfAnotherUsersFileHasTheNameOfTheLock) {
  write_mark();
  write("lock", "my diary");
  fs::create_directories(folder_ / kABundle / "lib");
  std::ofstream(folder_ / kABundle / "worker") << "";
  AgentClient client = arrive();
  client.send(samples::Attach{kARun, kABundle + "/worker", kABundle + "/lib"});
  EXPECT_FALSE(client.next_of<samples::Hello>());
  EXPECT_THAT(client.error()->what, HasSubstr("has the name of its lock"));
  EXPECT_THAT(remove(true)->left, IsEmpty());
  EXPECT_EQ(files_below(folder_).at("lock"), "my diary");
}

TEST_F(DeviceFolder, RefusesTreesAndRunsThatATeardownWouldNotRemove) {
  for (const std::string& path :
       std::vector<std::string>{"models/mine", "bundles", "mine/" + kAHash, "toolchains/a/b/c"}) {
    AgentClient client = arrive();
    client.send(samples::Tree{path, {file("x", "x")}});
    EXPECT_FALSE(client.next_of<samples::Want>()) << path;
    EXPECT_EQ(client.error()->what, "is not a place for deliveries") << path;
  }
  for (const std::string& path : std::vector<std::string>{"runs/marathon", "runs", "models/" + kAHash, kARun + "/x"}) {
    AgentClient attached = arrive();
    attached.send(samples::Attach{path, "w", "l"});
    EXPECT_FALSE(attached.next_of<samples::Hello>()) << path;
    AgentClient removed = arrive();
    removed.send(samples::Remove{{path}, true});
    EXPECT_FALSE(removed.next_of<samples::Removed>()) << path;
    EXPECT_EQ(removed.error()->what, "is not a run's folder") << path;
  }
}

TEST_F(DeviceFolder, ATeardownDoesNotTouchTheDeliveryOfAnotherClient) {
  AgentClient other = arrive();
  other.send(samples::Tree{kABundle, {file("a", "0123456789"), file("b", "abc")}});
  ASSERT_TRUE(other.next_of<samples::Want>());
  other.send_plain("0123456789a");
  EXPECT_THAT(remove()->kept_for, ElementsAre("a delivery on its way"));
  other.send_plain("bc");
  ASSERT_TRUE(other.next_of<samples::Installed>()) << other.error().value_or(Error{}).text();
  EXPECT_EQ(file::read(folder_ / kABundle / "a").value_or(""), "0123456789");
}

TEST_F(DeviceFolder, ATeardownLeavesWhatARunThatHasNotBegunNeeds) {
  AgentClient other = arrive();
  other.send(samples::Tree{kABundle, {file("a", "0123456789")}});
  ASSERT_TRUE(other.next_of<samples::Want>());
  other.send_plain("0123456789");
  ASSERT_TRUE(other.next_of<samples::Installed>());
  other.send(samples::Ask{{kABundle}, kAnotherRun});
  EXPECT_THAT(other.next_of<samples::Lacking>()->trees, IsEmpty());
  const auto removed = remove();
  EXPECT_THAT(removed->kept_for, ElementsAre(kAnotherRun));
  EXPECT_THAT(removed->left, IsEmpty());
  EXPECT_TRUE(fs::exists(folder_ / kABundle / "a"));
}

TEST_F(DeviceFolder, DeliveredFilesAreReadOnlyAndCanBeRemovedAndDeliveredAgain) {
  for (int i = 0; i < 2; ++i) {
    AgentClient client = arrive();
    samples::Tree tree{kABundle, {file("a", "0123456789"), file("b", "program")}};
    tree.files[1].is_executable = true;
    client.send(tree);
    ASSERT_TRUE(client.next_of<samples::Want>());
    if (i == 0) client.send_plain("0123456789program");
    ASSERT_TRUE(client.next_of<samples::Installed>()) << client.error().value_or(Error{}).text();
    EXPECT_EQ(fs::status(folder_ / kABundle / "a").permissions(), fs::perms::owner_read);
    EXPECT_EQ(fs::status(folder_ / kABundle / "b").permissions(), fs::perms::owner_read | fs::perms::owner_exec);
    if (i == 0) fs::remove_all(folder_ / kABundle);
  }
  EXPECT_THAT(remove()->left, IsEmpty());
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(DeviceFolder, ADeliveryWhoseClientIsSilentMakesWayForAnother) {
  const samples::Tree tree{kABundle, {file("a", "0123456789")}};
  AgentClient silent(std::vector<std::string>{"receive", "--folder", folder_.string(), "--silence", "0"});
  silent.send(tree);
  ASSERT_TRUE(silent.next_of<samples::Want>());
  silent.send_plain("0123");
  AgentClient other = arrive();
  other.send(tree);
  const auto told = other.next_of<samples::Progress>();
  ASSERT_TRUE(told) << other.error().value_or(Error{"silence", {}, {}}).text();
  EXPECT_EQ(told->doing, "waiting for another delivery to this device (process " + std::to_string(silent.pid()) + ")");
  const auto want = other.next_of<samples::Want>();
  ASSERT_TRUE(want);
  EXPECT_EQ(want->pieces.at(0).offset_bytes, 4U) << "what came before is kept";
  other.send_plain("456789");
  EXPECT_TRUE(other.next_of<samples::Installed>());
  EXPECT_FALSE(silent.next_of<samples::Installed>());
  EXPECT_EQ(silent.error()->what,
            "the client of this delivery was silent, so the delivery of another client went first");
}

TEST_F(DeviceFolder, ADamagedTreeIsReportedMissingAndDeliveredAgain) {
  const std::string toolchain = "toolchains/toy/1.0";
  const auto deliver = [this](const std::string& path) {
    AgentClient client = arrive();
    client.send(samples::Tree{path, {file("site/a", "0123456789"), file("manifest.json", "{}")}});
    const auto want = client.next_of<samples::Want>();
    for (const auto& piece : want->pieces) client.send_plain(piece.file_index == 0 ? "0123456789" : "{}");
    EXPECT_TRUE(client.next_of<samples::Installed>()) << client.error().value_or(Error{}).text();
  };
  const auto lacking = [&] {
    AgentClient client = arrive();
    client.send(samples::Ask{{kABundle, toolchain}, ""});
    return client.next_of<samples::Lacking>().value_or(samples::Lacking{{"silence"}}).trees;
  };
  const auto damage = [this](const std::string& path, const std::string& content) {
    fs::permissions(folder_ / path, fs::perms::owner_all);
    std::ofstream(folder_ / path) << content;
  };
  deliver(kABundle);
  deliver(toolchain);
  EXPECT_THAT(lacking(), IsEmpty());
  damage(kABundle + "/site/a", "0123456780");  // linked to the toolchain's file, of which only the size is checked
  EXPECT_THAT(lacking(), ElementsAre(kABundle));
  damage(kABundle + "/site/a", "");
  EXPECT_THAT(lacking(), ElementsAre(kABundle, toolchain));
  deliver(kABundle);
  deliver(toolchain);
  EXPECT_THAT(lacking(), IsEmpty());
  EXPECT_EQ(file::read(folder_ / toolchain / "site/a").value_or(""), "0123456789");
  EXPECT_FALSE(fs::exists(folder_ / (toolchain + ".damaged")));
}

TEST_F(DeviceFolder, TellsWhichFilesOfADeliveredToolchainHaveChanged) {
  const std::string toolchain = "toolchains/toy/1.0";
  AgentClient client = arrive();
  client.send(samples::Tree{toolchain, {file("site/a.dist-info/a", "0123456789"), file("manifest.json", "{}")}});
  ASSERT_TRUE(client.next_of<samples::Want>());
  client.send_plain("0123456789{}");
  ASSERT_TRUE(client.next_of<samples::Installed>()) << client.error().value_or(Error{}).text();
  const auto manifest = [&] {
    client.send(samples::Inspect{{toolchain}});
    return client.next_of<samples::Inspection>()->folders.at(0).manifest;
  };
  EXPECT_EQ(manifest(), "{}");
  fs::permissions(folder_ / toolchain / "site/a.dist-info/a", fs::perms::owner_all);
  std::ofstream(folder_ / toolchain / "site/a.dist-info/a") << "0123456780";
  EXPECT_EQ(manifest(), R"({"changed":{"site/a.dist-info/a":")" + hash::sha256("0123456780") + "\"}}");
}

// A process that is not ours, and a lock that names it.
class ProcessNamedByALock : public DeviceFolder {
 protected:
  void SetUp() override {
    DeviceFolder::SetUp();
    write_mark();
    const auto started = process::spawn({{"sleep", "1000"}});
    ASSERT_TRUE(started);
    innocent_ = *started;
    fs::create_directories(folder_ / kARun);
    auto held = try_lock(folder_ / kARun);
    ASSERT_TRUE(held && held->is_open());
    lock_ = std::move(*held);
  }
  void TearDown() override {
    ::kill(innocent_, SIGKILL);
    ::waitpid(innocent_, nullptr, 0);
  }

  void name_in_lock(const std::string& pid, const std::string& boot_id) const {
    const std::string owner = R"({"pid":)" + pid + R"(,"boot_id":")" + boot_id + R"(","pid_namespace":")" +
                              process::pid_namespace() + R"("})";
    ASSERT_EQ(::pwrite(lock_.get(), owner.data(), owner.size(), 0), static_cast<ssize_t>(owner.size()));
    ASSERT_EQ(::ftruncate(lock_.get(), static_cast<off_t>(owner.size())), 0);
  }
  [[nodiscard]] std::string refusal_to_remove() const {
    AgentClient client = arrive();
    client.send(samples::Remove{{kARun}, false});
    return client.next_of<samples::Removed>() ? "removed" : client.error().value_or(Error{"silence", {}, {}}).text();
  }

  pid_t innocent_ = -1;
  FileDescriptor lock_;
};

TEST_F(ProcessNamedByALock, IsNotEndedIfItIsOnAnotherMachine) {
  name_in_lock(std::to_string(innocent_), "another");
  EXPECT_THAT(refusal_to_remove(), HasSubstr("in use by process " + std::to_string(innocent_) +
                                             " on another machine, which cannot be ended"));
  EXPECT_TRUE(test::is_alive(innocent_));
}

TEST_F(ProcessNamedByALock, IsNotEndedIfItDoesNotHoldTheLock) {
  const std::string boot_id = lock_owner(folder_ / kARun)->boot_id;
  for (const std::string& pid : {std::to_string(innocent_), std::string("1"), std::string("0"), std::string("-1")}) {
    name_in_lock(pid, boot_id);
    EXPECT_THAT(refusal_to_remove(), HasSubstr("in use, but not by process " + pid));
    EXPECT_TRUE(test::is_alive(innocent_));
  }
}

TEST_F(ProcessNamedByALock, IsEndedIfItHoldsTheLock) {
  // The process that the lock names inherits the open file, and so the lock.
  process::Spawn spawn{{"sleep", "1000"}};
  spawn.descriptors = {{lock_.get(), 3}};
  const auto holder = process::spawn(spawn);
  ASSERT_TRUE(holder);
  name_in_lock(std::to_string(*holder), lock_owner(folder_ / kARun)->boot_id);
  lock_.reset();
  EXPECT_EQ(refusal_to_remove(), "removed");
  EXPECT_FALSE(test::is_alive(*holder));
  ::waitpid(*holder, nullptr, 0);
}

}  // namespace
}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
// The first contact with a device, through a real shell; the connection is a pipe instead of ssh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent_client.h"
#include "dispatch/bootstrap.h"
#include "dispatch/delivery.h"
#include "dispatch/parts.h"

namespace ngb::dispatch {
namespace {

using testing::HasSubstr;

class Bootstrap : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "worker") << "a worker";
    std::filesystem::create_directories(folder_.path() / "lib/python/__pycache__");
    std::ofstream(folder_.path() / "lib/python/loop.py") << "a loop";
    std::ofstream(folder_.path() / "lib/python/__pycache__/loop.pyc") << "not to be delivered";
    look();
  }

  void look() {
    const auto parts = find_parts({kAgent, folder_.path() / "worker", folder_.path() / "lib"});
    ASSERT_TRUE(parts) << parts.error().text();
    parts_ = *parts;
  }

  Result<std::optional<samples::Arrival>> arrive(const std::filesystem::path& device_folder,
                                                 const std::string& before = "") {
    return talk(device_folder, before, false);
  }
  Result<std::optional<samples::Arrival>> arrive_and_deliver(const std::filesystem::path& device_folder) {
    return talk(device_folder, "", true);
  }

  static constexpr const char* kAgent = NGB_BUILD_DIR "/bin/ngb-agent";
  TemporaryFolder folder_;
  Parts parts_;

 private:
  Result<std::optional<samples::Arrival>> talk(const std::filesystem::path& device_folder, const std::string& before,
                                               bool is_delivering) {
    config::DeviceEntry entry;
    entry.folder = device_folder.string();
    const std::string script = bootstrap_script(parts_.agents, entry);
    Loop loop;
    const auto device = Connection::start(
        loop, {"/bin/sh", "-c", before + shell_command(bootstrap_words(script.size()))}, folder_.path() / "log");
    if (!device) return tl::unexpected(device.error());
    Result<std::optional<samples::Arrival>> arrival;
    const OnBytesLeft ignored = [](std::uint64_t) {};
    const auto conversation = [&]() -> asio::awaitable<void> {
      arrival = co_await bootstrap(**device, script, parts_.agents);
      if (is_delivering) {
        const Result<bool> delivered = co_await deliver(**device, parts_.bundles.begin()->second, 0, ignored);
        EXPECT_TRUE(delivered && *delivered);
      }
      co_await (*device)->end(std::chrono::seconds(15));
    };
    asio::co_spawn(loop.io, conversation(), [](const std::exception_ptr& thrown) {
      if (thrown) std::rethrow_exception(thrown);
    });
    loop.io.run();
    return arrival;
  }
};

TEST_F(Bootstrap, BringsTheAgentOnceAndFindsItThenOn) {
  const std::filesystem::path device = folder_.path() / "device";
  const auto first = arrive(device);
  ASSERT_TRUE(first && first->has_value());
  EXPECT_EQ((*first)->folder, device.string());
  const std::filesystem::path agent = device / "agents" / parts_.agents[0].sha256 / "ngb-agent";
  const auto written = std::filesystem::last_write_time(agent);
  const auto second = arrive(device);
  ASSERT_TRUE(second && second->has_value());
  EXPECT_EQ(std::filesystem::last_write_time(agent), written);
}

TEST_F(Bootstrap, TakesAFoldersNameAsItIs) {
  for (const std::string name : {"it's", "a b", "$(touch pwned)", "`touch pwned`", "-rf", "\"quoted\"", "line\nbreak",
                                 "back\\slash", "semi;colon", "*", "ü"}) {
    const std::filesystem::path device = folder_.path() / name;
    const auto arrival = arrive(device);
    ASSERT_TRUE(arrival && arrival->has_value()) << name;
    EXPECT_EQ((*arrival)->folder, device.string());
    EXPECT_TRUE(std::filesystem::exists(device / "agents")) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "pwned"));
  EXPECT_FALSE(std::filesystem::exists("pwned"));
}

TEST_F(Bootstrap, PassesOverWhatALoginShellSaysFirst) {
  EXPECT_TRUE(*arrive(folder_.path() / "device", "echo welcome; echo 'you have mail'; "));
}

TEST_F(Bootstrap, DoesNotListenToALoginShellForEver) {
  const auto arrival = arrive(folder_.path() / "device", "yes | head -n 100000; ");
  ASSERT_FALSE(arrival);
  EXPECT_THAT(arrival.error().what, HasSubstr("says too much"));
}

TEST_F(Bootstrap, SaysWhenThereIsNoAgentForAMachine) {
  parts_.agents[0].machine = "vax";
  const auto arrival = arrive(folder_.path() / "device");
  ASSERT_FALSE(arrival);
  EXPECT_THAT(arrival.error().what, HasSubstr("there is no agent for a machine of the kind"));
}

TEST_F(Bootstrap, BringsADeviceOfAnotherKindWhatIsForIt) {
  const std::string kind = parts_.machine == "aarch64" ? "x86_64" : "aarch64";
  const std::filesystem::path theirs = folder_.path() / "ngraphbench-devices" / kind;
  std::filesystem::create_directories(theirs / "bin");
  std::filesystem::create_directories(theirs / "lib/ngraphbench");
  std::filesystem::copy_file(kAgent, theirs / "bin/ngb-agent");
  std::ofstream(theirs / "bin/ngb-agent", std::ios::app) << "for " << kind;
  std::ofstream(theirs / "bin/ngb-worker") << "a worker for " << kind;
  std::filesystem::create_directories(folder_.path() / "commands");
  std::ofstream(folder_.path() / "commands/uname") << "#!/bin/sh\necho " << kind << "\n";
  std::filesystem::permissions(folder_.path() / "commands/uname", std::filesystem::perms::owner_all);
  look();
  const std::filesystem::path device = folder_.path() / "device";
  const auto arrival = arrive(device, "PATH=" + (folder_.path() / "commands").string() + ":$PATH; ");
  ASSERT_TRUE(arrival && arrival->has_value());
  EXPECT_EQ(parts_.agents.at(1).machine, kind);
  const std::filesystem::path agents = device / "agents";
  EXPECT_TRUE(std::filesystem::exists(agents / parts_.agents.at(1).sha256 / "ngb-agent"));
  EXPECT_FALSE(std::filesystem::exists(agents / parts_.agents.at(0).sha256));
  ASSERT_NE(parts_.bundle_for(kind), nullptr);
  EXPECT_EQ(parts_.bundle_for(kind)->sources.at(0), theirs / "bin/ngb-worker");
}

TEST_F(Bootstrap, DeliversABundleWithoutWhatPythonLeavesBehind) {
  const std::filesystem::path device = folder_.path() / "device";
  ASSERT_TRUE(arrive_and_deliver(device));
  const std::filesystem::path bundle = device / parts_.bundles.begin()->second.tree.path;
  EXPECT_EQ(file::read(bundle / "bin/ngb-worker").value_or(""), "a worker");
  EXPECT_EQ(file::read(bundle / "lib/ngraphbench/python/loop.py").value_or(""), "a loop");
  EXPECT_FALSE(std::filesystem::exists(bundle / "lib/ngraphbench/python/__pycache__"));
}

TEST(ShellQuoted, IsOneWord) {
  EXPECT_EQ(shell_quoted("plain"), "'plain'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace ngb::dispatch

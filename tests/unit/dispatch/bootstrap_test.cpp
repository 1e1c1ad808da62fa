// SPDX-License-Identifier: Apache-2.0
// Tests the first contact with a device through a real shell; the connection is a pipe instead of ssh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent_client.h"
#include "base/hash.h"
#include "dispatch/delivery/bootstrap.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/delivery/tree_delivery.h"

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

  Result<samples::Arrival> arrive(const std::filesystem::path& device_folder, const std::string& before = "",
                                  Trust trust = Trust::whole) {
    return talk(device_folder, before, false, trust);
  }
  Result<samples::Arrival> arrive_and_deliver(const std::filesystem::path& device_folder) {
    return talk(device_folder, "", true, Trust::whole);
  }

  static constexpr const char* kAgent = NGB_BUILD_DIR "/bin/ngb-agent";
  TemporaryFolder folder_;
  Parts parts_;
  std::vector<std::string> shell_;  // the whole command; empty: /bin/sh -c with the command that ssh would send

 private:
  Result<samples::Arrival> talk(const std::filesystem::path& device_folder, const std::string& before,
                                bool is_delivering, Trust trust) {
    config::DeviceEntry entry;
    entry.folder = device_folder.string();
    const std::string script = bootstrap_script(parts_.agents, entry, trust);
    Loop loop;
    const std::vector<std::string> usual{"/bin/sh", "-c", before + shell_command(bootstrap_words(script.size()))};
    const auto device = Connection::start(loop, shell_.empty() ? usual : shell_, folder_.path() / "log");
    if (!device) return tl::unexpected(device.error());
    Result<samples::Arrival> arrival;
    const OnBytesLeft ignored = [](std::uint64_t) {};
    const auto conversation = [&]() -> asio::awaitable<void> {
      arrival = co_await bootstrap(**device, script, parts_.agents);
      if (is_delivering) {
        const Status delivered = co_await deliver(**device, parts_.bundles.begin()->second, 0, ignored);
        EXPECT_TRUE(delivered);
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

TEST_F(Bootstrap, DeliversTheAgentOnceAndFindsItLater) {
  const std::filesystem::path device = folder_.path() / "device";
  const auto first = arrive(device);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->folder, device.string());
  const std::filesystem::path agent = device / "agents" / parts_.agents[0].sha256 / "ngb-agent";
  const auto written = std::filesystem::last_write_time(agent);
  const auto second = arrive(device);
  ASSERT_TRUE(second);
  EXPECT_EQ(std::filesystem::last_write_time(agent), written);
}

TEST_F(Bootstrap, UsesTheNameOfAFolderUnchanged) {
  for (const std::string name : {"it's", "a b", "$(touch pwned)", "`touch pwned`", "-rf", "\"quoted\"", "line\nbreak",
                                 "back\\slash", "semi;colon", "*", "ü"}) {
    const std::filesystem::path device = folder_.path() / name;
    const auto arrival = arrive(device);
    ASSERT_TRUE(arrival) << name;
    EXPECT_EQ(arrival->folder, device.string());
    EXPECT_TRUE(std::filesystem::exists(device / "agents")) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "pwned"));
  EXPECT_FALSE(std::filesystem::exists("pwned"));
}

TEST_F(Bootstrap, ReplacesADamagedAgent) {
  const std::filesystem::path device = folder_.path() / "device";
  const AgentFile& whole = parts_.agents[0];
  const std::filesystem::path agent = device / "agents" / whole.sha256 / "ngb-agent";
  std::filesystem::create_directories(agent.parent_path());
  for (const std::string& damaged : {std::string(), std::string(100, '\0'), std::string(whole.size_bytes, '\0')}) {
    std::filesystem::remove(agent);
    std::ofstream(agent) << damaged;
    std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
    const auto arrival = arrive(device);
    ASSERT_TRUE(arrival) << damaged.size();
    EXPECT_EQ(hash::sha256_of_file(agent).value_or(""), whole.sha256);
  }
}

TEST_F(Bootstrap, DeliversTheAgentAgainIfTheDeviceCannotDetectItsDamage) {
  const std::filesystem::path device = folder_.path() / "device";
  const std::filesystem::path agent = device / "agents" / parts_.agents[0].sha256 / "ngb-agent";
  std::filesystem::create_directories(agent.parent_path());
  std::ofstream(agent) << std::string(parts_.agents[0].size_bytes, '\0');
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  const std::filesystem::path commands = folder_.path() / "commands";
  std::filesystem::create_directory(commands);
  for (const std::string name : {"chmod", "head", "ls", "mkdir", "mv", "rm", "sync", "uname", "wc"}) {
    for (const std::string place : {"/usr/bin/", "/bin/"}) {
      std::error_code is_there;
      if (std::filesystem::exists(place + name))
        std::filesystem::create_symlink(place + name, commands / name, is_there);
    }
  }
  const std::string without_sha256sum = "PATH=" + commands.string() + "; ";
  const auto first = arrive(device, without_sha256sum);
  EXPECT_FALSE(first);
  const auto second = arrive(device, without_sha256sum, Trust::none);
  EXPECT_TRUE(second);
}

TEST_F(Bootstrap, RunsNoProgramThatAnotherUserMayHavePutThere) {
  const std::filesystem::path device = folder_.path() / "device";
  const std::filesystem::path agent = device / "agents" / parts_.agents[0].sha256 / "ngb-agent";
  std::filesystem::create_directories(agent.parent_path());
  std::ofstream(agent) << "#!/bin/sh\ntouch '" << (folder_.path() / "pwned").string() << "'\n";
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  std::filesystem::permissions(device, std::filesystem::perms::all);
  auto arrival = arrive(device);
  ASSERT_FALSE(arrival);
  EXPECT_THAT(arrival.error().what, HasSubstr("other users may write in the device's folder"));
  constexpr uid_t kNobody = 65534;
  std::filesystem::permissions(device, std::filesystem::perms::owner_all);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(device.c_str(), kNobody, kNobody), 0);
    arrival = arrive(device);
    ASSERT_FALSE(arrival);
    EXPECT_EQ(arrival.error().what, "the device's folder belongs to another user");
    ASSERT_EQ(::chown(device.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(agent.c_str(), kNobody, kNobody), 0);
    arrival = arrive(device);
    ASSERT_TRUE(arrival) << "the planted one was replaced";
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "pwned"));
}

TEST_F(Bootstrap, PutsNothingIntoAFolderThatIsNotOurs) {
  const std::filesystem::path device = folder_.path() / "device";
  for (const std::string name : {"notes.txt", ".profile", "models/precious.onnx"}) {
    std::filesystem::create_directories((device / name).parent_path());
    std::ofstream(device / name) << "precious";
    const auto arrival = arrive(device);
    ASSERT_FALSE(arrival) << name;
    EXPECT_THAT(arrival.error().what, HasSubstr("is not empty and not NGraphBench's: it holds " + name));
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(device))
      files += entry.is_directory() ? 0 : 1;
    EXPECT_EQ(files, 1) << name;
    EXPECT_FALSE(std::filesystem::exists(device / "agents")) << name;
    std::filesystem::remove_all(device);
  }
}

TEST_F(Bootstrap, SkipsWhatALoginShellPrintsFirst) {
  EXPECT_TRUE(arrive(folder_.path() / "device", "echo welcome; echo 'you have mail'; "));
}

TEST_F(Bootstrap, GivesUpOnALoginShellThatPrintsTooMuch) {
  const auto arrival = arrive(folder_.path() / "device", "yes | head -n 100000; ");
  ASSERT_FALSE(arrival);
  EXPECT_THAT(arrival.error().what, HasSubstr("prints too much"));
}

TEST_F(Bootstrap, SaysWhenThereIsNoAgentForAMachine) {
  parts_.agents[0].machine = "vax";
  const auto arrival = arrive(folder_.path() / "device");
  ASSERT_FALSE(arrival);
  EXPECT_THAT(arrival.error().what, HasSubstr("there is no agent for a machine of the kind"));
}

TEST_F(Bootstrap, DeliversTheAgentAndTheBundleForTheDevicesKind) {
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
  ASSERT_TRUE(arrival);
  EXPECT_EQ(parts_.agents.at(1).machine, kind);
  const std::filesystem::path agents = device / "agents";
  EXPECT_TRUE(std::filesystem::exists(agents / parts_.agents.at(1).sha256 / "ngb-agent"));
  EXPECT_FALSE(std::filesystem::exists(agents / parts_.agents.at(0).sha256));
  ASSERT_NE(parts_.bundle_for(kind), nullptr);
  EXPECT_EQ(parts_.bundle_for(kind)->sources.at(0), theirs / "bin/ngb-worker");
}

TEST_F(Bootstrap, DeliversABundleWithoutPythonsCaches) {
  const std::filesystem::path device = folder_.path() / "device";
  ASSERT_TRUE(arrive_and_deliver(device));
  const std::filesystem::path bundle = device / parts_.bundles.begin()->second.tree.path;
  EXPECT_EQ(file::read(bundle / "bin/ngb-worker").value_or(""), "a worker");
  EXPECT_EQ(file::read(bundle / "lib/ngraphbench/python/loop.py").value_or(""), "a loop");
  EXPECT_FALSE(std::filesystem::exists(bundle / "lib/ngraphbench/python/__pycache__"));
}

TEST_F(Bootstrap, WorksOverAShellThatReadsItsCommandsFromStandardInput) {
  const std::filesystem::path device = folder_.path() / "device";
  shell_ = {"/bin/sh"};
  const auto first = arrive_and_deliver(device);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->folder, device.string());
  const auto second = arrive(device);
  EXPECT_TRUE(second);
}

TEST(ShellQuoted, IsOneWord) {
  EXPECT_EQ(shell_quoted("plain"), "'plain'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace ngb::dispatch

// SPDX-License-Identifier: Apache-2.0
// What is delivered to a device: the agent, by the script of the first contact, and trees.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "dispatch/delivery/bootstrap.h"
#include "power_loss.h"
#include "reception/receiving.h"

namespace ngb::power_loss {
namespace {

namespace fs = std::filesystem;

const std::string kContents[] = {std::string(40'000, 'a'), std::string(900, 'b')};

samples::Tree tree() {
  return {"bundles/1",
          {{"worker", hash::sha256(kContents[0]), kContents[0].size(), true},
           {"lib/deep/loop.py", hash::sha256(kContents[1]), kContents[1].size(), false}}};
}

Status deliver(const fs::path& device) {
  auto receiving = reception::Receiving::begin(device, tree());
  if (!receiving) return tl::unexpected(receiving.error());
  const std::vector<samples::Want::Piece> pieces = receiving->want().pieces;
  for (const samples::Want::Piece& piece : pieces) {
    const auto taken = receiving->receive(std::string_view(kContents[piece.file_index]).substr(piece.offset_bytes));
    if (!taken) return tl::unexpected(taken.error());
  }
  return receiving->install();
}

void expect_whole(const fs::path& device) {
  EXPECT_TRUE(content_of(device / "bundles/1/worker") == kContents[0]);
  EXPECT_TRUE(content_of(device / "bundles/1/lib/deep/loop.py") == kContents[1]);
}

TEST_F(PowerLoss, LeavesADeliveredTreeWholeOrToBeDeliveredAgain) {
  const auto work = [this] {
    must(file::make_folder(folder() / "device"));
    must(deliver(folder() / "device"));
    promise("installed");
  };
  cut(work, [](const auto& left, const auto& promises) {
    const fs::path device = left / "device";
    if (fs::exists(device / "bundles/1")) {
      expect_whole(device);
      return;
    }
    EXPECT_FALSE(promises.contains("installed"));
    if (!fs::exists(device)) return;
    Status delivered = deliver(device);
    // What was left of a file is continued. If it is not what it should be, it is dropped, and comes anew.
    if (!delivered) delivered = deliver(device);
    EXPECT_TRUE(delivered) << delivered.error().text();
    expect_whole(device);
  });
}

// The agent here is a script that does nothing: what counts is that its file is whole.
TEST_F(PowerLoss, LeavesADeliveredAgentWholeOrToBeDeliveredAgain) {
  const std::string program = "#!/bin/sh\nexit 0\n" + std::string(30'000, '#') + "\n";
  const TemporaryFolder client;
  const dispatch::AgentFile agent{"x86_64", client.write("agent", program), hash::sha256(program), program.size()};
  std::vector<dispatch::AgentFile> agents{agent, agent};
  agents[1].machine = "aarch64";
  const fs::path in = client.write("in", program);
  const auto run_script = [&](const fs::path& device) {
    config::DeviceEntry entry;
    entry.folder = device.string();
    const fs::path script = client.write("script", dispatch::bootstrap_script(agents, entry));
    return ::system(("/bin/sh '" + script.string() + "' < '" + in.string() + "' > /dev/null").c_str());
  };
  const std::string name = "device/agents/" + agent.sha256 + "/ngb-agent";
  const auto work = [&] {
    if (run_script(folder() / "device") != 0) throw std::runtime_error("the script failed");
    promise("delivered");
  };
  cut(work, [&](const auto& left, const auto& promises) {
    if (fs::exists(left / name)) {
      EXPECT_TRUE(content_of(left / name) == program);
    } else {
      EXPECT_FALSE(promises.contains("delivered"));
    }
    EXPECT_EQ(run_script(left / "device"), 0);
    EXPECT_TRUE(content_of(left / name) == program);
  });
}

}  // namespace
}  // namespace ngb::power_loss

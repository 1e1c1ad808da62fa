// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/ssh_route.h"

#include <memory>
#include <utility>

#include "dispatch/route/route.h"

namespace ngb::dispatch {

Command ssh_command(const config::SshAddress& address, const std::string& remote_command) {
  Command words{"ssh", "-T",
                "-o",  "BatchMode=yes",
                "-o",  "ServerAliveInterval=5",
                "-o",  "ServerAliveCountMax=3",
                "-o",  "ConnectTimeout=15"};
  if (!address.config.empty()) words.insert(words.end(), {"-F", address.config.string()});
  if (address.port != 0) words.insert(words.end(), {"-p", std::to_string(address.port)});
  if (!address.user.empty()) words.insert(words.end(), {"-l", address.user});
  words.insert(words.end(), {"--", address.host, remote_command});
  return words;
}

namespace {

class SshRoute final : public Route {
 public:
  explicit SshRoute(const Share& share) : Route(share, share.device.ssh.host) {}

  [[nodiscard]] Command command(std::size_t script_bytes) const override {
    return ssh_command(device_.ssh, shell_command(bootstrap_words(script_bytes)));
  }

  // ssh exits with 255 if the connection ended, otherwise with the exit code of the program on the device.
  [[nodiscard]] bool was_cut_off(const std::string& how) const override { return how == "exit code 255"; }

  [[nodiscard]] Status is_worth_another_try(const std::string& said) const override {
    for (const auto& [words, advice] :
         {std::pair{"Host key verification failed", "check the host's key, then run: ssh HOST true"},
          {"REMOTE HOST IDENTIFICATION HAS CHANGED", "find out why before you trust the new key"},
          {"Permission denied", "set up a login with a key, then check it: ssh HOST true"},
          {"Could not resolve hostname", "check the device's host in the study, or ~/.ssh/config"},
          {"Bad configuration option", "correct the ssh configuration"}}) {
      if (said.find(words) != std::string::npos) return fail(said, device_.name, advice);
    }
    return Done{};
  }
};

}  // namespace

Kind ssh_kind() {
  return {.name = "ssh",
          .route = [](Loop& /*loop*/, const Parts& /*parts*/, const Share& share,
                      // NOLINTNEXTLINE(performance-unnecessary-value-param): the type of all kinds
                      Say /*say*/) -> std::unique_ptr<Route> { return std::make_unique<SshRoute>(share); },
          .address = [](const config::DeviceEntry& device) { return "ssh " + device.ssh.host; }};
}

}  // namespace ngb::dispatch

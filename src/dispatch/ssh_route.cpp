// SPDX-License-Identifier: Apache-2.0
#include "dispatch/ssh_route.h"

#include <utility>

#include "dispatch/bootstrap.h"

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

SshRoute::SshRoute(const Share& share) : device_(share.device), run_folder_("runs/" + run_name(share)) {}

asio::awaitable<Result<bool>> SshRoute::is_there() { co_return true; }

asio::awaitable<Result<bool>> SshRoute::prepare(std::uint64_t /*progress*/) { co_return true; }

Command SshRoute::command(std::size_t script_bytes) const {
  return ssh_command(device_.ssh, shell_command(bootstrap_words(script_bytes)));
}

// ssh ends so when the connection did; else it ends as the program there.
bool SshRoute::was_cut_off(const std::string& how) const { return how == "exit code 255"; }

Status SshRoute::is_worth_another_try(const std::string& said) const {
  for (const auto& [words, advice] :
       {std::pair{"Host key verification failed", "check the host's key, then run: ssh HOST true"},
        {"REMOTE HOST IDENTIFICATION HAS CHANGED", "find out why before you trust the new key"},
        {"Permission denied", "make a login with a key work: ssh HOST true"},
        {"Could not resolve hostname", "check the device's host, or ~/.ssh/config"},
        {"Bad configuration option", "correct the ssh configuration"}}) {
    if (said.find(words) != std::string::npos) return fail(said, device_.name, advice);
  }
  return Done{};
}

asio::awaitable<Result<std::vector<Route::Remains>>> SshRoute::remains(std::size_t script_bytes) {
  std::vector<Remains> all{{command(script_bytes), {run_folder_}, device_.ssh.host}};
  co_return all;
}

asio::awaitable<void> SshRoute::leave() { co_return; }

}  // namespace ngb::dispatch

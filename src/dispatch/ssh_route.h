// SPDX-License-Identifier: Apache-2.0
// With the system's OpenSSH client: the user's configuration, keys, jump hosts and known hosts apply, and nothing of
// them is ever switched off.
#pragma once

#include <string>
#include <vector>

#include "config/device.h"
#include "dispatch/route.h"

namespace ngb::dispatch {

// The system's ssh, with the user's configuration; asks for nothing, and ends when it has heard nothing for 15 s.
Command ssh_command(const config::SshAddress& address, const std::string& remote_command);

class SshRoute : public Route {
 public:
  explicit SshRoute(const Share& share);

  asio::awaitable<Result<bool>> is_there() override;
  asio::awaitable<Result<bool>> prepare(std::uint64_t progress) override;
  [[nodiscard]] Command command(std::size_t script_bytes) const override;
  [[nodiscard]] std::string run_folder() const override { return run_folder_; }
  [[nodiscard]] std::string holder() const override { return {}; }
  [[nodiscard]] bool was_cut_off(const std::string& how) const override;
  [[nodiscard]] Status is_worth_another_try(const std::string& said) const override;
  [[nodiscard]] Command command_for_a_look(std::size_t script_bytes) const override { return command(script_bytes); }
  asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) override;
  void forget(const Remains& /*remains*/) override {}
  asio::awaitable<void> leave() override;

 private:
  const config::DeviceEntry& device_;
  std::string run_folder_;
};

}  // namespace ngb::dispatch

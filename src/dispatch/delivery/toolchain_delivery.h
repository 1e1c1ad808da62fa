// SPDX-License-Identifier: Apache-2.0
// The toolchains that a device needs: what is there is used; else one of this machine that fits is delivered; else one
// is fetched for devices of its kind, and delivered. Which of the latter two is the finder's to say (link/share.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dispatch/delivery/parts.h"
#include "dispatch/delivery/tree_delivery.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/recording.h"
#include "dispatch/link/share.h"

namespace ngb::dispatch {

class ToolchainDelivery {
 public:
  // `say`: for the user. All references outlive it.
  ToolchainDelivery(Loop& loop, Parts& parts, const std::vector<ToolchainTree>& toolchains, Say say)
      : loop_(loop), parts_(parts), toolchains_(toolchains), say_(std::move(say)) {}

  // Brings those of `lacking` (paths there). True: what can be had is there; false: the connection ended, or the loop
  // stops. Error: the device refused it (disk full), or a file here cannot be read.
  asio::awaitable<Result<bool>> deliver(Connection& device, const samples::Arrival& arrival,
                                        const std::vector<std::string>& lacking, std::uint64_t keep_free_bytes,
                                        const OnBytesLeft& on_bytes_left);

  // By path there, those that cannot be had: why.
  [[nodiscard]] const std::map<std::string, Error>& missing() const { return missing_; }

 private:
  asio::awaitable<Result<Fetched>> get(const ToolchainTree& toolchain, const samples::Arrival& arrival,
                                       const samples::Description& description);
  asio::awaitable<Result<bool>> bring(Connection& device, const ToolchainTree& toolchain, const Fetched& fetched,
                                      std::uint64_t keep_free_bytes, const OnBytesLeft& on_bytes_left);
  OnProgress say_once();

  Loop& loop_;
  Parts& parts_;
  const std::vector<ToolchainTree>& toolchains_;
  Say say_;
  std::map<std::string, Error> missing_{};
  std::set<std::string> said_{};
};

// What the device says of these paths. Nothing: the connection ended.
asio::awaitable<Result<std::optional<samples::Inspection>>> inspect(Connection& device,
                                                                    const std::vector<std::string>& paths);

// Has those of the share's toolchains that are there recorded: the SHA-256 of the manifest, by path there. Nothing: the
// connection ended.
using Manifests = std::map<std::string, std::string>;
asio::awaitable<Result<std::optional<Manifests>>> record_toolchains(Connection& device, const std::string& machine,
                                                                    const Share& share, Recording& recording);

}  // namespace ngb::dispatch

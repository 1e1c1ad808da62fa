// SPDX-License-Identifier: Apache-2.0
// Brings a device the toolchains that it lacks: one of this machine if it fits, else one that is fetched for devices of
// its kind; which of the two, ToolchainTree::find says (link/share.h). Errors with the code `lost`: the connection
// ended, or the loop stops.
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
  // `say` shows a line to the user. All references outlive it.
  ToolchainDelivery(Loop& loop, Parts& parts, const std::vector<ToolchainTree>& toolchains, Say say)
      : loop_(loop), parts_(parts), toolchains_(toolchains), say_(std::move(say)) {}

  // Brings those of `lacking` (paths there) that can be had. Errors: also that the device refused one (disk full), or
  // that a file here cannot be read.
  asio::awaitable<Status> deliver(Connection& device, const samples::Arrival& arrival,
                                  const std::vector<std::string>& lacking, std::uint64_t keep_free_bytes,
                                  const OnBytesLeft& on_bytes_left);

  // Those that cannot be had, by path there, and why.
  [[nodiscard]] const std::map<std::string, Error>& missing() const { return missing_; }

 private:
  asio::awaitable<Result<Fetched>> get(const ToolchainTree& toolchain, const samples::Arrival& arrival,
                                       const samples::Description& description);
  asio::awaitable<Status> bring(Connection& device, const ToolchainTree& toolchain, const Fetched& fetched,
                                std::uint64_t keep_free_bytes, const OnBytesLeft& on_bytes_left);
  OnProgress say_once();

  Loop& loop_;
  Parts& parts_;
  const std::vector<ToolchainTree>& toolchains_;
  Say say_;
  std::map<std::string, Error> missing_{};
  std::set<std::string> said_{};
};

// Asks the device which packages are at these paths.
asio::awaitable<Result<samples::Inspection>> inspect(Connection& device, const std::vector<std::string>& paths);

// Records those of the share's toolchains that are on the device. Returns the SHA-256 of their manifests, by path
// there.
using Manifests = std::map<std::string, std::string>;
asio::awaitable<Result<Manifests>> record_toolchains(Connection& device, const std::string& machine, const Share& share,
                                                     Recording& recording);

}  // namespace ngb::dispatch

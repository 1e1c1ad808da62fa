// SPDX-License-Identifier: Apache-2.0
// Delivers to a device the toolchains that it lacks: one of this machine if it fits, else one that is fetched for
// devices of its kind. ToolchainTree::find (link/share.h) decides which. Errors have the code `lost` if the connection
// ended or the loop stops.
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
  // `say` shows a line to the user. All references outlive this object.
  ToolchainDelivery(Loop& loop, Parts& parts, const std::vector<ToolchainTree>& toolchains, Say say)
      : loop_(loop), parts_(parts), toolchains_(toolchains), say_(std::move(say)) {}

  // Delivers those of `lacking` (paths on the device) that are available; `missing` then returns the others. Also
  // returns an error if the device refuses one (disk full) or if a file here cannot be read.
  asio::awaitable<Status> deliver(Connection& device, const samples::Arrival& arrival,
                                  const std::vector<std::string>& lacking, std::uint64_t keep_free_bytes,
                                  const OnBytesLeft& on_bytes_left);

  // Returns the toolchains that the last `deliver` found nowhere, by path on the device, with the reason.
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

// Asks the device which packages are at these paths, and returns its answer.
asio::awaitable<Result<samples::Inspection>> inspect(Connection& device, const std::vector<std::string>& paths);

// Records those of the share's toolchains that are on the device. Returns the SHA-256 of their manifests, by path on
// the device.
using Manifests = std::map<std::string, std::string>;
asio::awaitable<Result<Manifests>> record_toolchains(Connection& device, const std::string& machine, const Share& share,
                                                     Recording& recording);

}  // namespace ngb::dispatch

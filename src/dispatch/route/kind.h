// SPDX-License-Identifier: Apache-2.0
// Lists the kinds of devices elsewhere, one row for each way to reach a device.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/device.h"
#include "dispatch/link/share.h"

namespace ngb::dispatch {

struct Loop;
struct Parts;
class Route;

struct Kind {
  std::string_view name{};  // the key of a study file that says how the device is reached: "ssh"
  // Makes the route to the share's device. `say` shows the user a line while the route waits. All references outlive
  // the route.
  std::unique_ptr<Route> (*route)(Loop& loop, const Parts& parts, const Share& share, Say say);
  std::string (*address)(const config::DeviceEntry& device);  // for people: "ssh HOST"
  // Returns what a run asks a cluster for, as the cluster's own command takes it: a manifest, a batch script. Null:
  // such devices are asked for nothing.
  std::string (*request)(const Parts& parts, const config::DeviceEntry& device) = nullptr;
};

// Each is defined in the file of its name: ssh_route.cpp, slurm_route.cpp, kubernetes_route.cpp, command_route.cpp.
Kind ssh_kind();
Kind slurm_kind();
Kind kubernetes_kind();
Kind command_kind();

// Returns the row of the device's kind. Precondition: the device is not this machine.
Kind kind_of(const config::DeviceEntry& device);

}  // namespace ngb::dispatch

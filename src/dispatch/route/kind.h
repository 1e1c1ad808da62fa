// SPDX-License-Identifier: Apache-2.0
// The kinds of devices elsewhere, a row each.
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
  // `say` is for the user, while the route takes its time. All references outlive the route.
  std::unique_ptr<Route> (*route)(Loop& loop, const Parts& parts, const Share& share, Say say);
  std::string (*address)(const config::DeviceEntry& device);  // for people: "ssh HOST"
};

// Each is in the file of its name.
Kind ssh_kind();
Kind slurm_kind();
Kind command_kind();

// Precondition: the device is not this machine.
Kind kind_of(const config::DeviceEntry& device);

}  // namespace ngb::dispatch

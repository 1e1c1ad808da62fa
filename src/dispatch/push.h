// SPDX-License-Identifier: Apache-2.0
// Toolchains for devices elsewhere, beside any run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/fleet.h"
#include "dispatch/link/installation.h"

namespace ngb::dispatch {

struct Pushed {
  std::string device{};
  Status done{};  // Error: it cannot be reached, or the delivery broke off
  std::string machine{};
  std::map<std::string, Error> missing{};  // by path there: why it cannot be had
  samples::Inspection toolchains{};        // those that were to be there, as they stand there now
};

// For the user.
using Remark = std::function<void(const std::string& device, const std::string& remark)>;

// Brings every device (none of them local) what it lacks of these, side by side. `log_folder`: what ssh says, a file
// for each device.
Result<std::vector<Pushed>> push(const Installation& installation, const std::vector<config::DeviceEntry>& devices,
                                 const std::vector<ToolchainTree>& toolchains, const std::filesystem::path& log_folder,
                                 const Remark& remark);

// What makes a toolchain of a folder on a device. Error: it cannot.
using MakeAdoption = std::function<Result<samples::Adopt>(const samples::FoundFolder& found)>;
// Takes up what stands at `path` on that device as a toolchain. Error: of `make`, or of the device.
Status adopt_there(const Installation& installation, const config::DeviceEntry& device, const std::string& path,
                   const MakeAdoption& make, const std::filesystem::path& log_folder);

}  // namespace ngb::dispatch

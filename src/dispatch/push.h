// SPDX-License-Identifier: Apache-2.0
// Installs toolchains on devices elsewhere, outside any run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/fleet.h"
#include "dispatch/link/share.h"

namespace ngb::dispatch {

struct Pushed {
  std::string device{};
  Status done{};  // an error if the device cannot be reached or the delivery failed
  std::string machine{};
  std::map<std::string, Error> missing{};  // the toolchains that were found nowhere, by path there, with the reason
  samples::Inspection toolchains{};        // the requested ones, as they are on the device now
};

// Shows the user a line about a device.
using Remark = std::function<void(const std::string& device, const std::string& remark)>;

// Delivers to every device (none of them local) those of these toolchains that it lacks, side by side. The output of
// ssh goes to `log_folder`, in a file for each device. Returns an error if a file of this installation cannot be read.
Result<std::vector<Pushed>> push(const Installation& installation, const std::vector<config::DeviceEntry>& devices,
                                 const std::vector<ToolchainTree>& toolchains, const std::filesystem::path& log_folder,
                                 const Remark& remark);

// Returns the message that makes a toolchain of a folder on a device, or an error if the folder is not suitable.
using MakeAdoption = std::function<Result<samples::Adopt>(const samples::FoundFolder& found)>;
// Adopts the folder `path` on that device as a toolchain. Returns the error of `make` or of the device.
Status adopt_there(const Installation& installation, const config::DeviceEntry& device, const std::string& path,
                   const MakeAdoption& make, const std::filesystem::path& log_folder);

}  // namespace ngb::dispatch

// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/named_devices.h"

#include <algorithm>

#include "config/study.h"

namespace ngb::app {

Result<std::vector<config::DeviceEntry>> named_devices(const Installation& installation,
                                                       const std::vector<std::string>& names) {
  const auto vocabulary = campaign::read_vocabulary(installation);
  if (!vocabulary) return error_of(vocabulary);
  for (const std::string& name : names) {
    const bool is_known = std::any_of(vocabulary->devices.begin(), vocabulary->devices.end(),
                                      [&](const auto& each) { return each.name == name; });
    if (!is_known) return fail("unknown device", name, "describe it in " + installation.devices.string());
  }
  std::vector<config::DeviceEntry> devices;
  for (const config::DeviceEntry& device : vocabulary->devices) {
    if (!names.empty() && std::find(names.begin(), names.end(), device.name) == names.end()) continue;
    for (config::DeviceEntry& each : config::one_for_each_node(device)) devices.push_back(std::move(each));
  }
  return devices;
}

}  // namespace ngb::app

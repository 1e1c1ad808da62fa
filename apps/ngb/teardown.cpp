// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/teardown.h"
#include "apps/ngb/terminal.h"

#include <fmt/format.h>

#include <cstdio>

namespace ngb::app {

bool tell_of_teardown(const std::vector<dispatch::DeviceEnding>& endings, const std::filesystem::path& results_folder) {
  int devices = 0;
  int verified = 0;
  for (const dispatch::DeviceEnding& device : endings) {
    if (!device.torn_down) continue;
    ++devices;
    if (device.torn_down->has_value()) {
      ++verified;
    } else {
      Error error = device.torn_down->error();
      if (error.where == device.device) error.where.clear();
      warn("ngb: {}: {}\n", device.device, error.text());
    }
  }
  if (devices > 0) say("torn down: {} of {} verified\n", verified, devices);
  if (verified < devices) warn("ngb: to try again, run: ngb cancel {}\n", results_folder.string());
  return verified == devices;
}

}  // namespace ngb::app

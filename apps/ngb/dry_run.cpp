// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/dry_run.h"

#include "apps/ngb/terminal.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/route/route.h"

namespace ngb::app {

int print_requests(const Installation& installation, const std::vector<config::DeviceEntry>& devices) {
  const Result<dispatch::Parts> parts = dispatch::find_parts(installation.parts);
  if (!parts) return report_failure(parts.error(), kCannotGoOn);
  for (const config::DeviceEntry& device : devices) {
    const bool asks = !config::is_here(device) && dispatch::kind_of(device).request != nullptr;
    const std::string request = asks ? dispatch::kind_of(device).request(*parts, device) : "";
    say("# {}{}\n{}", device.name, request.empty() ? ": asks no cluster for anything" : "", request);
    if (&device != &devices.back()) say("---\n");
  }
  return kSuccess;
}

}  // namespace ngb::app

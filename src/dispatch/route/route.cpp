// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/route.h"

#include <algorithm>
#include <array>

namespace ngb::dispatch {

Kind kind_of(const config::DeviceEntry& device) {
  static const std::array kKinds{ssh_kind(), slurm_kind(), kubernetes_kind(), command_kind()};
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return kind.name == device.kind; });
}

}  // namespace ngb::dispatch

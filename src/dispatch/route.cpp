// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route.h"

#include <utility>

#include "dispatch/slurm_route.h"
#include "dispatch/ssh_route.h"

namespace ngb::dispatch {

std::unique_ptr<Route> route_to(Loop& loop, const Parts& parts, const Share& share, Say say) {
  if (share.device.kind == "slurm") return std::make_unique<SlurmRoute>(loop, parts, share, std::move(say));
  return std::make_unique<SshRoute>(share);
}

}  // namespace ngb::dispatch

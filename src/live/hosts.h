// SPDX-License-Identifier: Apache-2.0
// Says under which addresses a server is reached.
#pragma once

#include <string>
#include <vector>

namespace ngb::live {

// Returns the hosts that a browser can open if a server listens at `host`, numeric and without brackets: `host` itself,
// unless that stands for every address of this machine (0.0.0.0; with IPv6, ::). Then it is each address that the
// machine has now, those that other machines reach first, and the loopback addresses last. Link-local addresses of IPv6
// are left out, because a browser cannot open them. There is at least one.
std::vector<std::string> hosts_at(const std::string& host);

}  // namespace ngb::live

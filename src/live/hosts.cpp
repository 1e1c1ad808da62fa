// SPDX-License-Identifier: Apache-2.0
#include "live/hosts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <memory>

namespace ngb::live {
namespace {

// Returns the address of an interface; "" if it is of another family, or link-local.
std::string numeric(const ifaddrs& interface) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (interface.ifa_addr->sa_family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, interface.ifa_addr, sizeof address);
    return ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  }
  if (interface.ifa_addr->sa_family != AF_INET6) return "";
  sockaddr_in6 address{};
  std::memcpy(&address, interface.ifa_addr, sizeof address);
  if (IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr)) return "";
  return ::inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
}

}  // namespace

std::vector<std::string> hosts_at(const std::string& host) {
  in_addr any4{};
  in6_addr any6{};
  const bool is_any4 = ::inet_pton(AF_INET, host.c_str(), &any4) == 1 && any4.s_addr == INADDR_ANY;
  const bool is_any6 = ::inet_pton(AF_INET6, host.c_str(), &any6) == 1 && IN6_IS_ADDR_UNSPECIFIED(&any6);
  if (!is_any4 && !is_any6) return {host};
  ifaddrs* first = nullptr;
  std::vector<std::string> hosts;
  std::vector<std::string> loopback;
  if (::getifaddrs(&first) == 0) {
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
    for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
      if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
      const std::string found = numeric(*each);
      const bool is_served = is_any6 || found.find(':') == std::string::npos;  // :: receives IPv4 too
      if (found.empty() || !is_served) continue;
      ((each->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : hosts).push_back(found);
    }
  }
  hosts.insert(hosts.end(), loopback.begin(), loopback.end());
  if (hosts.empty()) hosts.emplace_back(is_any6 ? "::1" : "127.0.0.1");
  return hosts;
}

}  // namespace ngb::live

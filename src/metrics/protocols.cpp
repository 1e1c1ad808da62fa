// SPDX-License-Identifier: Apache-2.0
#include "metrics/protocols.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/text.h"

namespace ngb::metrics {

std::string differing_entries(const std::map<std::string, std::string>& a,
                              const std::map<std::string, std::string>& b) {
  std::vector<std::string> found;
  std::set<std::string> keys;
  for (const auto& [key, value] : a) keys.insert(key);
  for (const auto& [key, value] : b) keys.insert(key);
  const auto value_of = [](const auto& entries, const std::string& key) {
    const auto entry = entries.find(key);
    return entry == entries.end() ? std::string("not recorded") : entry->second;
  };
  for (const std::string& key : keys) {
    if (value_of(a, key) == value_of(b, key)) continue;
    found.push_back(fmt::format("{}: {} and {}", key, value_of(a, key), value_of(b, key)));
  }
  return text::join(found, "; ");
}

std::string unlike_protocols(std::map<std::string, std::string> a, std::map<std::string, std::string> b) {
  if (a.empty() || b.empty()) return {};
  for (const char* const key : {"processes", "metric"}) {
    a.erase(key);
    b.erase(key);
  }
  return differing_entries(a, b);
}

}  // namespace ngb::metrics

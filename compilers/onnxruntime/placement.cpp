// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

#include <nlohmann/json.hpp>

#include "../plugin_boundary.h"

namespace ngb::onnxruntime {

Placement read_placement(std::string_view profile) {
  Placement placement;
  const nlohmann::json events = nlohmann::json::parse(profile, nullptr, false);
  for (const nlohmann::json& event : events.is_array() ? events : nlohmann::json::array()) {
    if (!event.is_object() || event.value("cat", "") != "Node" || !event.contains("args")) continue;
    const nlohmann::json& node = event["args"];
    const std::string provider = node.value("provider", "");
    if (!provider.empty()) ++placement[provider][node.value("op_name", "?")];
  }
  if (!placement.empty()) return placement;
  throw plugin::Failure(NGB_INTERNAL, "onnxruntime's profile does not tell which provider ran which node");
}

std::string describe(const Placement& placement, const std::string& wanted) {
  std::string text;
  for (const auto& [provider, types] : placement) {
    int count = 0;
    std::string names;
    for (const auto& [type, times] : types) {
      count += times;
      names += (names.empty() ? "" : ", ") + type;
    }
    text += (text.empty() ? "" : ", ") + provider + " " + std::to_string(count);
    if (provider != wanted) text += " (" + names + ")";
  }
  return text;
}

bool is_all_on(const Placement& placement, const std::string& wanted) {
  return placement.size() == 1 && placement.begin()->first == wanted;
}

}  // namespace ngb::onnxruntime

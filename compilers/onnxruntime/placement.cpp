// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "ngraphbench/plugin_boundary.h"

namespace ngb::onnxruntime {

namespace {

// Returns "" if the key is missing or not a text.
std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>();
}

}  // namespace

Placement read_placement(std::string_view profile) {
  Placement placement;
  const nlohmann::json events = json_text::parse(profile);
  if (events.is_array()) {
    for (const nlohmann::json& event : events) {
      if (text_of(event, "cat") != "Node" || !event.contains("args")) continue;
      const std::string provider = text_of(event["args"], "provider");
      if (!provider.empty()) ++placement[provider][text_of(event["args"], "op_name")];
    }
  }
  if (!placement.empty()) return placement;
  throw plugin::Failure(NGB_INTERNAL, "onnxruntime's profile does not say which provider ran which node");
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

// SPDX-License-Identifier: Apache-2.0
#include "samples/environment.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "samples/json_fields.h"

namespace ngb::samples {

using nlohmann::json;

std::string Environment::hash() const {
  json identity = json::array();
  for (const EnvironmentEntry& entry : entries) {
    if (entry.is_identity) identity.push_back({entry.name, entry.unit, fields::to_json(entry.value)});
  }
  return hash::sha256(identity.dump());
}

json to_json(const Environment& environment) {
  json entries = json::array();
  for (const EnvironmentEntry& entry : environment.entries) {
    entries.push_back({{"name", entry.name},
                       {"unit", entry.unit},
                       {"value", fields::to_json(entry.value)},
                       {"is_identity", entry.is_identity}});
  }
  return {{"entries", std::move(entries)}};
}

Result<Environment> environment_from_json(const json& object) {
  return fields::parse("environment record", [&] {
    Environment environment;
    for (const json& entry : fields::child(object, "entries")) {
      environment.entries.push_back({fields::get<std::string>(entry, "name"), fields::get<std::string>(entry, "unit"),
                                     fields::get_known<std::string>(entry, "value"),
                                     fields::get<bool>(entry, "is_identity")});
    }
    return environment;
  });
}

}  // namespace ngb::samples

// SPDX-License-Identifier: Apache-2.0
#include "samples/environment.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_text.h"
#include "work/codec.h"

namespace ngb::samples {

using nlohmann::json;

std::string Environment::hash() const {
  json identity = json::array();
  for (const EnvironmentEntry& entry : entries) {
    if (entry.is_identity) identity.push_back({entry.name, entry.unit, work::write_json(entry.value)});
  }
  return hash::sha256(json_text::dump(identity));
}

}  // namespace ngb::samples

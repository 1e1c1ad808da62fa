// SPDX-License-Identifier: Apache-2.0
// Checks the parameters of a family: names, types, ranges.
#pragma once

#include "base/result.h"
#include "zoo/family.h"

namespace ngb::zoo {

struct NamedFamily {
  const Family* family = nullptr;
  const Variant* variant = nullptr;  // null for the family itself
};

// Finds a family or variant. Fails if the name is unknown, and suggests the nearest.
Result<NamedFamily> find_family(const std::string& name);

// Returns the family's defaults, overridden by the variant's and then by the `given` parameters, with sorted keys.
// Fails if `given` is not an object, a parameter is unknown (the error suggests the nearest) or has a wrong type, a
// number is out of range, or a word is not among the allowed ones.
Result<nlohmann::json> complete(const NamedFamily& named, const nlohmann::json& given);

}  // namespace ngb::zoo

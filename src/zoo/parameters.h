// SPDX-License-Identifier: Apache-2.0
// The parameters of a family: named, typed, in range.
#pragma once

#include "base/result.h"
#include "zoo/family.h"

namespace ngb::zoo {

struct NamedFamily {
  const Family* family = nullptr;
  const Variant* variant = nullptr;  // null for the family itself
};

// Error: unknown name, with the nearest family or variant.
Result<NamedFamily> find_family(const std::string& name);

// The defaults, then the variant's, then the `given` ones; keys sorted. Error: `given` is no object; an unknown
// parameter (with the nearest), a wrong type, a number out of range, a word that is not among the values.
Result<nlohmann::json> complete(const NamedFamily& named, const nlohmann::json& given);

}  // namespace ngb::zoo

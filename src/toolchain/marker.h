// SPDX-License-Identifier: Apache-2.0
// Environment markers: the condition under which a requirement counts, as PEP 508 defines them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::toolchain {

// "python_version" -> "3.11", "sys_platform" -> "linux", … as the interpreter tells.
using MarkerVariables = std::map<std::string, std::string, std::less<>>;

// Whether `marker` holds; an empty one does. `extra == "x"` holds when x is one of `extras` (normalised names).
// Error names the place that is no marker.
Result<bool> holds(std::string_view marker, const MarkerVariables& variables, const std::set<std::string>& extras);

}  // namespace ngb::toolchain

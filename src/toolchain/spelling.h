// SPDX-License-Identifier: Apache-2.0
// Spells names and versions of packages for commands that list toolchains, which start no Python. All other rules about
// versions and requirements are Python's own (requirement.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ngb::toolchain {

// Normalises by PEP 503: lower case, and "-" for runs of "-", "_" and ".".
std::string normalised_name(std::string_view name);

// Returns the normalised name at the beginning of a requirement, or "" if there is none.
std::string required_name(std::string_view requirement);

// Returns the version without its local part: "2.15.0" for "2.15.0+cpu".
std::string_view public_version(std::string_view version);

// Returns the leading numbers of a version: {3, 11, 7} for "3.11.7", {1, 0} for "1.0rc1", none for "nightly". They
// compare as releases do, except for trailing zeros, which suffices to sort a table and to refuse an old Python or pip.
std::vector<int> release_numbers(std::string_view version);

}  // namespace ngb::toolchain

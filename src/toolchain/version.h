// SPDX-License-Identifier: Apache-2.0
// Versions of Python packages and conditions on them, as PEP 440 defines them.
#pragma once

#include <string_view>

namespace ngb::toolchain {

// < 0, 0 or > 0, as `a` is older than, as old as or newer than `b`: 1.9 < 1.10, 1.0rc1 < 1.0 < 1.0.post1. A local part
// ("+cpu") does not count. What is no version is older than what is one, and is compared as text.
int compare_versions(std::string_view a, std::string_view b);

// Whether `version` meets every condition of `specifier`: ">=1.2,<2", "==1.4.*", "~=3.9.0"; an empty one is met.
bool satisfies(std::string_view version, std::string_view specifier);

bool is_version(std::string_view text);

// Without the local part: "2.15.0+cpu" -> "2.15.0".
std::string_view public_version(std::string_view version);

}  // namespace ngb::toolchain

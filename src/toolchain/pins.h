// SPDX-License-Identifier: Apache-2.0
// Returns the versions for which this build was made: versions.json, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

std::string default_version(std::string_view compiler);               // "" if it has none
std::vector<std::string> tested_versions(std::string_view compiler);  // oldest first; empty if it has none

// Checks that a wheel is the one that versions.json lists under that name and version for that kind of machine and
// Python ("cp311-x86_64"; table "sha256", which scripts/wheel-hashes writes). Accepts it if none is listed, if pip
// reported no hash ("") or if the user set NGB_OTHER_WHEELS=1. An error has both hashes.
Status check_wheel(std::string_view kind, std::string_view name, std::string_view version, std::string_view sha256);

// Replaces "{version}" and each "{<wheel>}" in `requirement`; the latter are in the table "wheels" of versions.json. An
// error names the placeholder that has no value.
Result<std::string> fill_placeholders(std::string_view requirement, std::string_view version);

// Returns the packages of a toolchain that have another version than these requirements of its compiler pin, because
// another ngb has installed them: "apache-tvm-ffi 0.1.15, pinned to 0.1.14". Returns none of an adopted toolchain,
// whose packages are its owner's.
std::vector<std::string> unlike_pins(const Toolchain& toolchain, const std::vector<std::string>& requirements);

}  // namespace ngb::toolchain

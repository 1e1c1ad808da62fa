// SPDX-License-Identifier: Apache-2.0
// Target is a kind of device for which another kind of machine chooses wheels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/requirement.h"

namespace ngb::toolchain {

struct Target {
  std::string machine{};  // as `uname -m` prints it there: "aarch64"
  std::string glibc{};    // "2.36"
  std::string python{};   // "3.11.2"; "3.11" suffices
  bool has_gpu = false;   // from NVIDIA
};

// Fails if a value is invalid ("Python 3.8 is too old") or cannot be part of a folder's name.
Result<Target> make_target(std::string_view machine, std::string_view glibc, std::string_view python, bool has_gpu);

// Returns "aarch64-cp311-glibc2.36". Wheels chosen for one target run on all targets with the same folder name.
std::string folder_name(const Target& target);
// Returns "aarch64 with glibc 2.36 and Python 3.11".
std::string name_for_people(const Target& target);

// Returns the platform tags with which a wheel's file name may end (PEP 600, and the older names of PEP 513, 571 and
// 599), newest first. The last is "linux_<machine>", which wheels from a vendor's own index have.
std::vector<std::string> platform_tags(const Target& target);
// Returns what the Python there would answer. platform_release and platform_version are unknown and empty.
MarkerVariables marker_variables(const Target& target);
// Returns the options with which pip chooses wheels for the target.
std::vector<std::string> pip_options(const Target& target);

}  // namespace ngb::toolchain

// SPDX-License-Identifier: Apache-2.0
// A kind of device for which wheels are chosen on a machine that is of another kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/marker.h"

namespace ngb::toolchain {

struct Target {
  std::string machine{};  // as `uname -m` says there: "aarch64"
  std::string glibc{};    // "2.36"
  std::string python{};   // "3.11.2"; "3.11" will do
  bool has_gpu = false;   // an NVIDIA one
};

// Error: one of them is not what it should be ("Python 3.8 is too old"), or cannot be part of a folder's name.
Result<Target> make_target(std::string_view machine, std::string_view glibc, std::string_view python, bool has_gpu);

// "aarch64-cp311-glibc2.36": wheels that were chosen for one target run on all that are called so.
std::string folder_name(const Target& target);
// "aarch64 with glibc 2.36 and Python 3.11"
std::string name_for_people(const Target& target);

// What a wheel's file name may end in (PEP 600 and, under their older names, PEP 513, 571, 599), the newest first; last
// "linux_<machine>", which wheels from a vendor's own index have.
std::vector<std::string> platform_tags(const Target& target);
// As the Python there would answer; what only the device itself knows (platform_release, platform_version) is empty.
MarkerVariables marker_variables(const Target& target);
// That have pip choose for the target.
std::vector<std::string> pip_options(const Target& target);

}  // namespace ngb::toolchain

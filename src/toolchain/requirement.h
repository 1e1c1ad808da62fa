// SPDX-License-Identifier: Apache-2.0
// Answers questions about versions and requirements of Python packages by Python's own rules. requirements.py answers;
// each question starts one Python.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb::toolchain {

// MarkerVariables are the values that markers read (PEP 508): "python_version" -> "3.11", "sys_platform" -> "linux", …
using MarkerVariables = std::map<std::string, std::string, std::less<>>;

struct PackageRequirements {
  std::string version{};
  std::vector<std::string> requires_dist{};  // as its wheel states them
};

// Requirements are those of a toolchain and of the packages that were chosen for it. Normalised names identify
// packages.
struct Requirements {
  std::vector<std::string> wanted{};  // "onnxruntime==1.31.1", …
  std::map<std::string, PackageRequirements> chosen{};
  std::set<std::string> skip{};  // packages that are not needed, in any spelling
  MarkerVariables markers{};     // those that differ from the answering Python's
};

struct Needs {
  std::vector<std::string> packages{};  // chosen ones that are needed, sorted
  std::vector<std::string> unmet{};     // requirements that no chosen package meets, in pip's spelling
};

// Follows the requirements from the wanted ones through the chosen packages, with markers and extras. What only a
// skipped package requires is not needed. `python` is the command. Fails if a wanted one is not a requirement or has an
// address instead of a version, or if Python cannot answer.
Result<Needs> find_needs(const std::string& python, const Requirements& requirements);

// Returns the nearest `versions` to the one in `requirement` ("x==1.2"), ascending, up to three on each side.
Result<std::vector<std::string>> nearest_versions(const std::string& python, std::string_view requirement,
                                                  const std::vector<std::string>& versions);

// Returns the versions from `first` to `last`, both included as they are spelled, ascending by PEP 440. Pre-releases
// count only if an end is one; local parts ("+cpu") are left out. Fails if an end is not a version, or if `first` is
// not older than `last`.
Result<std::vector<std::string>> versions_between(const std::string& python, const std::string& first,
                                                  const std::string& last, const std::vector<std::string>& versions);

// Returns whether two versions are equal except for their local parts ("+cpu"); 1.0 equals 1.0.0. Returns false if one
// is not a version. Starts Python only if the texts differ.
bool is_same_version(std::string_view one, std::string_view other);

}  // namespace ngb::toolchain

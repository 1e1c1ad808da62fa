// SPDX-License-Identifier: Apache-2.0
// One requirement of a Python package, as wheels state it (PEP 508): name[extras] conditions; marker.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb::toolchain {

struct Requirement {
  std::string name{};                 // normalised: lower case, "-" for runs of "-", "_" and "."
  std::vector<std::string> extras{};  // "cublas", … of cuda-toolkit[cublas]
  std::string specifier{};            // ">=1.2,<2"; "" for any version
  std::string marker{};               // 'python_version < "3.11"'; "" for always
};

std::string normalised_name(std::string_view name);

Result<Requirement> parse_requirement(std::string_view text);

// As pip takes it on its command line, without the marker.
std::string pip_text(const Requirement& requirement);

}  // namespace ngb::toolchain

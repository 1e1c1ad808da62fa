// SPDX-License-Identifier: Apache-2.0
// Asks the Python of an installed toolchain by a module of python/ngraphbench.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/installation.h"
#include "toolchain/toolchain.h"

namespace ngb::campaign {

// Returns the toolchain that has these folders among its packages, the last of the compiler's versions; nothing if none
// has. "" is any compiler.
std::optional<toolchain::Toolchain> toolchain_with(const Installation& installation, const std::string& compiler,
                                                   const std::vector<std::string>& packages);

// Runs a module of ours that reads a question and prints an answer, with the packages of `sites`. Returns an error if
// Python fails, or the one that the answer is. `tasks` of the question give it more time (python::Question).
Result<nlohmann::json> ask(const Installation& installation, const std::string& module,
                           const std::vector<toolchain::Toolchain>& sites, const nlohmann::json& question,
                           int tasks = 1);

}  // namespace ngb::campaign

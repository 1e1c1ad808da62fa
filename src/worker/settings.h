// SPDX-License-Identifier: Apache-2.0
// What a study asks of a compiler, held against the compiler's own description (compiler.json): once, here, for native
// compilers and Python ones alike. A plugin refuses only what the description cannot say.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "work/compiler.h"

namespace ngb::worker {

struct CheckedSettings {
  std::string device{};                                        // the option `device`, else the first described one
  std::vector<std::pair<std::string, std::string>> options{};  // every described one, given or default, without quotes
};

// Error: an option that is not described, with the nearest one as advice, or a value, a precision or a thread count
// that the description does not allow.
Result<CheckedSettings> check_settings(const nlohmann::json& description, const work::Compiler& asked);

}  // namespace ngb::worker

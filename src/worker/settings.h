// SPDX-License-Identifier: Apache-2.0
// Checks what a study asks of a compiler against the compiler's own description (compiler.json), for native compilers
// and Python ones alike. A plugin itself refuses only what the description cannot express.
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

// Returns an error if an option is not described, with the nearest one as advice, or if the description does not allow
// a value, settings, inferences in flight, the precision or the thread count.
Result<CheckedSettings> check_settings(const nlohmann::json& description, const work::Compiler& asked);

}  // namespace ngb::worker

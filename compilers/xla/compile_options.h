// SPDX-License-Identifier: Apache-2.0
// Writes the options of one compilation in the form of PJRT: a serialised CompileOptionsProto.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ngb::xla {

// `flags` is an object of XLA's flags: texts, booleans and numbers. The program is for one replica and one partition.
std::string compile_options(const nlohmann::json& flags);

}  // namespace ngb::xla

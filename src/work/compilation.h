// SPDX-License-Identifier: Apache-2.0
// Says which processes of a cell compile, and which load what another one has compiled.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::work {

// each: every process compiles. once: the first process that completes keeps its artifact, and the others load it.
// automatic: the same if compiling took that process longer than measuring, else as each.
enum class Compilation { each, once, automatic };

inline constexpr std::array<std::string_view, 3> kCompilations{"each", "once", "auto"};  // names, in the enum's order

std::string_view name(Compilation compilation);
Result<Compilation> parse_compilation(std::string_view name);

}  // namespace ngb::work

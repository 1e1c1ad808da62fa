// SPDX-License-Identifier: Apache-2.0
// Describes programs that ngb runs for itself. They are installed, listed and removed as compilers are, but measure
// nothing and appear in no study.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "toolchain/catalog.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

// Returns the toolchain "figures": vl-convert, which draws Vega-Lite figures as images without a browser.
CompilerDescription drawing_tool();
// Returns the toolchain "nncf", which quantises OpenVINO's models, with what it requires.
CompilerDescription quantising_tool();
// Returns all of them.
std::vector<CompilerDescription> tools();

// Returns the installed version of a tool: the default one, else the newest; nothing if none is installed. Returns an
// error if the toolchains in `root` cannot be listed.
Result<std::optional<Toolchain>> find_tool(const std::filesystem::path& root, const CompilerDescription& tool);

}  // namespace ngb::toolchain

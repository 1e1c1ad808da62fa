// SPDX-License-Identifier: Apache-2.0
// Describes programs that ngb runs for itself. They are installed, listed and removed as compilers are, but measure
// nothing and appear in no study.
#pragma once

#include "toolchain/catalog.h"

namespace ngb::toolchain {

// Returns the toolchain "figures": vl-convert, which draws Vega-Lite figures as images without a browser.
CompilerDescription drawing_tool();

}  // namespace ngb::toolchain

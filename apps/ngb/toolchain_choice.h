// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/ngb/command.h"

namespace ngb::app {

// Lists the toolchains that this machine can use and that are not installed, with their sizes, and asks on the terminal
// which to install; those of the quickstart if the answer is empty. Returns their names. Returns an error if nobody can
// be asked, because stdin is no terminal.
Result<std::vector<std::string>> choose_toolchains(const Installation& installation);

}  // namespace ngb::app

// SPDX-License-Identifier: Apache-2.0
// Installs what a study needs on this machine.
#pragma once

#include "campaign/installation.h"
#include "campaign/study_compilers.h"

namespace ngb::campaign {

// Installs the toolchains that are not installed here, and says before each which it is and how large. Says why one
// cannot be installed: its cells will fail. Returns whether any was installed, so that `compilers` is out of date.
// Installs nothing for a study that measures on devices elsewhere only.
bool install_missing(const Installation& installation, const config::Study& study, const Compilers& compilers,
                     const Say& say);

}  // namespace ngb::campaign

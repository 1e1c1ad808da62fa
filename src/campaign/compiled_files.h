// SPDX-License-Identifier: Apache-2.0
// Asks what the inputs of compiled files are.
#pragma once

#include "base/result.h"
#include "campaign/installation.h"
#include "config/study.h"

namespace ngb::campaign {

// Enters the inputs of a compiled file, in its order, as a compiler of the study that runs it reads them. Shapes that
// the study gives stay. Returns an error that names the file if it cannot be read, with the line to write if it leaves
// shapes open.
Status read_compiled_file(const Installation& installation, const config::Study& study, config::ModelEntry& entry);

}  // namespace ngb::campaign

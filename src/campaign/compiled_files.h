// SPDX-License-Identifier: Apache-2.0
// Asks what the inputs of compiled files are.
#pragma once

#include "base/result.h"
#include "campaign/installation.h"
#include "campaign/say.h"
#include "config/study.h"

namespace ngb::campaign {

// Enters the inputs of a compiled file, in its order, as a compiler of the study that runs it reads them. Shapes that
// the study gives stay. A file that keeps a cache generates tokens, with the usual keys if the study gives none, which
// is said. Returns an error that names the file if it cannot be read, or if it keeps no cache and the study has keys of
// decoding, with the line to write if it leaves shapes open.
Status read_compiled_file(const Installation& installation, const config::Study& study, config::ModelEntry& entry,
                          const Say& say);

}  // namespace ngb::campaign

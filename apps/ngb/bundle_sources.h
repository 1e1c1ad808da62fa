// SPDX-License-Identifier: Apache-2.0
// Lets a command read bundles where it reads results folders.
#pragma once

#include <string>
#include <vector>

#include "apps/ngb/sources.h"
#include "base/scratch_folder.h"

namespace ngb::app {

struct OpenedBundles {
  SourcesArguments results{};             // the arguments, in which each bundle is the folder of its results
  std::vector<ScratchFolder> unpacked{};  // zip files, as long as this object lives
};

// Verifies each bundle (a zip file, or the folder that one was unpacked into) and unpacks zip files. Other arguments
// stay as they are. Returns an error if a bundle cannot be read, or if one does not verify: nothing that its samples do
// not show may be read.
Result<OpenedBundles> open_bundles(const SourcesArguments& given);

}  // namespace ngb::app

// SPDX-License-Identifier: Apache-2.0
// Computes the numbers of a verified bundle's cells from its samples.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "collection/collection.h"

namespace ngb::collection {

// Adds the cells of the results file that have been measured or have failed, and to the bundle its study and machines.
// Cells that are planned, and profiles, which have no speed, are left out.
Status add_measurements(const std::filesystem::path& results_file, Bundle& bundle,
                        std::vector<Measurement>& measurements);

}  // namespace ngb::collection

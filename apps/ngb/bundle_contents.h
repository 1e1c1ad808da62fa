// SPDX-License-Identifier: Apache-2.0
// Makes the files of a bundle from a results file: `ngb bundle` packs them, and `ngb verify` compares them with those
// of a bundle.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/manifest.h"

namespace ngb::app {

// Writes into the empty folder `folder`: results/results.db, a copy whose derived values are computed again from the
// samples, and what is made of it: data, report with tables and figures, study, environment. Files that describe these
// (bundle::descriptions) and the manifest are not among them. The same results and `about` give the same files. Returns
// an error if the results cannot be read, have no run, or a file cannot be written.
Status make_contents(const std::filesystem::path& results_file, const bundle::About& about,
                     const std::filesystem::path& folder);

// Returns the relative paths of all files below the folder, sorted. Returns an error if something there is neither a
// file nor a folder; its code is not_found.
Result<std::vector<std::string>> list_files(const std::filesystem::path& folder);

}  // namespace ngb::app

// SPDX-License-Identifier: Apache-2.0
// Makes the files of a bundle from a results file: they are packed, or compared with those of a bundle that is
// verified.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/manifest.h"

namespace ngb::bundle {

// Writes into the empty folder `folder`: results/results.db, a copy whose derived values are computed again from the
// samples, and what is made of it: data, report with tables and figures, study, environment. Files that describe these
// (descriptions) and the manifest are not among them. The same results and `about` give the same files. Returns
// an error if the results cannot be read, have no run, or a file cannot be written.
Status make_contents(const std::filesystem::path& results_file, const About& about,
                     const std::filesystem::path& folder);

// Returns the relative paths of all files below the folder, sorted. Returns an error if something there is neither a
// file nor a folder; its code is not_found.
Result<std::vector<std::string>> list_files(const std::filesystem::path& folder);

// Writes the bundle `zip`, which must not exist, with everything that make_contents and descriptions make, and the
// manifest. The same results and `about` give the same bytes. Returns the number of files.
Result<std::size_t> write_bundle(const std::filesystem::path& results_file, const About& about,
                                 const std::filesystem::path& zip);

}  // namespace ngb::bundle

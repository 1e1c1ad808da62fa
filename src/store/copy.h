// SPDX-License-Identifier: Apache-2.0
// Copies a results file for somebody else, and checks one that came from somebody else.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace ngb::store {

// Writes the new file `to` with everything that `from` holds at one moment, also while a run records into it, in the
// newest version; but without derived values, series and conclusions, which can be computed again, and without the
// presence of runs on devices, which remain those of `from`; and with `~` in place of home folders (homes.h). It has no
// page that is not in use, so results that are the same give the same bytes. An error leaves no `to`.
Status copy_measured(const std::filesystem::path& from, const std::filesystem::path& to);

// Returns an error if a row of the file refers to a row that is missing, or if the file cannot be read.
Status check_references(const std::filesystem::path& file);

// Returns an error if the file has tables, views, indexes or triggers of others, which no copy has.
Status check_only_ours(const std::filesystem::path& file);

// Returns why the file is of a version that is not read: "a newer version of ngb has written results.db". Returns "" if
// it is of another one, or says nothing.
std::string why_version_is_not_read(const std::filesystem::path& file);

// Return the values and the parts that the file holds, whoever wrote them and whatever has changed in the file since.
// They are compared with the values that follow from the samples of somebody else's file. JSON of conclusions is not
// bounded, and nothing but text.
Result<std::vector<DerivedValue>> stored_derived(const std::filesystem::path& file);
Result<std::vector<SeriesPart>> stored_series(const std::filesystem::path& file);

}  // namespace ngb::store

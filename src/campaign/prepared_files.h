// SPDX-License-Identifier: Apache-2.0
// What all files that are made before a study runs have in common: their names in the cache, and copies of the user's
// files of which they are made.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "work/model.h"

namespace ngb::campaign {

// Returns the name under which the cache keeps what is made from `content`.
std::filesystem::path name_of_prepared(const nlohmann::json& content);

// Copies the file below the folder `into`, under its name. Returns the copy's path, or an error if the file is not what
// it was when its hash became a part of a name.
Result<std::filesystem::path> copy_as_hashed(const work::UserFile& file, const std::filesystem::path& into);

}  // namespace ngb::campaign

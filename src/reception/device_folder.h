// SPDX-License-Identifier: Apache-2.0
// Decides whether a device's folder is NGraphBench's. It is used and emptied only if it has NGraphBench's mark and no
// other user can have written in it.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace ngb::reception {

// Creates the folder if it is missing, marks it if it is new or empty, and returns its canonical path. A folder of an
// earlier version, which has no mark, is marked if it contains only things of our form (belongings.h). Returns an error
// and leaves the folder as it was if it belongs to another user, if other users may write in it, if it has other
// content and no mark, or if one of our folders in it is a link.
Result<std::filesystem::path> claim_device_folder(const std::filesystem::path& folder);

// Removes the mark and the folder if nothing else is in it.
void give_up_device_folder(const std::filesystem::path& folder);

// Returns an error if the folder belongs to another user or if other users may write in it. With `or_the_system` root
// may own it.
Status check_owner(const std::filesystem::path& folder, bool or_the_system);

}  // namespace ngb::reception

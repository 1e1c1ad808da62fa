// SPDX-License-Identifier: Apache-2.0
// Removes files and folders. All that is removed is removed here.
#pragma once

#include <filesystem>

namespace ngb::file {

// Removes a file, a link or an empty folder. Returns false, with errno, if something is left there.
bool remove(const std::filesystem::path& path);

// Removes a folder with all that is below it, but nothing that links lead to. A path without a name of its own, such as
// "", "/" or "..", is refused (EINVAL). Returns false, with errno, if something is left there.
bool remove_all(const std::filesystem::path& path);

}  // namespace ngb::file

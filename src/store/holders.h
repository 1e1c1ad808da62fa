// SPDX-License-Identifier: Apache-2.0
// Describes the other programs that hold locks on a file.
#pragma once

#include <filesystem>
#include <string>

namespace ngb::store {

// Returns text such as "python3 (process 123), sqlite3 (process 456)", from /proc/locks. Returns "another program" if
// the kernel does not list a holder, which may be on another machine or in another container. Does not open the file,
// because closing it would release this process's own locks.
std::string describe_holders(const std::filesystem::path& file);

}  // namespace ngb::store

// SPDX-License-Identifier: Apache-2.0
// Which other programs hold locks on a file.
#pragma once

#include <filesystem>
#include <string>

namespace ngb::store {

// "python3 (process 123), sqlite3 (process 456)", from /proc/locks; "another program" where the kernel does not tell:
// of another machine or container. The file is not opened: closing it would drop our own locks.
std::string describe_holders(const std::filesystem::path& file);

}  // namespace ngb::store

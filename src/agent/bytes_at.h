// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace ngb::agent {

// Reads `count` bytes of a file that begin at byte `at`; fewer if the file ends before.
Result<std::string> bytes_at(int fd, std::uint64_t at, std::size_t count, const std::string& where);

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ngb::report::page {

// Returns the bytes in base 64 (RFC 4648), on one line.
std::string base64(std::string_view bytes);

}  // namespace ngb::report::page

// SPDX-License-Identifier: Apache-2.0
// Makes text of foreign origin (names of models and compilers, messages of devices) look like what it is.
#pragma once

#include <string>
#include <string_view>

namespace ngb::report {

// Returns UTF-8 in which control characters and characters that change the direction of writing are visible escapes
// ("\u202e").
std::string plain(std::string_view text);

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace ngb::report {

// Text of foreign origin (names of models and compilers, messages of devices) as a page or a table may show it.
inline std::string plain(std::string_view text) { return text::visible(text); }

}  // namespace ngb::report

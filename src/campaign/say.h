// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace ngb::campaign {

// Tells the user a text of one or more whole lines, which end with a line break: what happens, or what to mind.
using Say = std::function<void(std::string_view text)>;

}  // namespace ngb::campaign

// SPDX-License-Identifier: Apache-2.0
// How wide text is on a terminal, in columns.
#pragma once

#include <string>
#include <string_view>

namespace ngb::report {

// UTF-8: East Asian wide characters count 2, combining marks 0, all others 1.
int width_of(std::string_view text);

// At most `width` columns; what does not fit is replaced by "…". Line breaks become spaces. Precondition: width >= 1.
std::string shortened(std::string_view text, int width);

// Spaces for the columns that `text` leaves of `width`.
std::string padding(std::string_view text, int width);

}  // namespace ngb::report

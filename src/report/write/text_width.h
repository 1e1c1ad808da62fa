// SPDX-License-Identifier: Apache-2.0
// Measures and shortens text by the columns that it occupies on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace ngb::report {

// Returns the width of UTF-8 text: East Asian wide characters count 2, combining marks and styles of a terminal 0,
// all others 1.
int width_of(std::string_view text);

// Cuts the text to at most `width` columns; "…" replaces what does not fit. Line breaks become spaces. Precondition:
// width >= 1.
std::string shortened(std::string_view text, int width);

// Breaks each line at blanks, so that none is wider than `width` (0: any width); what is continued is indented by two
// more. A word that is wider stays whole. Styles of a terminal take no width.
std::string wrapped(std::string_view lines, int width);

// Returns the spaces that fill `text` up to `width` columns.
std::string padding(std::string_view text, int width);

}  // namespace ngb::report

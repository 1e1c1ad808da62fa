// SPDX-License-Identifier: Apache-2.0
// Writes tables of texts as HTML.
#pragma once

#include <string>
#include <vector>

namespace ngb::report::page {

// Returns a table that scrolls sideways by itself where it is too wide. All texts are escaped.
std::string html_table(const std::string& caption, const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace ngb::report::page

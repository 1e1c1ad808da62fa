// SPDX-License-Identifier: Apache-2.0
// Writes tables in GitHub's Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ngb::report {

// Escapes text so that Markdown shows it literally, on one line.
std::string markdown_text(std::string_view given);

// Returns "| a | b |" with a line break. The fields are Markdown already.
std::string markdown_line(const std::vector<std::string>& fields);

}  // namespace ngb::report

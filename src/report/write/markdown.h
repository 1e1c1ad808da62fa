// SPDX-License-Identifier: Apache-2.0
// Writes tables in GitHub's Markdown: the columns of people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace ngb::report {

// Returns the summary, a row for each row of the table, and a paragraph for each remark.
std::string to_markdown(const Document& document);

// The two parts of a table. Texts of more than `most_characters` are cut; 0: none.
std::string markdown_header(std::span<const Column> columns);
std::string markdown_row(std::span<const Column> columns, const Row& row, std::size_t most_characters = 0);
// Returns the fields of a row, for markdown_line.
std::vector<std::string> markdown_fields(std::span<const Column> columns, const Row& row,
                                         std::size_t most_characters = 0);

// Escapes text so that Markdown shows it literally, on one line.
std::string markdown_text(std::string_view given);

// Returns "| a | b |" with a line break. The fields are Markdown already.
std::string markdown_line(const std::vector<std::string>& fields);

}  // namespace ngb::report

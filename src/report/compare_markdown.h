// SPDX-License-Identifier: Apache-2.0
// The table of a comparison in GitHub's Markdown, for the formats that contain it.
#pragma once

#include <string>

#include "report/compare.h"

namespace ngb::report {

std::string pairs_header();

// Returns a pair's row. Text of more than `most_characters` is cut where a reason or a name is longer; 0: never.
std::string pair_line(const Compared& compared, const metrics::ComparedPair& pair, std::size_t most_characters);

// Returns the remarks on the whole comparison, a paragraph each; no more than fit into `most_characters`, 0: all.
std::string remark_lines(const Compared& compared, std::size_t most_characters);

}  // namespace ngb::report

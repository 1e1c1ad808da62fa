// SPDX-License-Identifier: Apache-2.0
// Writes a document for GitHub: Markdown that fits into a comment (65,536 characters) and so into a job summary (1
// MiB), and at most ten annotations, as many as GitHub shows of a step.
#pragma once

#include <string>

#include "report/document.h"

namespace ngb::report {

// Rows that have no room, and folded ones, are counted in a line.
std::string to_github(const Document& document);

// Returns a workflow command for each of the first annotations.
std::string github_annotations(const Document& document);

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
// Writes a floating table for the packages booktabs and siunitx. Every text is escaped; a character that pdfTeX's
// default fonts lack becomes [U+05D0].
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace ngb::report {

std::string to_latex(const Document& document);

// Returns LaTeX that prints the text literally, on one line, with pdfTeX's default fonts and without further packages.
// A character that these fonts lack becomes [U+05D0].
std::string latex_text(std::string_view given);

}  // namespace ngb::report

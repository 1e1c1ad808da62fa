// SPDX-License-Identifier: Apache-2.0
// Writes a floating table for the packages booktabs and siunitx. Every text is escaped; a character that pdfTeX's
// default fonts lack becomes [U+05D0].
#pragma once

#include <string>

#include "report/document.h"

namespace ngb::report {

std::string to_latex(const Document& document);

}  // namespace ngb::report

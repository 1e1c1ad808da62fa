// SPDX-License-Identifier: Apache-2.0
// Writes texts and names of commands for LaTeX.
#pragma once

#include <string>
#include <string_view>

namespace ngb::report {

// Returns LaTeX that prints the text literally, on one line, with pdfTeX's default fonts and without further packages.
// A character that these fonts lack becomes [U+05D0].
std::string latex_text(std::string_view given);

// Returns letters only: each word begins with a capital, digits are spelled, all else separates words: "resnet18, v2"
// -> "ResnetOneEightVTwo".
std::string letters_of(std::string_view words);

}  // namespace ngb::report

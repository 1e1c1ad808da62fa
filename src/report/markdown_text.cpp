// SPDX-License-Identifier: Apache-2.0
#include "report/markdown_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ngb::report {

std::string markdown_text(std::string_view given) {
  std::string result;
  for (const char character : text::visible(given)) {
    if (std::string_view("\\|`*<[").find(character) != std::string_view::npos) result += '\\';
    result += character == '\n' || character == '\r' ? ' ' : character;
  }
  return result;
}

std::string markdown_line(const std::vector<std::string>& fields) {
  return fmt::format("| {} |\n", text::join(fields, " | "));
}

}  // namespace ngb::report

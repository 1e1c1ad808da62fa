// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace ngb::report {

std::string json_text(const nlohmann::json& json) {
  const std::string text = json_text::dump(json, 2);
  std::string escaped;
  escaped.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0x7F) {
      escaped += "\\u007f";
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      escaped += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      escaped += text[i];
    }
  }
  return escaped + '\n';
}

}  // namespace ngb::report

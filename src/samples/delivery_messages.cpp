// SPDX-License-Identifier: Apache-2.0
#include "samples/delivery_messages.h"

#include <fmt/format.h>

#include "work/json_fields.h"

namespace ngb::samples {

bool is_path_within(std::string_view path) {
  constexpr std::size_t kMaxPathBytes = 4096;
  if (path.empty() || path.size() > kMaxPathBytes || path.find('\0') != std::string_view::npos) return false;
  for (;;) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

void require_path_within(const std::string& path) {
  if (!is_path_within(path)) throw work::fields::FieldError(fmt::format("\"{}\" leaves the device's folder", path));
}

void require_path_or_none(const std::string& path) {
  if (!path.empty()) require_path_within(path);
}

void require_paths_within(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) require_path_within(path);
}

void require_sha256(const std::string& digits) {
  constexpr std::size_t kDigits = 64;
  const bool is_hash = digits.size() == kDigits && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) throw work::fields::FieldError("\"sha256\" is not 64 lower-case hexadecimal digits");
}

}  // namespace ngb::samples

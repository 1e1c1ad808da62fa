// SPDX-License-Identifier: Apache-2.0
#include "work/json_bounds.h"

#include <algorithm>

namespace ngb::work {
namespace {

// Returns the position of the closing quote of the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at;
}

}  // namespace

Status check_bounds(std::string_view text, const JsonBounds& bounds) {
  std::size_t values = 1;
  std::size_t containers = 0;
  std::size_t keys = 0;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = end_of_string(text, at);
        continue;
      case '{':
      case '[':
        ++containers;
        ++values;
        ++depth;
        break;
      case '}':
      case ']':
        depth -= std::min<std::size_t>(depth, 1);
        continue;
      case ',':
        ++values;
        break;
      case ':':
        ++keys;
        break;
      default:
        continue;
    }
    if (depth > bounds.depth) return fail("too deeply nested");
    if (values > bounds.values || containers > bounds.containers || keys > bounds.keys) {
      return fail("holds more values than any message has");
    }
  }
  return Done{};
}

}  // namespace ngb::work

// SPDX-License-Identifier: Apache-2.0
// How much a JSON text from elsewhere may hold. It is counted before anything is built from it: a text of `{}` after
// `{}` takes forty times its size once it is parsed.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace ngb::work {

struct JsonBounds {
  std::size_t values;
  std::size_t containers;  // objects and arrays
  std::size_t keys;        // of all objects
  std::size_t depth;
};

// Takes no memory. Of a text that is not JSON, parsing finds that out later.
Status check_bounds(std::string_view text, const JsonBounds& bounds);

}  // namespace ngb::work

// SPDX-License-Identifier: Apache-2.0
// Limits how much a JSON text from elsewhere may contain. The text is counted before it is parsed, because a parsed
// list of empty objects (`{},{},…`) needs forty times the memory of its text.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace ngb::work {

struct JsonBounds {
  std::size_t values;
  std::size_t containers;  // objects and arrays
  std::size_t keys;        // of all objects together
  std::size_t depth;
};

// Returns an error if the text exceeds a bound. Allocates no memory. A text that is not JSON may pass; the parser
// refuses it later.
Status check_bounds(std::string_view text, const JsonBounds& bounds);

}  // namespace ngb::work

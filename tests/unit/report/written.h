// SPDX-License-Identifier: Apache-2.0
// Documents as text.
#pragma once

#include <string>

#include "report/formats.h"
#include "report/show/show.h"

namespace ngb::report {

inline std::string to_json(const Document& document) {
  return find_format("json", {"json"}).value()->write(document, {});
}
inline std::string to_csv(const Document& document) { return find_format("csv", {"csv"}).value()->write(document, {}); }

inline std::string show(const Format& format, const Results& results, const ShowOptions& options) {
  std::string text;
  show(format, results, options, [&text](std::string_view piece) { text += piece; });
  return text;
}
inline std::string show_json(const Results& results) {
  return show(*find_format("json", show_formats()).value(), results, {});
}

}  // namespace ngb::report

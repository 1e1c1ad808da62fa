// SPDX-License-Identifier: Apache-2.0
#include "report/show.h"
#include "report/text_table.h"

namespace ngb::report {

std::string show_text(const Results& results, const ShowOptions& options) {
  TextTable table(options, results.baseline);
  table.add(results);
  std::string text;
  table.print(results.differences, results.allocator, [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace ngb::report

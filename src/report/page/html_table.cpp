// SPDX-License-Identifier: Apache-2.0
#include "report/page/html_table.h"

#include <fmt/format.h>

#include <string_view>

#include "report/page/untrusted.h"

namespace ngb::report::page {
namespace {

std::string line(std::string_view begin, std::string_view end, const std::vector<std::string>& fields) {
  std::string html = "<tr>";
  for (const std::string& field : fields) html += fmt::format("{}{}{}", begin, escaped(field), end);
  return html + "</tr>\n";
}

}  // namespace

std::string html_table(const std::string& caption, const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string html = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table><caption>{0}</caption><thead>{1}"
      "</thead><tbody>\n",
      escaped(caption), line("<th scope=\"col\">", "</th>", columns));
  for (const std::vector<std::string>& row : rows) html += line("<td>", "</td>", row);
  return html + "</tbody></table></div>\n";
}

}  // namespace ngb::report::page

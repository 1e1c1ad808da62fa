// SPDX-License-Identifier: Apache-2.0
#include "bundle/descriptions.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "bundle/paths.h"
#include "readme.md.h"

namespace ngb::bundle {

namespace {

std::string words_of_licence(const About& about) {
  const auto licence = about.licence ? find_licence(*about.licence) : Result<const Licence*>(nullptr);
  if (!licence || *licence == nullptr) return "none was chosen";
  return fmt::format("{} ({}), {}", (*licence)->name, (*licence)->spdx, (*licence)->url);
}

// Returns the row of a file that a command makes; "" for others.
std::string command_row(const std::string& path) {
  const auto row = [&](const std::string& command, const std::string& place) {
    return fmt::format("| `{}` | `{}` | {} |\n", path, command, place);
  };
  if (path == kCellsPath) return row("ngb show results --format csv", "its output");
  if (path == kSamplesPath) {
    return row(
        "sqlite3 -csv -header results/results.db 'SELECT cell_id, process_index, instance, repetition_index, "
        "is_warm_up, "
        "wall_ns, inferences FROM sample'",
        "its output");
  }
  const std::string prefix = std::string(kReportFolder) + '/';
  if (!path.starts_with(prefix)) return {};
  const bool is_table = path.starts_with("report/tables/");
  return row(is_table ? "ngb report results --tables csv -o mine" : "ngb report results -o mine",
             fmt::format("`mine/{}`", path.substr(prefix.size())));
}

std::string licence_text(const About& about) {
  const auto licence = about.licence ? find_licence(*about.licence) : Result<const Licence*>(nullptr);
  if (!licence || *licence == nullptr) {
    return "The authors of these data have chosen no licence. Ask them before you use the data.\n";
  }
  return fmt::format("SPDX-License-Identifier: {}\n\nThese data may be used under the terms of the {}:\n{}\n",
                     (*licence)->spdx, (*licence)->name, (*licence)->url);
}

// The README has a command for each table, figure and page.
std::string readme_text(const About& about, const std::vector<std::string>& paths) {
  std::string commands;
  for (const std::string& path : paths) commands += command_row(path);
  const std::string_view source = kText_readme_md;
  const std::string_view form =
      source.substr(source.find('\n') + 1);  // the first line is about the licence of this program
  return text::filled(form, {{"name", about.name},
                             {"description", about.description},
                             {"authors", about.authors.empty() ? "unknown" : text::join(about.authors, ", ")},
                             {"licence", words_of_licence(about)},
                             {"date", about.date},
                             {"made_by", about.made_by},
                             {"commands", commands}});
}

}  // namespace

std::vector<Description> descriptions(const About& about, const std::vector<std::string>& paths) {
  std::vector<std::string> others = paths;
  std::erase_if(others, [](const std::string& path) { return path == kLicencePath || path == kReadmePath; });
  return {{kLicencePath, licence_text(about)}, {kReadmePath, readme_text(about, others)}};
}

}  // namespace ngb::bundle

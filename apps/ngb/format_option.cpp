// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/format_option.h"

#include "base/text.h"

namespace ngb::app {

Result<const report::Format*> FormatArguments::among(const report::FormatNames& offered) const {
  return report::find_format(is_json() ? "json" : name, offered);
}

void add_format_option(CLI::App& command, FormatArguments& arguments, const report::FormatNames& offered,
                       const std::string& footer) {
  CLI::Option* format = command.add_option("--format", arguments.name, "Output format (default: text); see below")
                            ->type_name("[" + text::join(offered, "|") + "]");
  command.add_flag("--json", arguments.json, "Short for --format json")->excludes(format);
  command.footer(report::help_on_formats(offered) + "\n" + footer);
}

}  // namespace ngb::app

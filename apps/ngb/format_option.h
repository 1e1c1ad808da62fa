// SPDX-License-Identifier: Apache-2.0
// The option --format of commands that print in several formats.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "report/formats.h"

namespace ngb::app {

struct FormatArguments {
  std::string name = "text";
  bool json = false;

  [[nodiscard]] bool is_json() const { return json || name == "json"; }
  [[nodiscard]] bool is_text() const { return !json && name == "text"; }
  // Returns the format that is asked for. The Error names the nearest of `offered`, or lists all.
  [[nodiscard]] Result<const report::Format*> among(const report::FormatNames& offered) const;
};

// Adds --format and --json. The help ends with the formats, then `footer`.
void add_format_option(CLI::App& command, FormatArguments& arguments, const report::FormatNames& offered,
                       const std::string& footer);

}  // namespace ngb::app

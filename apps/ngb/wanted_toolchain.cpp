// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/wanted_toolchain.h"

#include <utility>

#include "base/text.h"
#include "toolchain/tools.h"

namespace ngb::app {

Result<WantedToolchain> find_wanted(const Installation& installation, const std::string& text) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return error_of(catalog);
  const std::string name = text.substr(0, text.find('@'));
  const std::string version = name.size() < text.size() ? text.substr(name.size() + 1) : std::string();
  std::vector<std::string> names;
  std::vector<toolchain::CompilerDescription> known = *catalog;
  for (toolchain::CompilerDescription& tool : toolchain::tools()) known.push_back(std::move(tool));
  for (const toolchain::CompilerDescription& compiler : known) {
    if (compiler.needs_toolchain) names.push_back(compiler.name);
    if (compiler.name != name) continue;
    if (!compiler.needs_toolchain) return fail("this compiler is built in and needs no toolchain", name);
    return WantedToolchain{compiler, version.empty() ? compiler.default_version : version};
  }
  const auto near = text::nearest(name, names);
  return fail("unknown compiler", name, near ? "did you mean " + *near + "?" : "known: " + text::join(names, ", "));
}

}  // namespace ngb::app

// SPDX-License-Identifier: Apache-2.0
#include "toolchain/tools.h"

#include <utility>

#include "toolchain/pins.h"

namespace ngb::toolchain {
namespace {

struct Wheel {
  const char* name = "";    // on the package index
  const char* module = "";  // what Python imports of it
  std::uint64_t disk_bytes = 0;
};

// Returns a tool of one wheel, without what that requires.
CompilerDescription tool_of(const Wheel& wheel, std::string name, std::string summary) {
  CompilerDescription tool;
  tool.name = std::move(name);
  tool.summary = std::move(summary);
  tool.host = "python";
  tool.devices = {"cpu"};
  tool.toolchain = tool.name;
  tool.default_version = default_version(tool.name);
  tool.requirements = {std::string(wheel.name) + "=={version}"};
  tool.distributions = {wheel.name};
  tool.imports = {wheel.module};
  tool.disk_bytes = wheel.disk_bytes;
  return tool;
}

}  // namespace

CompilerDescription drawing_tool() {
  return tool_of({.name = "vl-convert-python", .module = "vl_convert", .disk_bytes = 90'000'000}, "figures",
                 "vl-convert: draws the figures of ngb report as SVG, PNG or PDF");
}

CompilerDescription quantising_tool() {
  CompilerDescription tool = tool_of({.name = "nncf", .module = "nncf", .disk_bytes = 350'000'000}, "nncf",
                                     "nncf: quantises OpenVINO's models (quantise: {tool: nncf})");
  tool.with_dependencies = true;
  return tool;
}

std::vector<CompilerDescription> tools() { return {drawing_tool(), quantising_tool()}; }

Result<std::optional<Toolchain>> find_tool(const std::filesystem::path& root, const CompilerDescription& tool) {
  const auto installed = list(root);
  if (!installed) return error_of(installed);
  std::optional<Toolchain> found;
  for (const Toolchain& each : *installed) {
    if (each.compiler != tool.name) continue;
    if (!found || found->version != tool.default_version) found = each;
  }
  return found;
}

}  // namespace ngb::toolchain

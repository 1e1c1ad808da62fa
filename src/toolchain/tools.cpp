// SPDX-License-Identifier: Apache-2.0
#include "toolchain/tools.h"

#include <utility>

#include "toolchain/pins.h"

namespace ngb::toolchain {
namespace {

// Returns a tool that is one wheel, without what that requires.
CompilerDescription tool_of_wheel(std::string name, const std::string& wheel, std::string module) {
  CompilerDescription tool;
  tool.name = std::move(name);
  tool.host = "python";
  tool.devices = {"cpu"};
  tool.toolchain = tool.name;
  tool.default_version = default_version(tool.name);
  tool.requirements = {wheel + "=={version}"};
  tool.distributions = {wheel};
  tool.imports = {std::move(module)};
  return tool;
}

}  // namespace

CompilerDescription drawing_tool() {
  constexpr std::uint64_t kDiskBytes = 90'000'000;
  CompilerDescription tool = tool_of_wheel("figures", "vl-convert-python", "vl_convert");
  tool.summary = "vl-convert: draws the figures of ngb report as SVG, PNG or PDF";
  tool.disk_bytes = kDiskBytes;
  return tool;
}

CompilerDescription parquet_tool() {
  constexpr std::uint64_t kDiskBytes = 175'000'000;
  CompilerDescription tool = tool_of_wheel("parquet", "pyarrow", "pyarrow.parquet");
  tool.summary = "pyarrow: writes the tables of ngb report as Parquet files";
  tool.disk_bytes = kDiskBytes;
  return tool;
}

std::vector<CompilerDescription> tools() { return {drawing_tool(), parquet_tool()}; }

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

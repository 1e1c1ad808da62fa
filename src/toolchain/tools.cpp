// SPDX-License-Identifier: Apache-2.0
#include "toolchain/tools.h"

#include "toolchain/pins.h"

namespace ngb::toolchain {

CompilerDescription drawing_tool() {
  constexpr std::uint64_t kDiskBytes = 90'000'000;
  CompilerDescription tool;
  tool.name = "figures";
  tool.summary = "vl-convert: draws the figures of ngb report as SVG, PNG or PDF";
  tool.host = "python";
  tool.devices = {"cpu"};
  tool.toolchain = tool.name;
  tool.default_version = default_version(tool.name);
  tool.requirements = {"vl-convert-python=={version}"};
  tool.distributions = {"vl-convert-python"};
  tool.imports = {"vl_convert"};
  tool.disk_bytes = kDiskBytes;
  return tool;
}

}  // namespace ngb::toolchain

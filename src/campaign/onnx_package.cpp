// SPDX-License-Identifier: Apache-2.0
#include "campaign/onnx_package.h"

#include "toolchain/toolchain.h"

namespace ngb::campaign {

plan::OnnxPackage find_onnx_package(const Installation& installation) {
  const auto toolchains = toolchain::list(installation.toolchains);
  if (!toolchains) return {};
  for (const toolchain::Toolchain& each : *toolchains) {
    std::error_code code;
    if (each.python.empty() || !std::filesystem::exists(each.site / "onnx" / "reference", code)) continue;
    return {each.python, each.site, installation.parts.lib / "python"};
  }
  return {};
}

}  // namespace ngb::campaign

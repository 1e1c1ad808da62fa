// SPDX-License-Identifier: Apache-2.0
#include "toolchain/nvidia.h"

#include <filesystem>
#include <system_error>

namespace ngb::toolchain {

bool has_nvidia_gpu() {
  std::error_code ignored;
  for (const char* path : {"/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/nvhost-ctrl", "/dev/dxg"}) {
    if (std::filesystem::exists(path, ignored)) return true;
  }
  return false;
}

}  // namespace ngb::toolchain

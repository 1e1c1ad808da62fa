// SPDX-License-Identifier: Apache-2.0
#include "toolchain/hardware.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;

bool has_nvidia_gpu(const fs::path& root) {
  std::error_code ignored;
  for (const char* path : {"dev/nvidiactl", "proc/driver/nvidia/version", "dev/nvhost-ctrl", "dev/dxg"}) {
    if (fs::exists(root / path, ignored)) return true;
  }
  return false;
}

bool is_intels(const fs::path& node) {
  std::ifstream file(node / "device/vendor");
  std::string vendor;
  return file >> vendor && vendor == "0x8086";
}

// Returns whether a node of a class in /sys whose name begins with `prefix` belongs to Intel hardware.
bool has_intel_node(const fs::path& node_class, std::string_view prefix) {
  std::error_code ignored;
  const fs::directory_iterator nodes(node_class, ignored);
  return std::any_of(begin(nodes), end(nodes), [&](const fs::directory_entry& node) {
    return node.path().filename().string().starts_with(prefix) && is_intels(node.path());
  });
}

}  // namespace

bool has_device(std::string_view device, const fs::path& root) {
  if (device == "cuda") return has_nvidia_gpu(root);
  if (device == "gpu") return has_intel_node(root / "sys/class/drm", "renderD");
  if (device == "npu") return has_intel_node(root / "sys/class/accel", "accel");
  return true;
}

}  // namespace ngb::toolchain

// SPDX-License-Identifier: Apache-2.0
// Detects the devices that the kernel reports. Only a compiler knows whether it can use one. Tests pass as `root` a
// folder with their own files in place of "/".
#pragma once

#include <filesystem>
#include <string_view>

namespace ngb::toolchain {

// Returns whether this machine has the device that compilers call so. "cuda" is an NVIDIA driver with its device files
// (on PCs and servers, on Jetson and under WSL). "gpu" and "npu" are Intel's, as OpenVINO names them. All others exist
// everywhere.
bool has_device(std::string_view device, const std::filesystem::path& root = "/");

}  // namespace ngb::toolchain

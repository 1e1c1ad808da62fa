// SPDX-License-Identifier: Apache-2.0
// Which processors the kernel shows. Whether a compiler can use one of them, only that compiler knows. `root` is what
// stands for "/": tests pass a folder with made-up files.
#pragma once

#include <filesystem>
#include <string_view>

namespace ngb::toolchain {

// Whether there is what compilers call so: "cuda", an NVIDIA driver with its own device files (on PCs and servers, on
// Jetson, and under WSL); "gpu" and "npu", OpenVINO's, Intel's. The others, "cpu" and "auto", are everywhere.
bool has_device(std::string_view device, const std::filesystem::path& root = "/");

}  // namespace ngb::toolchain

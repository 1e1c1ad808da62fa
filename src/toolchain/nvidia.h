// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ngb::toolchain {

// Whether an NVIDIA driver runs here, by its own device files: on PCs and servers, on Jetson, and under WSL.
bool has_nvidia_gpu();

}  // namespace ngb::toolchain

// SPDX-License-Identifier: Apache-2.0
// Tensors as PJRT takes them, and what the compiled model's outputs are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::xla {

struct Output {
  std::string name{};
  ngb_dtype type = NGB_F32;
  std::vector<std::int64_t> shape{};
  std::vector<char> data{};  // filled by read
};

// The host's tensor as a buffer of the device's, which is the host's own memory where XLA can use it. Throws
// plugin::Failure.
Owned<PJRT_Buffer> buffer_over(const Runtime& runtime, PJRT_Client* client, PJRT_Device* device,
                               const ngb_tensor& tensor);

// In graph order, under these names. Throws plugin::Failure.
std::vector<Output> outputs_of(const Runtime& runtime, PJRT_Executable* executable,
                               const std::vector<std::string>& names);

}  // namespace ngb::xla

// SPDX-License-Identifier: Apache-2.0
// Converts tensors for PJRT, and describes the compiled model's outputs.
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

// Returns a device buffer over the host's tensor, in the host's memory if XLA can use that. Throws plugin::Failure.
Owned<PJRT_Buffer> buffer_over(const Runtime& runtime, PJRT_Client* client, PJRT_Device* device,
                               const ngb_tensor& tensor);

// Returns the outputs in graph order, with these names. Throws plugin::Failure.
std::vector<Output> outputs_of(const Runtime& runtime, PJRT_Executable* executable,
                               const std::vector<std::string>& names);

}  // namespace ngb::xla

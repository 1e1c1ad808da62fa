// SPDX-License-Identifier: Apache-2.0
// Reads a compiled model's inputs and outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::onnxruntime {

// Throws plugin::Failure for a type that cannot be fed or read.
ONNXTensorElementDataType element_type(ngb_dtype type);
ngb_dtype dtype(ONNXTensorElementDataType type, const std::string& name);
std::uint64_t size_bytes(ngb_dtype type);

struct Slot {
  std::string name{};
  ngb_dtype type = NGB_F32;
  std::vector<std::int64_t> shape{};  // -1 is an extent that is known only after a run
  [[nodiscard]] bool is_static() const;
  [[nodiscard]] std::uint64_t bytes() const;
};

std::vector<Slot> inputs_of(const Runtime& runtime, OrtSession* session);
std::vector<Slot> outputs_of(const Runtime& runtime, OrtSession* session);
// Returns type and shape of a value.
Slot slot_of(const Runtime& runtime, const std::string& name, const OrtValue* value);

// Checks that the cell's inputs are those of the model. Throws plugin::Failure(NGB_INVALID_MODEL).
void check_inputs(const std::vector<Slot>& slots, const ngb_model& model);

}  // namespace ngb::onnxruntime

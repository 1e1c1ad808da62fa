// SPDX-License-Identifier: Apache-2.0
// Reads a compiled model's inputs and outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::onnxruntime {

// Throws plugin::Failure for a type that cannot be fed.
ONNXTensorElementDataType element_type(ngb_dtype type);
std::uint64_t size_bytes(ngb_dtype type);

struct Slot {
  std::string name{};
  ngb_dtype type = NGB_F32;
  std::vector<std::int64_t> shape{};  // -1 is an extent that is known only after a run
  // False: text, a sequence or a map, or a tensor whose shape is not the one that the file declares. Such an output
  // cannot be bound to a buffer; the library allocates it in every inference.
  bool can_be_bound = true;
  [[nodiscard]] bool is_static() const;
  [[nodiscard]] std::uint64_t bytes() const;
};

std::vector<Slot> inputs_of(const Runtime& runtime, OrtSession* session);
std::vector<Slot> outputs_of(const Runtime& runtime, OrtSession* session);
// Returns type and shape of an output's value. `declared` is the output in the file.
Slot slot_of(const Runtime& runtime, const Slot& declared, const OrtValue* value);

// A tensor of numbers that an inference returned.
struct ReadTensor {
  Slot slot;
  const void* data = nullptr;
};
// Returns the tensors of numbers in a value: itself, or the elements of a sequence; none for text and maps. `owned`
// receives objects that have to live as long as the tensors are used.
std::vector<ReadTensor> tensors_in(const Runtime& runtime, const std::string& name, OrtValue* value,
                                   std::vector<Owned<OrtValue>>& owned);

// Checks that the cell's inputs are those of the model. Throws plugin::Failure(NGB_INVALID_MODEL).
void check_inputs(const std::vector<Slot>& slots, const ngb_model& model);

}  // namespace ngb::onnxruntime

// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ngb::onnxruntime {
namespace {

struct Row {
  ngb_dtype type;
  ONNXTensorElementDataType theirs;
  std::uint64_t bytes;
};

constexpr std::array<Row, 9> kTypes{{{NGB_F32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 4},
                                     {NGB_F16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, 2},
                                     {NGB_BF16, ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, 2},
                                     {NGB_F64, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, 8},
                                     {NGB_I64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 8},
                                     {NGB_I32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, 4},
                                     {NGB_I8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, 1},
                                     {NGB_U8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 1},
                                     {NGB_BOOL, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, 1}}};

const Row& row_of(ngb_dtype type) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const Row& known) { return known.type == type; });
  if (row == kTypes.end()) throw plugin::Failure(NGB_INVALID_MODEL, "an element type that cannot be fed");
  return *row;
}

Slot slot_from(const Runtime& runtime, std::string name, const OrtTensorTypeAndShapeInfo* info) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::size_t rank = 0;
  runtime.check(runtime.api().GetTensorElementType(info, &type), "read a type");
  runtime.check(runtime.api().GetDimensionsCount(info, &rank), "read a shape");
  Slot slot{std::move(name), NGB_F32, std::vector<std::int64_t>(rank)};
  runtime.check(runtime.api().GetDimensions(info, slot.shape.data(), rank), "read a shape");
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const Row& known) { return known.theirs == type; });
  slot.can_be_bound = row != kTypes.end();
  if (slot.can_be_bound) slot.type = row->type;
  return slot;
}

using CountOf = OrtStatusPtr(ORT_API_CALL*)(const OrtSession*, size_t*);
using NameOf = OrtStatusPtr(ORT_API_CALL*)(const OrtSession*, size_t, OrtAllocator*, char**);
using TypeOf = OrtStatusPtr(ORT_API_CALL*)(const OrtSession*, size_t, OrtTypeInfo**);

Slot slot_at(const Runtime& runtime, OrtSession* session, std::size_t index, NameOf name_of, TypeOf type_of) {
  OrtAllocator* allocator = nullptr;
  runtime.check(runtime.api().GetAllocatorWithDefaultOptions(&allocator), "find its allocator");
  char* text = nullptr;
  runtime.check(name_of(session, index, allocator, &text), "read a name");
  const std::string name = text;
  runtime.check(runtime.api().AllocatorFree(allocator, text), "free a name");
  OrtTypeInfo* type = nullptr;
  runtime.check(type_of(session, index, &type), "read a type");
  const Owned<OrtTypeInfo> owned(type, runtime.api().ReleaseTypeInfo);
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  runtime.check(runtime.api().CastTypeInfoToTensorInfo(type, &info), "read a type");
  if (info == nullptr) return {.name = name, .can_be_bound = false};
  return slot_from(runtime, name, info);
}

std::vector<Slot> slots_of(const Runtime& runtime, OrtSession* session, CountOf count_of, NameOf name_of,
                           TypeOf type_of) {
  std::size_t count = 0;
  runtime.check(count_of(session, &count), "count its inputs and outputs");
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < count; ++i) slots.push_back(slot_at(runtime, session, i, name_of, type_of));
  return slots;
}

ONNXType kind_of(const Runtime& runtime, const OrtValue* value) {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  runtime.check(runtime.api().GetValueType(value, &kind), "read an output's type");
  return kind;
}

Slot slot_of_tensor(const Runtime& runtime, const std::string& name, const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  runtime.check(runtime.api().GetTensorTypeAndShape(value, &info), "read an output's shape");
  const Owned<OrtTensorTypeAndShapeInfo> owned(info, runtime.api().ReleaseTensorTypeAndShapeInfo);
  return slot_from(runtime, name, info);
}

std::string shape_text(const std::int64_t* shape, std::size_t rank) {
  std::string text = "[";
  for (std::size_t i = 0; i < rank; ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace

ONNXTensorElementDataType element_type(ngb_dtype type) { return row_of(type).theirs; }

std::uint64_t size_bytes(ngb_dtype type) { return row_of(type).bytes; }

bool Slot::is_static() const {
  return can_be_bound && std::all_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent >= 0; });
}

std::uint64_t Slot::bytes() const {
  std::uint64_t bytes = size_bytes(type);
  for (const std::int64_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

std::vector<Slot> inputs_of(const Runtime& runtime, OrtSession* session) {
  const OrtApi& api = runtime.api();
  std::vector<Slot> slots =
      slots_of(runtime, session, api.SessionGetInputCount, api.SessionGetInputName, api.SessionGetInputTypeInfo);
  for (const Slot& slot : slots) {
    if (slot.can_be_bound) continue;
    throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR, "input \"" + slot.name + "\" is no tensor of numbers");
  }
  return slots;
}

std::vector<Slot> outputs_of(const Runtime& runtime, OrtSession* session) {
  const OrtApi& api = runtime.api();
  return slots_of(runtime, session, api.SessionGetOutputCount, api.SessionGetOutputName, api.SessionGetOutputTypeInfo);
}

Slot slot_of(const Runtime& runtime, const Slot& declared, const OrtValue* value) {
  if (kind_of(runtime, value) != ONNX_TYPE_TENSOR) return {.name = declared.name, .can_be_bound = false};
  Slot slot = slot_of_tensor(runtime, declared.name, value);
  const bool fits = std::equal(slot.shape.begin(), slot.shape.end(), declared.shape.begin(), declared.shape.end(),
                               [](std::int64_t actual, std::int64_t named) { return named < 0 || named == actual; });
  slot.can_be_bound = slot.can_be_bound && fits;
  return slot;
}

std::vector<ReadTensor> tensors_in(const Runtime& runtime, const std::string& name, OrtValue* value,
                                   std::vector<Owned<OrtValue>>& owned) {
  const OrtApi& api = runtime.api();
  const ONNXType kind = kind_of(runtime, value);
  std::vector<ReadTensor> found;
  if (kind == ONNX_TYPE_TENSOR) {
    Slot slot = slot_of_tensor(runtime, name, value);
    if (!slot.can_be_bound) return {};  // text
    void* data = nullptr;
    runtime.check(api.GetTensorMutableData(value, &data), "find a tensor's memory");
    found.push_back({std::move(slot), data});
  }
  if (kind != ONNX_TYPE_SEQUENCE) return found;
  OrtAllocator* allocator = nullptr;
  runtime.check(api.GetAllocatorWithDefaultOptions(&allocator), "find its allocator");
  std::size_t count = 0;
  runtime.check(api.GetValueCount(value, &count), "count a sequence");
  for (std::size_t i = 0; i < count; ++i) {
    OrtValue* element = nullptr;
    runtime.check(api.GetValue(value, static_cast<int>(i), allocator, &element), "read a sequence");
    owned.emplace_back(element, api.ReleaseValue);
    const auto inner = tensors_in(runtime, name + "[" + std::to_string(i) + "]", element, owned);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

void check_inputs(const std::vector<Slot>& slots, const ngb_model& model) {
  if (slots.size() != model.input_count) {
    throw plugin::Failure(NGB_INVALID_MODEL, "the model has " + std::to_string(slots.size()) + " inputs, the cell " +
                                                 std::to_string(model.input_count));
  }
  for (std::uint32_t i = 0; i < model.input_count; ++i) {
    const ngb_tensor& input = model.inputs[i];
    const std::string name = input.name;
    const auto slot = std::find_if(slots.begin(), slots.end(), [&](const Slot& known) { return known.name == name; });
    if (slot == slots.end()) throw plugin::Failure(NGB_INVALID_MODEL, "the model has no input \"" + name + "\"");
    bool fits = slot->type == input.dtype && slot->shape.size() == static_cast<std::size_t>(input.rank);
    for (std::size_t axis = 0; fits && axis < slot->shape.size(); ++axis) {
      fits = slot->shape[axis] < 0 || slot->shape[axis] == input.shape[axis];
    }
    if (fits) continue;
    throw plugin::Failure(NGB_INVALID_MODEL,
                          "input \"" + name + "\" is " + shape_text(slot->shape.data(), slot->shape.size()) +
                              " in the model and " + shape_text(input.shape, static_cast<std::size_t>(input.rank)) +
                              " in the cell, or of another element type");
  }
}

}  // namespace ngb::onnxruntime

// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace ngb::tvm {
namespace {

struct Row {
  ngb_dtype type;
  DLDataType theirs;
};

constexpr std::array<Row, 9> kTypes{{{NGB_F32, {kDLFloat, 32, 1}},
                                     {NGB_F16, {kDLFloat, 16, 1}},
                                     {NGB_BF16, {kDLBfloat, 16, 1}},
                                     {NGB_F64, {kDLFloat, 64, 1}},
                                     {NGB_I64, {kDLInt, 64, 1}},
                                     {NGB_I32, {kDLInt, 32, 1}},
                                     {NGB_I8, {kDLInt, 8, 1}},
                                     {NGB_U8, {kDLUInt, 8, 1}},
                                     {NGB_BOOL, {kDLBool, 8, 1}}}};

template <class Is>
const Row& row_where(Is is) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), is);
  if (row == kTypes.end()) throw plugin::Failure(NGB_INVALID_MODEL, "an element type that TVM does not support");
  return *row;
}

const Row& row_of(ngb_dtype type) {
  return row_where([&](const Row& row) { return row.type == type; });
}

// Lent lives as long as TVM holds the tensor.
struct Lent {
  DLManagedTensor managed{};
  std::vector<std::int64_t> shape{};
};

bool is_dense(const DLTensor& tensor) {
  std::int64_t expected = 1;
  for (std::int32_t axis = tensor.ndim - 1; axis >= 0 && tensor.strides != nullptr; --axis) {
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected) return false;
    expected *= tensor.shape[axis];
  }
  return true;
}

// A model that returns a tensor's shape returns TVM's own kind of value, which is a vector of i64.
ngb_tensor view_of_shape(const Value& value, const std::string& name) {
  static_assert(sizeof(std::size_t) == sizeof(std::int64_t));
  const TVMFFIShapeCell& shape = *TVMFFIShapeGetCellPtr(value.object());
  const auto* extent = reinterpret_cast<const std::int64_t*>(&shape.size);
  return {name.c_str(), NGB_I64, 1, extent, const_cast<std::int64_t*>(shape.data), shape.size * sizeof(std::int64_t)};
}

Value tensor_at(const Runtime& runtime, const ngb_tensor& tensor, void* data, DLDeviceType device) {
  auto lent = std::make_unique<Lent>();
  lent->shape.assign(tensor.shape, tensor.shape + tensor.rank);
  lent->managed.dl_tensor = {data, {device, 0}, tensor.rank, row_of(tensor.dtype).theirs, lent->shape.data(), nullptr,
                             0};
  lent->managed.manager_ctx = lent.get();
  lent->managed.deleter = [](DLManagedTensor* self) { delete static_cast<Lent*>(self->manager_ctx); };
  Value value(runtime.functions());
  TVMFFIObjectHandle handle = nullptr;
  if (runtime.functions().tensor_from_dlpack(&lent->managed, 0, 1, &handle) != 0) throw runtime.failure("set an input");
  [[maybe_unused]] const Lent* const theirs = lent.release();
  value.put()->type_index = kTVMFFITensor;
  value.put()->v_obj = static_cast<TVMFFIObject*>(handle);
  return value;
}

}  // namespace

Value tensor_over(const Runtime& runtime, const ngb_tensor& tensor) {
  return tensor_at(runtime, tensor, tensor.data, kDLCPU);
}

Value tensor_on_gpu(const Runtime& runtime, const ngb_tensor& tensor, void* on_gpu) {
  return tensor_at(runtime, tensor, on_gpu, kDLCUDA);
}

ngb_tensor view_of(const Value& value, const std::string& name, DLDeviceType device) {
  if (value.type() == kTVMFFIShape) return view_of_shape(value, name);
  if (value.type() != kTVMFFITensor) throw plugin::Failure(NGB_INTERNAL, "output \"" + name + "\" is not a tensor");
  const DLTensor& tensor = *TVMFFITensorGetDLTensorPtr(value.object());
  if (tensor.device.device_type != device) {
    throw plugin::Failure(NGB_FALLBACK,
                          "output \"" + name + "\" is not in the memory of the device that was asked for");
  }
  if (!is_dense(tensor)) throw plugin::Failure(NGB_INTERNAL, "output \"" + name + "\" is not dense");
  const Row& row = row_where([&](const Row& known) {
    return known.theirs.code == tensor.dtype.code && known.theirs.bits == tensor.dtype.bits && tensor.dtype.lanes == 1;
  });
  std::uint64_t bytes = row.theirs.bits / 8U;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) bytes *= static_cast<std::uint64_t>(tensor.shape[axis]);
  return {name.c_str(), row.type, tensor.ndim, tensor.shape, static_cast<char*>(tensor.data) + tensor.byte_offset,
          bytes};
}

}  // namespace ngb::tvm

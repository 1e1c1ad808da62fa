// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <algorithm>
#include <array>

namespace ngb::openvino {
namespace {

constexpr std::array<ElementType, 9> kTypes{{{NGB_F32, F32, 4},
                                             {NGB_F16, F16, 2},
                                             {NGB_BF16, BF16, 2},
                                             {NGB_F64, F64, 8},
                                             {NGB_I64, I64, 8},
                                             {NGB_I32, I32, 4},
                                             {NGB_I8, I8, 1},
                                             {NGB_U8, U8, 1},
                                             {NGB_BOOL, BOOLEAN, 1}}};

plugin::Failure wrong_input(const ngb_tensor& input, const std::string& what) {
  return {NGB_INVALID_MODEL, "input \"" + std::string(input.name) + "\" " + what};
}

// OpenVINO's C functions refuse shapes of rank 0 and call them dynamic.
bool is_scalar(const ov_partial_shape_t& shape) { return shape.rank.min == 0 && shape.rank.max == 0; }

bool has_shape(const Runtime& runtime, const ov_partial_shape_t& partial, const ngb_tensor& input) {
  if (is_scalar(partial)) return input.rank == 0;
  ov_shape_t shape{};
  runtime.check(runtime.ov_partial_shape_to_shape(partial, &shape), "read an input's shape");
  const bool is_same = shape.rank == input.rank && std::equal(shape.dims, shape.dims + shape.rank, input.shape);
  runtime.ov_shape_free(&shape);
  return is_same;
}

// Returns whether OpenVINO knows the input by the name of an output, because what lies between them does nothing (as
// Dropout in inference): the tensor has one name there.
bool is_an_output(const Runtime& runtime, ov_model_t* model, const ov_output_const_port_t* input) {
  char* text = nullptr;
  if (runtime.ov_port_get_any_name(input, &text) != ov_status_e::OK) return false;
  ov_output_const_port_t* raw = nullptr;
  const bool is_found = runtime.ov_model_const_output_by_name(model, text, &raw) == ov_status_e::OK;
  runtime.ov_free(text);
  if (is_found) runtime.ov_output_const_port_free(raw);
  return is_found;
}

Owned<ov_output_const_port_t> find_input(const Runtime& runtime, ov_model_t* model, const ngb_tensor& input,
                                         std::size_t index) {
  ov_output_const_port_t* raw = nullptr;
  if (runtime.ov_model_const_input_by_name(model, input.name, &raw) == ov_status_e::OK) {
    return {raw, runtime.ov_output_const_port_free};
  }
  runtime.check(runtime.ov_model_const_input_by_index(model, index, &raw), "find an input");
  Owned<ov_output_const_port_t> port(raw, runtime.ov_output_const_port_free);
  if (!is_an_output(runtime, model, raw)) throw wrong_input(input, "is not one of the model's");
  return port;
}

// Returns whether the input has no static shape yet.
bool check_input(const Runtime& runtime, ov_model_t* model, const ngb_tensor& input, std::size_t index) {
  const Owned<ov_output_const_port_t> port = find_input(runtime, model, input, index);
  const ov_output_const_port_t* raw = port.get();
  ov_element_type_e type = DYNAMIC;
  runtime.check(runtime.ov_port_get_element_type(raw, &type), "read an input's type");
  if (type != element_type(input.dtype).theirs) throw wrong_input(input, "has another element type in the model");
  ov_partial_shape_t partial{};
  runtime.check(runtime.ov_port_get_partial_shape(raw, &partial), "read an input's shape");
  const bool is_dynamic = !is_scalar(partial) && runtime.ov_partial_shape_is_dynamic(partial);
  const bool fits = is_dynamic || has_shape(runtime, partial, input);
  runtime.ov_partial_shape_free(&partial);
  if (!fits) throw wrong_input(input, "has another shape in the model");
  return is_dynamic;
}

void reshape(const Runtime& runtime, ov_model_t* model, const ngb_model& cell) {
  std::vector<const char*> names;
  std::vector<ov_partial_shape_t> shapes;
  for (std::uint32_t i = 0; i < cell.input_count; ++i) {
    if (cell.inputs[i].rank == 0) continue;
    names.push_back(cell.inputs[i].name);
    shapes.emplace_back();
    std::vector<ov_dimension_t> extents;  // an open one ranges from -1 to -1
    for (std::int32_t axis = 0; axis < cell.inputs[i].rank; ++axis) {
      extents.push_back({cell.inputs[i].shape[axis], cell.inputs[i].shape[axis]});
    }
    runtime.check(runtime.ov_partial_shape_create(cell.inputs[i].rank, extents.data(), &shapes.back()), "make a shape");
  }
  const ov_status_e status = runtime.ov_model_reshape(model, names.data(), shapes.data(), names.size());
  for (ov_partial_shape_t& shape : shapes) runtime.ov_partial_shape_free(&shape);
  runtime.check(status, "give the model the cell's shapes");
}

}  // namespace

std::span<const ElementType> element_types() { return kTypes; }

const ElementType& element_type(ngb_dtype type) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.ours == type; });
  if (row == kTypes.end()) throw plugin::Failure(NGB_INVALID_MODEL, "an element type that cannot be fed");
  return *row;
}

const ElementType& element_type(ov_element_type_e type, const std::string& name) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.theirs == type; });
  if (row == kTypes.end()) {
    throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR, "output \"" + name + "\" has an element type that cannot be read");
  }
  return *row;
}

void settle_inputs(const Runtime& runtime, ov_model_t* model, const ngb_model& cell) {
  std::size_t count = 0;
  runtime.check(runtime.ov_model_inputs_size(model, &count), "count its inputs");
  if (count != cell.input_count) {
    throw plugin::Failure(NGB_INVALID_MODEL, "the model has " + std::to_string(count) + " inputs, the cell " +
                                                 std::to_string(cell.input_count));
  }
  bool is_dynamic = false;
  for (std::uint32_t i = 0; i < cell.input_count; ++i) {
    is_dynamic = check_input(runtime, model, cell.inputs[i], i) || is_dynamic;
  }
  if (is_dynamic) reshape(runtime, model, cell);
}

Owned<ov_tensor_t> wrap(const Runtime& runtime, const ngb_tensor& tensor) {
  ov_shape_t shape{};  // that of a scalar, which ov_shape_create refuses to make
  if (tensor.rank > 0) runtime.check(runtime.ov_shape_create(tensor.rank, tensor.shape, &shape), "make a shape");
  ov_tensor_t* raw = nullptr;
  const ov_status_e status =
      runtime.ov_tensor_create_from_host_ptr(element_type(tensor.dtype).theirs, shape, tensor.data, &raw);
  if (tensor.rank > 0) runtime.ov_shape_free(&shape);
  runtime.check(status, "wrap an input");
  return {raw, runtime.ov_tensor_free};
}

}  // namespace ngb::openvino

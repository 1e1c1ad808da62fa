// SPDX-License-Identifier: Apache-2.0
// Declares the opened library with the functions of its C API that are used, and owners for its objects.
#pragma once

#include <openvino/c/openvino.h>

#include <memory>
#include <string>

#include "../late_binding.h"

namespace ngb::openvino {

class Runtime {
 public:
  // Throws plugin::Failure if the toolchain or a function is missing, or the library is broken or numbers types
  // differently.
  explicit Runtime(const std::string& toolchain_dir);

  [[nodiscard]] std::string path() const { return library_.path().string(); }
  [[nodiscard]] const std::string& version() const { return version_; }  // "2026.4.1-…"

  // Throws plugin::Failure if `status` is an error in `doing` ("compile the model").
  void check(ov_status_e status, const char* doing) const;

 private:
  plugin::Library library_;
  std::string version_;

  void read_version();
  void check_element_types() const;

 public:
// Each function is a member of the same name and type as in the header.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name takes none.
#define NGB_OPENVINO_FUNCTION(name) decltype(&::name) name = library_.function<decltype(&::name)>(#name);
  NGB_OPENVINO_FUNCTION(ov_get_openvino_version)
  NGB_OPENVINO_FUNCTION(ov_version_free)
  NGB_OPENVINO_FUNCTION(ov_get_error_info)
  NGB_OPENVINO_FUNCTION(ov_get_last_err_msg)
  NGB_OPENVINO_FUNCTION(ov_free)
  NGB_OPENVINO_FUNCTION(ov_core_create)
  NGB_OPENVINO_FUNCTION(ov_core_free)
  NGB_OPENVINO_FUNCTION(ov_core_read_model)
  NGB_OPENVINO_FUNCTION(ov_core_get_available_devices)
  NGB_OPENVINO_FUNCTION(ov_available_devices_free)
  NGB_OPENVINO_FUNCTION(ov_core_set_property)
  NGB_OPENVINO_FUNCTION(ov_core_compile_model)
  NGB_OPENVINO_FUNCTION(ov_core_import_model)
  NGB_OPENVINO_FUNCTION(ov_model_free)
  NGB_OPENVINO_FUNCTION(ov_model_inputs_size)
  NGB_OPENVINO_FUNCTION(ov_model_const_input_by_name)
  NGB_OPENVINO_FUNCTION(ov_model_const_input_by_index)
  NGB_OPENVINO_FUNCTION(ov_model_const_output_by_name)
  NGB_OPENVINO_FUNCTION(ov_model_reshape)
  NGB_OPENVINO_FUNCTION(ov_port_get_partial_shape)
  NGB_OPENVINO_FUNCTION(ov_port_get_element_type)
  NGB_OPENVINO_FUNCTION(ov_port_get_any_name)
  NGB_OPENVINO_FUNCTION(ov_output_const_port_free)
  NGB_OPENVINO_FUNCTION(ov_partial_shape_create)
  NGB_OPENVINO_FUNCTION(ov_partial_shape_is_dynamic)
  NGB_OPENVINO_FUNCTION(ov_partial_shape_to_shape)
  NGB_OPENVINO_FUNCTION(ov_partial_shape_free)
  NGB_OPENVINO_FUNCTION(ov_shape_create)
  NGB_OPENVINO_FUNCTION(ov_shape_free)
  NGB_OPENVINO_FUNCTION(ov_compiled_model_create_infer_request)
  NGB_OPENVINO_FUNCTION(ov_compiled_model_get_property)
  NGB_OPENVINO_FUNCTION(ov_compiled_model_outputs_size)
  NGB_OPENVINO_FUNCTION(ov_compiled_model_get_runtime_model)
  NGB_OPENVINO_FUNCTION(ov_compiled_model_output_by_index)
  NGB_OPENVINO_FUNCTION(ov_compiled_model_export_model)
  NGB_OPENVINO_FUNCTION(ov_compiled_model_free)
  NGB_OPENVINO_FUNCTION(ov_infer_request_set_input_tensor_by_index)
  NGB_OPENVINO_FUNCTION(ov_infer_request_get_output_tensor_by_index)
  NGB_OPENVINO_FUNCTION(ov_infer_request_set_output_tensor_by_index)
  NGB_OPENVINO_FUNCTION(ov_infer_request_infer)
  NGB_OPENVINO_FUNCTION(ov_infer_request_get_profiling_info)
  NGB_OPENVINO_FUNCTION(ov_profiling_info_list_free)
  NGB_OPENVINO_FUNCTION(ov_infer_request_start_async)
  NGB_OPENVINO_FUNCTION(ov_infer_request_wait)
  NGB_OPENVINO_FUNCTION(ov_infer_request_set_callback)
  NGB_OPENVINO_FUNCTION(ov_infer_request_free)
  NGB_OPENVINO_FUNCTION(ov_tensor_create)
  NGB_OPENVINO_FUNCTION(ov_tensor_create_from_host_ptr)
  NGB_OPENVINO_FUNCTION(ov_tensor_get_shape)
  NGB_OPENVINO_FUNCTION(ov_tensor_get_element_type)
  NGB_OPENVINO_FUNCTION(ov_tensor_get_byte_size)
  NGB_OPENVINO_FUNCTION(ov_tensor_data)
  NGB_OPENVINO_FUNCTION(ov_tensor_free)
#undef NGB_OPENVINO_FUNCTION
};

// Owned holds an object of the library and releases it.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

}  // namespace ngb::openvino

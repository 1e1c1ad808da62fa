// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include "errors.h"
#include "model.h"

namespace ngb::openvino {

Runtime::Runtime(const std::string& toolchain_dir)
    : library_(plugin::find_library(toolchain_dir, "openvino/libs", "libopenvino_c.so", "openvino")) {
  read_version();
  check_element_types();
}

void Runtime::read_version() {
  ov_version_t version{};
  check(ov_get_openvino_version(&version), "report its version");
  version_ = version.buildNumber == nullptr ? "" : version.buildNumber;
  ov_version_free(&version);
}

// The C API has no version number, and older releases number element types differently.
void Runtime::check_element_types() const {
  for (const ElementType& type : element_types()) {
    const std::int64_t one = 1;
    ov_shape_t shape{};
    check(ov_shape_create(1, &one, &shape), "make a shape");
    ov_tensor_t* raw = nullptr;
    const ov_status_e status = ov_tensor_create(type.theirs, shape, &raw);
    ov_shape_free(&shape);
    const Owned<ov_tensor_t> tensor(status == ov_status_e::OK ? raw : nullptr, ov_tensor_free);
    std::size_t bytes = 0;
    if (tensor != nullptr && ov_tensor_get_byte_size(raw, &bytes) == ov_status_e::OK && bytes == type.bytes) continue;
    throw plugin::Failure(NGB_IMPORT_ERROR,
                          "OpenVINO " + version_ + " numbers element types differently from what this plugin knows",
                          "install a tested version: ngb toolchain install openvino");
  }
}

void Runtime::check(ov_status_e status, const char* doing) const {
  if (status == ov_status_e::OK) return;
  const char* last = ov_get_last_err_msg();
  std::string message = last == nullptr ? "" : last;
  if (message.empty()) message = ov_get_error_info(status);
  throw failure_from(status, message, doing);
}

}  // namespace ngb::openvino

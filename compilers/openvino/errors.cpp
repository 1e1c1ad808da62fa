// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <algorithm>
#include <string_view>

namespace ngb::openvino {
namespace {

bool says_any(const std::string& message, std::initializer_list<std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view words) { return message.find(words) != std::string::npos; });
}

ngb_status status_of(const std::string& message, bool is_reading) {
  if (says_any(message, {"does not support the following ONNX operations", "Unsupported operation", "not supported",
                         "Unsupported primitive", "Unsupported value_info type", "OpConversionFailure",
                         "is not implemented", "'!shape.rank().is_dynamic()' failed"})) {
    return NGB_UNSUPPORTED_OPERATOR;
  }
  if (says_any(message, {"bad_alloc", "Failed to allocate", "out of memory"})) return NGB_OUT_OF_MEMORY;
  // Any other error while a file is read means that the file is invalid.
  return is_reading ? NGB_INVALID_MODEL : NGB_INTERNAL;
}

}  // namespace

plugin::Failure failure_from(ov_status_e status, const std::string& message, const std::string& doing) {
  const ngb_status ours = status == ov_status_e::NOT_IMPLEMENTED
                              ? NGB_UNSUPPORTED_OPERATOR
                              : status_of(message, doing.find("read the model") != std::string::npos);
  std::string advice;
  if (ours == NGB_UNSUPPORTED_OPERATOR) advice = "leave this model out for openvino, or try a newer version";
  if (ours == NGB_INVALID_MODEL) advice = "check the file with onnx.checker";
  return {ours, "openvino cannot " + doing + ": " + message, advice};
}

}  // namespace ngb::openvino

// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "../cuda_device.h"

namespace ngb::onnxruntime {
namespace {

bool says(const std::string& message, std::string_view words) { return message.find(words) != std::string::npos; }

bool says_any(const std::string& message, std::initializer_list<std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view words) { return says(message, words); });
}

constexpr std::string_view kRunning = "while running ";

// Returns the innermost node of "Non-zero status code returned while running GRU node. Name:'GRU_21' Status Message: …"
// with the reason, or what follows "Load model from /home/me/model.onnx failed:"; "" if the message is neither.
std::string in_short(const std::string& message) {
  constexpr std::string_view kLoading = "Load model from ";
  constexpr std::string_view kFailed = " failed:";
  const std::size_t failed = message.find(kFailed);
  if (message.starts_with(kLoading) && failed != std::string::npos) return message.substr(failed + kFailed.size());
  constexpr std::string_view kName = " node. Name:'";
  constexpr std::string_view kReason = "' Status Message: ";
  const std::size_t running = message.rfind(kRunning);
  const std::size_t name = message.find(kName, running);
  const std::size_t reason = message.find(kReason, name);
  if (running == std::string::npos || name == std::string::npos || reason == std::string::npos) return {};
  const std::size_t type = running + kRunning.size();
  const std::size_t first = name + kName.size();
  const std::size_t words = reason + kReason.size();
  std::string why = message.substr(words, message.find('\n', words) - words);
  // "/…/reshape_helper.h:45 …(…) input_shape_size == size was false. The input tensor cannot be reshaped …"
  constexpr std::string_view kAsserted = " was false. ";
  const std::size_t asserted = why.find(kAsserted);
  if (why.starts_with('/') && asserted != std::string::npos) why.erase(0, asserted + kAsserted.size());
  return message.substr(type, name - type) + " node '" + message.substr(first, reason - first) + "': " + why;
}

// Returns the kind of an error on a GPU. The CUDA provider reports "CUDA failure 700: an illegal memory access was
// encountered ; GPU=0 ; …"; cuBLAS, cuDNN and cuSOLVER report names of their own. Returns nothing for other errors.
std::optional<ngb_status> status_on_gpu(const std::string& message) {
  constexpr std::string_view kCuda = "CUDA failure ";
  if (says_any(message, {"CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "CUSOLVER_STATUS_ALLOC_FAILED"})) {
    return NGB_OUT_OF_MEMORY;
  }
  const std::size_t found = message.find(kCuda);
  if (found == std::string::npos) return std::nullopt;
  int number = 0;
  std::from_chars(message.data() + found + kCuda.size(), message.data() + message.size(), number);
  return plugin::kind_of_cuda_error(number);
}

ngb_status status_of(OrtErrorCode code, const std::string& message) {
  if (const auto on_gpu = status_on_gpu(message)) return *on_gpu;
  if (says_any(message, {"is not a registered function/op", "Could not find an implementation", "No Op registered",
                         "No opset import for domain", "is under development and support for this is limited",
                         "Unsupported model IR version", "not supported"})) {
    return NGB_UNSUPPORTED_OPERATOR;
  }
  if (says_any(message, {"bad_alloc", "Failed to allocate memory", "bad allocation"})) return NGB_OUT_OF_MEMORY;
  if (says(message, kRunning)) return NGB_COMPILER_FAILED;
  switch (code) {
    case ORT_NOT_IMPLEMENTED:
      return NGB_UNSUPPORTED_OPERATOR;
    case ORT_NO_SUCHFILE:
    case ORT_NO_MODEL:
    case ORT_INVALID_PROTOBUF:
    case ORT_INVALID_GRAPH:
    case ORT_INVALID_ARGUMENT:
      return NGB_INVALID_MODEL;
    default:
      break;
  }
  // ORT_FAIL and similar codes are also the loader's and the shape inference's errors about the model itself.
  if (says_any(message, {"Load model from", "ShapeInferenceError", "TypeInferenceError", "Type Error", "Invalid model",
                         "This is an invalid model", "Node (", "is not output of any previous nodes",
                         "Missing model IR version", "tensor_proto", "TensorProto", "initializer"})) {
    return NGB_INVALID_MODEL;
  }
  return NGB_COMPILER_FAILED;
}

}  // namespace

plugin::Failure failure_from(OrtErrorCode code, const std::string& message, const std::string& doing) {
  const ngb_status status = status_of(code, message);
  std::string advice;
  if (status == NGB_UNSUPPORTED_OPERATOR) advice = "leave this model out for onnxruntime, or try a newer version";
  if (status == NGB_INVALID_MODEL) advice = "check the file with onnx.checker";
  const std::string brief = in_short(message);
  if (status == NGB_COMPILER_FAILED && !brief.empty()) advice = "check the shapes and ranges of the model's inputs";
  return {status, "onnxruntime cannot " + doing + ": " + (brief.empty() ? "" : brief + '\n') + message, advice};
}

}  // namespace ngb::onnxruntime

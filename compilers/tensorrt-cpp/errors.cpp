// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace ngb::tensorrt {
namespace {

using nvonnxparser::ErrorCode;

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

// Returns operator and node. The headers of early releases of 8.6 have only the node's number.
template <class Error>
std::string node_of(const Error& error) {
  const std::string number = "node " + std::to_string(error.node());
  if constexpr (requires { error.nodeOperator(); }) {
    const std::string type = text_of(error.nodeOperator());
    const std::string name = text_of(error.nodeName());
    if (!type.empty() || !name.empty()) {
      return (type.empty() ? "a node" : type) + " (\"" + name + "\", " + number + ")";
    }
  }
  return number;
}

// Recognises UNSUPPORTED_GRAPH, …_NODE, …_NODE_ATTR, …; early releases have only the first two.
bool is_unsupported(const nvonnxparser::IParserError& error) {
  constexpr int kPastTheLast = 14;
  const int code = static_cast<int>(error.code());
  return (code >= static_cast<int>(ErrorCode::kUNSUPPORTED_GRAPH) && code < kPastTheLast) ||
         text_of(error.desc()).find("No importer registered") != std::string::npos;
}

bool says_any(const std::string& message, std::initializer_list<std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view words) { return message.find(words) != std::string::npos; });
}

}  // namespace

plugin::Failure parse_failure(const std::string& path, const nvonnxparser::IParser& parser, const std::string& reason) {
  const int count = parser.getNbErrors();
  if (count == 0) return {NGB_INVALID_MODEL, "TensorRT cannot read " + path + ": " + reason};
  std::vector<std::string> nodes;
  for (int i = 0; i < count; ++i) {
    const nvonnxparser::IParserError& error = *parser.getError(i);
    if (error.code() == ErrorCode::kMEM_ALLOC_FAILED) {
      return {NGB_OUT_OF_MEMORY, "TensorRT's parser: " + text_of(parser.getError(0)->desc())};
    }
    if (!is_unsupported(error)) continue;
    const std::string node = node_of(error) + ": " + text_of(error.desc());
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
  if (nodes.empty()) {
    const nvonnxparser::IParserError& first = *parser.getError(0);
    return {NGB_INVALID_MODEL, "TensorRT cannot read " + path + ": " + node_of(first) + ": " + text_of(first.desc()),
            "check the file with onnx.checker"};
  }
  std::string all;
  for (const std::string& node : nodes) all += (all.empty() ? "" : "; ") + node;
  return {NGB_UNSUPPORTED_OPERATOR, "TensorRT does not support " + all,
          "leave this model out for tensorrt-cpp, or try a newer version"};
}

plugin::Failure build_failure(const std::string& reason, const std::string& kernels_advice) {
  std::string text = reason;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string message = "TensorRT cannot make an engine: " + reason;
  if (says_any(text, {"out of memory", "outofmemory", "insufficient memory"})) {
    return {NGB_OUT_OF_MEMORY, message, "choose a smaller batch size"};
  }
  if (says_any(text, {"could not find any implementation", "unsupported"})) {
    return {NGB_UNSUPPORTED_OPERATOR, message, "leave this model out for tensorrt-cpp, or try another version"};
  }
  return {NGB_COMPILER_FAILED, message,
          kernels_advice.empty() ? "its messages are in the log of this attempt" : kernels_advice};
}

}  // namespace ngb::tensorrt

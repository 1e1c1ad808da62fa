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

// Returns what is between `begin`, from `from` on, and `end`; "" if one of them is missing.
std::string between(const std::string& text, std::string_view begin, std::string_view end, std::size_t from = 0) {
  const std::size_t found = text.find(begin, from);
  if (found == std::string::npos) return {};
  const std::size_t first = found + begin.size();
  const std::size_t last = text.find(end, first);
  return last == std::string::npos ? std::string{} : text.substr(first, last - first);
}

// Returns the last line before the next node's or the summary that says something, and is no place in OpenVINO's code.
std::string last_words(const std::string& message, std::size_t from) {
  std::string words;
  for (std::size_t at = from; at < message.size();) {
    const std::size_t end = std::min(message.find('\n', at), message.size());
    std::string line = message.substr(at, end - at);
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with("-- ") || line.starts_with("Summary:")) break;
    const bool is_place = line.starts_with("Exception from ") || line.starts_with("Check '") ||
                          line.starts_with("While validating ") || line.starts_with("FrontEnd API failed with ");
    if (!line.empty() && !is_place) words = line;
    at = end + 1;
  }
  return words;
}

// Returns the node, its operator and what is wrong with it, as far as the message has them; "" if it has none of them.
// Messages have several lines, the first of which is a place in OpenVINO's code.
std::string in_short(const std::string& message) {
  constexpr std::string_view kNoRule = "No conversion rule found for operations: ";
  if (const std::size_t found = message.find(kNoRule); found != std::string::npos) {
    const std::size_t begin = found + kNoRule.size();
    return "it has no conversion rule for " + message.substr(begin, message.find('\n', begin) - begin);
  }
  if (const std::size_t found = message.find("ONNX node '<Node("); found != std::string::npos) {
    return between(message, "<Node(", ")", found) + " node '" + between(message, "): ", ">'", found) +
           "': " + last_words(message, message.find('\n', found));
  }
  if (const std::size_t found = message.find("While validating node '"); found != std::string::npos) {
    const std::string type = between(message, "::", " ", found);
    return type + " node '" + between(message, "with friendly_name '", "'", found) +
           "': " + last_words(message, message.find('\n', found));
  }
  return message.starts_with("Exception from ") ? last_words(message, 0) : "";
}

ngb_status status_of(const std::string& message, bool is_reading) {
  if (says_any(message, {"does not support the following ONNX operations", "Unsupported operation", "not supported",
                         "Unsupported primitive", "Unsupported value_info type", "OpConversionFailure",
                         "is not implemented", "'!shape.rank().is_dynamic()' failed"})) {
    return NGB_UNSUPPORTED_OPERATOR;
  }
  if (says_any(message, {"bad_alloc", "Failed to allocate", "out of memory"})) return NGB_OUT_OF_MEMORY;
  // Any other error while a file is read means that the file is invalid.
  return is_reading ? NGB_INVALID_MODEL : NGB_COMPILER_FAILED;
}

}  // namespace

plugin::Failure failure_from(ov_status_e status, const std::string& message, const std::string& doing) {
  const ngb_status ours = status == ov_status_e::NOT_IMPLEMENTED
                              ? NGB_UNSUPPORTED_OPERATOR
                              : status_of(message, doing.find("read the model") != std::string::npos);
  std::string advice;
  if (ours == NGB_UNSUPPORTED_OPERATOR) advice = "leave this model out for openvino, or try a newer version";
  if (ours == NGB_INVALID_MODEL) advice = "check the file with onnx.checker";
  if (ours == NGB_COMPILER_FAILED) advice = "check the shapes and ranges of the model's inputs";
  const std::string brief = in_short(message);
  return {ours, "openvino cannot " + doing + ": " + (brief.empty() ? "" : brief + '\n') + message, advice};
}

}  // namespace ngb::openvino

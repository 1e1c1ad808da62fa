// SPDX-License-Identifier: Apache-2.0
#include "layer_times.h"

#include <exception>
#include <string_view>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::tensorrt {
namespace {

constexpr std::string_view kForeign = "{ForeignNode[";
constexpr std::string_view kPointwise = "PWN(";
constexpr double kNsInMs = 1e6;

// Returns the parts of a text between separators.
std::vector<std::string> split(const std::string& text, std::string_view separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Returns a name without the marks of pointwise layers around it.
std::string without_marks(std::string name) {
  for (std::size_t at = name.find(kPointwise); at != std::string::npos; at = name.find(kPointwise)) {
    name.erase(at, kPointwise.size());
    if (const std::size_t end = name.rfind(')'); end != std::string::npos) name.erase(end, 1);
  }
  return name;
}

}  // namespace

std::vector<std::string> nodes_in(const std::string& layer) {
  if (layer.starts_with(kForeign) && layer.ends_with("]}")) {
    return split(layer.substr(kForeign.size(), layer.size() - kForeign.size() - 2), "...");
  }
  std::vector<std::string> nodes;
  for (const std::string& part : split(layer, " + ")) {
    for (const std::string& name : split(without_marks(part), ", ")) nodes.push_back(name);
  }
  return nodes;
}

void LayerTimes::reportLayerTime(const char* layer, float milliseconds) noexcept {
  try {
    times_.emplace_back(layer, milliseconds);
  } catch (const std::exception&) {
    times_.clear();  // then the inferences are not alike
  }
}

std::vector<Kernel> LayerTimes::kernels(std::uint32_t inferences) const {
  const std::size_t count = times_.size() / inferences;
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const auto& [layer, milliseconds] = times_[i];
    if (i < count) {
      kernels.push_back({.name = layer, .nodes = nodes_in(layer), .found_by = "node name"});
    } else if (times_.size() % inferences != 0 || layer != kernels[i % count].name) {
      throw plugin::Failure(NGB_NO_PROFILE, "TensorRT does not report the same layers for each inference");
    }
    kernels[i % count].ns += static_cast<double>(milliseconds) * kNsInMs / static_cast<double>(inferences);
  }
  return kernels;
}

}  // namespace ngb::tensorrt

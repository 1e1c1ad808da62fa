// SPDX-License-Identifier: Apache-2.0
#include "work/device_kind.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ngb::work {
namespace {

// The words of compilers and of their execution providers, in lower case, and the kind that they mean.
constexpr std::array<std::pair<std::string_view, const char*>, 9> kDeviceKinds{{{"cpu", "cpu"},
                                                                                {"openvino", "cpu"},
                                                                                {"gpu", "gpu"},
                                                                                {"cuda", "gpu"},
                                                                                {"tensorrt", "gpu"},
                                                                                {"nv-tensorrt-rtx", "gpu"},
                                                                                {"webgpu", "gpu"},
                                                                                {"npu", "npu"},
                                                                                {"qnn", "npu"}}};

}  // namespace

std::string kind_of_device(std::string_view word) {
  std::string name(word.substr(0, word.find_first_of(".:")));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  const auto* const known =
      std::find_if(kDeviceKinds.begin(), kDeviceKinds.end(), [&](const auto& each) { return each.first == name; });
  return known == kDeviceKinds.end() ? "" : known->second;
}

std::string device_asked_for(const Options& options) {
  for (const std::string_view name : {"device", "provider"}) {
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.first == name; });
    if (option == options.end() || !option->second.starts_with('"')) continue;
    std::string kind = kind_of_device(option->second.substr(1, option->second.size() - 2));
    if (!kind.empty()) return kind;
  }
  return {};
}

}  // namespace ngb::work

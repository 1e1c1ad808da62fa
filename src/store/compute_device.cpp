// SPDX-License-Identifier: Apache-2.0
#include "store/compute_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace ngb::store {
namespace {

using Text = Known<std::string>;

// The words of compilers, in lower case, and the kind that they mean.
constexpr std::array<std::pair<std::string_view, const char*>, 6> kKinds{
    {{"cpu", "cpu"}, {"openvino", "cpu"}, {"gpu", "gpu"}, {"cuda", "gpu"}, {"tensorrt", "gpu"}, {"npu", "npu"}}};

// Returns the kind of "CPU", "cuda:0" or "GPU.1"; "" if the word means none.
std::string kind_of_device(std::string_view word) {
  std::string name(word.substr(0, word.find_first_of(".:")));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  const auto known = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.first == name; });
  return known == kKinds.end() ? "" : known->second;
}

// Returns the device that the options ask for; nothing if they leave the choice to the compiler or to its default.
std::string device_asked_for(const work::Options& options) {
  for (const std::string_view name : {"device", "provider"}) {
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.first == name; });
    if (option == options.end() || !option->second.starts_with('"')) continue;
    std::string kind = kind_of_device(option->second.substr(1, option->second.size() - 2));
    if (!kind.empty()) return kind;
  }
  return {};
}

}  // namespace

Known<std::string> compute_device_of(const std::set<std::string>& reported, const work::Options& options) {
  std::set<std::string> kinds;
  for (const std::string& word : reported) {
    kinds.insert(kind_of_device(word));
    if (kinds.contains(""))
      return Text::unknown(fmt::format("it reports the device \"{}\"", text::to_utf8(word.substr(0, 100))));
  }
  if (kinds.size() > 1) {
    return Text::unknown("its processes ran on different devices: " +
                         text::join(std::vector<std::string>(kinds.begin(), kinds.end()), ", "));
  }
  std::string kind = kinds.empty() ? device_asked_for(options) : *kinds.begin();
  return kind.empty() ? Text::unknown("no process has reported where it computes") : Text::of(std::move(kind));
}

}  // namespace ngb::store

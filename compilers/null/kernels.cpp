// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::null_compiler {
namespace {

constexpr std::uint32_t kMostKernels = 1'000'000;

plugin::Failure refused(const std::string& text) {
  return {NGB_INVALID_OPTION, "null's option kernels is \"" + text + "\"",
          "give NODE+NODE*WEIGHT,~NAME*WEIGHT,… with weights >= 0, or a number of kernels"};
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Removes "*WEIGHT" from the end of `item` and returns the weight; 1 if there is none.
double take_weight(std::string& item) {
  const std::size_t star = item.rfind('*');
  if (star == std::string::npos) return 1;
  double weight = 0;
  const char* const end = item.data() + item.size();
  const auto [stop, error] = std::from_chars(item.data() + star + 1, end, weight);
  if (error != std::errc() || stop != end || !(weight >= 0 && weight < 1e9)) throw refused(item);
  item.resize(star);
  return weight;
}

Kernel kernel_of(std::string item) {
  Kernel kernel{.name = {}, .kind = "made up", .ns = take_weight(item)};
  if (item.empty()) throw refused(item);
  if (item.front() == '~') {
    kernel.name = item.substr(1);
    return kernel;
  }
  kernel.name = item;
  kernel.nodes = parts_of(item, '+');
  kernel.found_by = "node name";
  return kernel;
}

std::vector<Kernel> numbered(const std::string& text) {
  std::uint32_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || stop != text.data() + text.size() || count > kMostKernels) throw refused(text);
  std::vector<Kernel> kernels;
  for (std::uint32_t i = 0; i < count; ++i)
    kernels.push_back({.name = "kernel " + std::to_string(i), .kind = "made up", .ns = 1});
  return kernels;
}

}  // namespace

std::vector<Kernel> made_up_kernels(const std::string& text, std::int64_t run_ns) {
  std::vector<Kernel> kernels;
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) {
    kernels = numbered(text);
  } else {
    for (const std::string& item : parts_of(text, ',')) kernels.push_back(kernel_of(item));
  }
  double weights = 0;  // those of all
  for (const Kernel& kernel : kernels) weights += kernel.ns;
  for (Kernel& kernel : kernels) kernel.ns = weights > 0 ? kernel.ns / weights * static_cast<double>(run_ns) : 0;
  return kernels;
}

}  // namespace ngb::null_compiler

// SPDX-License-Identifier: Apache-2.0
#include "report/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace ngb::report {
namespace {

struct Colour {
  std::string_view compiler;
  int colour;
};
constexpr std::array kFixed{Colour{"identity", 7},    Colour{"onnxruntime", 0},   Colour{"openvino", 2},
                            Colour{"tensorrt", 1},    Colour{"tensorrt-cpp", 1},  Colour{"tvm", 3},
                            Colour{"torchscript", 4}, Colour{"xla", 5},           Colour{"iree", 6},
                            Colour{"eager-cpp", 8},   Colour{"torch-compile", 9}, Colour{"aotinductor", 9}};

int colour_by_name(std::string_view name) {
  const auto* const fixed =
      std::find_if(kFixed.begin(), kFixed.end(), [&](const Colour& each) { return each.compiler == name; });
  if (fixed != kFixed.end()) return fixed->colour;
  constexpr int kFactor = 31;
  constexpr int kModulus = 9973;
  int hash = 7;
  for (const char character : name) hash = (hash * kFactor + static_cast<unsigned char>(character)) % kModulus;
  return hash % kColours;
}

}  // namespace

std::vector<Look> looks_of(std::span<const std::string> compilers) {
  std::map<std::string, int> next_shapes;
  std::vector<Look> looks;
  for (const std::string& compiler : compilers) {
    const int first = static_cast<int>(next_shapes.size());
    looks.push_back({colour_by_name(compiler), next_shapes.try_emplace(compiler, first).first->second++});
  }
  return looks;
}

std::string shade(const std::string& colour, int setting) {
  constexpr std::array kShareOfWhite{0.0, 0.35, 0.6};
  const double white = kShareOfWhite.at(static_cast<std::size_t>(setting) % kShareOfWhite.size());
  std::string shaded = "#";
  for (std::size_t i = 1; i + 1 < colour.size(); i += 2) {
    const double part = std::stoi(colour.substr(i, 2), nullptr, 16);
    shaded += fmt::format("{:02x}", static_cast<int>(part + white * (255 - part)));
  }
  return shaded;
}

}  // namespace ngb::report

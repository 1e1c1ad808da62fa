// SPDX-License-Identifier: Apache-2.0
#include "report/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "compiler_colours.h"

namespace ngb::report {
namespace {

int colour_by_name(std::string_view name) {
  const auto* const given = std::find_if(kColoursGiven.begin(), kColoursGiven.end(),
                                         [&](const Colour& each) { return each.compiler == name; });
  if (given != kColoursGiven.end()) return given->colour;
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

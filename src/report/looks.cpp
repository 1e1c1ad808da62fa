// SPDX-License-Identifier: Apache-2.0
#include "report/looks.h"

#include <map>
#include <set>

namespace ngb::report {
namespace {

int colour_by_name(const std::string& name) {
  constexpr int kFactor = 31;
  constexpr int kModulus = 9973;
  int hash = 7;
  for (const char character : name) hash = (hash * kFactor + static_cast<unsigned char>(character)) % kModulus;
  return hash % kColours;
}

}  // namespace

std::vector<Look> looks_of(std::span<const std::string> compilers) {
  std::map<std::string, int> colours;
  for (const std::string& compiler : compilers) colours.emplace(compiler, 0);
  std::set<int> taken;
  for (auto& [compiler, colour] : colours) {
    colour = colour_by_name(compiler);
    for (int tried = 0; tried < kColours && taken.contains(colour); ++tried) colour = (colour + 1) % kColours;
    taken.insert(colour);
  }
  std::map<std::string, int> settings;
  std::vector<Look> looks;
  for (const std::string& compiler : compilers) {
    const int earlier = settings[compiler]++;
    looks.push_back({colours.at(compiler), static_cast<int>(settings.size()) - 1 + earlier});
  }
  return looks;
}

}  // namespace ngb::report

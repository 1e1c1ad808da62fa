// SPDX-License-Identifier: Apache-2.0
#include "work/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ngb::work {
namespace {

constexpr std::array<std::string_view, 4> kKinds{"none", "cpu", "memory", "command"};
constexpr std::array<std::string_view, 4> kPlaces{"cell", "others", "all", "listed"};

template <class Enum>
Result<Enum> parse_word(std::string_view name, const std::array<std::string_view, 4>& words, const char* what) {
  const auto found = std::find(words.begin(), words.end(), name);
  if (found == words.end()) return fail(fmt::format("unknown {} \"{}\"", what, name));
  return static_cast<Enum>(found - words.begin());
}

}  // namespace

std::string_view name(LoadKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
Result<LoadKind> parse_load_kind(std::string_view name) { return parse_word<LoadKind>(name, kKinds, "kind of load"); }

std::string_view name(LoadPlace place) { return kPlaces.at(static_cast<std::size_t>(place)); }
Result<LoadPlace> parse_load_place(std::string_view name) {
  return parse_word<LoadPlace>(name, kPlaces, "place of a load");
}

LoadPlace usual_place(LoadKind kind) {
  switch (kind) {
    case LoadKind::memory:
      return LoadPlace::others;
    case LoadKind::command:
      return LoadPlace::all;
    case LoadKind::none:
    case LoadKind::cpu:
      break;
  }
  return LoadPlace::cell;
}

}  // namespace ngb::work

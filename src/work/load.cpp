// SPDX-License-Identifier: Apache-2.0
#include "work/load.h"

#include "base/words.h"

namespace ngb::work {
namespace {

constexpr EnumWords<4> kKinds{"none", "cpu", "memory", "command"};
constexpr EnumWords<4> kPlaces{"cell", "others", "all", "listed"};

}  // namespace

std::string_view name(LoadKind kind) { return word_in(kKinds, kind); }
Result<LoadKind> parse_load_kind(std::string_view name) { return parse_word<LoadKind>(kKinds, name, "kind of load"); }

std::string_view name(LoadPlace place) { return word_in(kPlaces, place); }
Result<LoadPlace> parse_load_place(std::string_view name) {
  return parse_word<LoadPlace>(kPlaces, name, "place of a load");
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

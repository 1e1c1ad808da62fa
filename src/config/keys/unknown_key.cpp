// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.h"
#include "config/keys/key.h"
#include "config/problems.h"

namespace ngb::config {

std::string unknown_key(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::pair<const char*, std::span<const Key>>> places{{"the study itself", study_keys()},
                                                                         {"an entry of models", model_keys()},
                                                                         {"an entry of compilers", compiler_keys()},
                                                                         {"an entry of devices", device_keys()},
                                                                         {"an entry of loads", load_keys()}};
  for (const auto& [place, keys] : places) {
    if (find_key(keys, name) != nullptr) return fmt::format("{}: unknown key here; it belongs in {}", name, place);
  }
  if (text::nearest(name, known)) return unknown_word(name, "key", known);
  for (const auto& [place, keys] : places) {
    const auto near = text::nearest(name, names(keys));
    if (near) return fmt::format("{}: unknown key here, did you mean {} in {}?", shown(name), *near, place);
  }
  return unknown_word(name, "key", known);
}

}  // namespace ngb::config

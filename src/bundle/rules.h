// SPDX-License-Identifier: Apache-2.0
// The table of rules by which a bundle is verified. The output of `ngb verify` and its help derive from its rows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::bundle {

enum class Level {
  files,   // the files are those that the manifest lists: else they were changed or damaged
  numbers  // what is printed follows from the samples: else somebody has made the manifest anew
};

struct Rule {
  const char* id;
  Level level;
  const char* meaning;  // what holds if the bundle passes
};
std::span<const Rule> rules();

// A place in a bundle where a rule does not hold.
struct Problem {
  std::string where{};  // a file, a cell with its metric, …
  std::string what{};
};

// Returns the id of the rule that a file of this path is compared by.
std::string_view rule_of_path(std::string_view path);

}  // namespace ngb::bundle

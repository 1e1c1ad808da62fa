// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ngb::work {

// A compiler's own tool that quantises models, as its compiler.json describes it.
struct Quantiser {
  std::string tool{};       // as studies name it: "nncf"; "": the compiler has none
  std::string refused{};    // why ngb cannot run it, and what to do instead; "": it can
  std::string file{};       // the ending of the file that it writes: ".xml"
  std::string toolchain{};  // has its packages
  // What it does, as a word and bits of a weight: "static 8", "weights 4". The first is its default.
  std::vector<std::string> ways{};
};

}  // namespace ngb::work

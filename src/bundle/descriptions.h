// SPDX-License-Identifier: Apache-2.0
// Makes the files of a bundle that describe the others. They depend only on what the author says and on the names of
// the other files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bundle/manifest.h"

namespace ngb::bundle {

struct Description {
  std::string path{};
  std::string text{};
};

// Returns LICENCE and README.md for a folder that holds the files `paths`, which these two may be among.
std::vector<Description> descriptions(const About& about, const std::vector<std::string>& paths);

// The parts of it.
std::string licence_text(const About& about);
// The README has a command for each table, figure and page.
std::string readme_text(const About& about, const std::vector<std::string>& paths);

// The words of formulas, of their sources and of flags, which a bundle gives for people. They belong to the ngb that
// has made the bundle: another one has other words for the same numbers. Pure.

// Returns `follows`, a page as this ngb makes it, with the words of `given` in place of its own for
// each metric, series or flag that both have. Nothing else of `given` gets into it, because the words end where their
// element or their string ends.
std::string with_words_of(std::string_view given, std::string follows);

}  // namespace ngb::bundle

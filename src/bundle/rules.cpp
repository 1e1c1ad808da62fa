// SPDX-License-Identifier: Apache-2.0
#include "bundle/rules.h"

#include <array>

#include "bundle/paths.h"

namespace ngb::bundle {

std::span<const Rule> rules() {
  static constexpr std::array kRules{
      Rule{"archive", Level::files,
           "it is a whole zip file and nothing else, and no larger when unpacked than a bundle can be"},
      Rule{"paths", Level::files, "each entry is a file with a plain name within the bundle, and no name occurs twice"},
      Rule{"manifest", Level::files, "manifest.json is as ngb writes it, and lists exactly the files that are there"},
      Rule{"hash", Level::files, "each file has the size and the SHA-256 that the manifest lists"},
      Rule{"samples", Level::numbers,
           "results.db can be read, no row of it refers to a missing one, and data/samples.csv has its samples"},
      Rule{"derived", Level::numbers, "the values of cells in results.db follow from its samples"},
      Rule{"series", Level::numbers, "the numbers in results.db that span cells follow from its samples"},
      Rule{"verdicts", Level::numbers,
           "the findings, reversed orders and claims in results.db follow from its samples"},
      Rule{"tables", Level::numbers, "data/cells.csv and report/tables follow from the samples"},
      Rule{"figures", Level::numbers, "the figures' specifications and data follow from the samples"},
      Rule{"page", Level::numbers, "the page is the one that the same ngb makes of the samples"},
      Rule{"study", Level::numbers, "study.json is the study that results.db was measured by"},
      Rule{"environment", Level::numbers, "environment.json is what results.db says of the devices"},
      Rule{"metadata", Level::numbers, "README.md and LICENCE follow from the manifest and the files"}};
  return kRules;
}

std::string_view rule_of_path(std::string_view path) {
  if (path == kResultsPath || path == kSamplesPath) return "samples";
  if (path == kCellsPath || path.starts_with("report/tables/")) return "tables";
  if (path.starts_with("report/figures/")) return "figures";
  if (path == kPagePath) return "page";
  if (path == kStudyPath) return "study";
  if (path == kEnvironmentPath) return "environment";
  return "metadata";
}

}  // namespace ngb::bundle

// SPDX-License-Identifier: Apache-2.0
// Makes the files of a bundle that describe the others, for people and for programs. They depend only on what the
// author says and on the other files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/manifest.h"

namespace ngb::bundle {

struct Description {
  std::string path{};
  std::string text{};
};

// Returns LICENCE, README.md, croissant.json and ro-crate-metadata.json for a folder that holds the files `paths`,
// which these four may be among. `worded` is a croissant.json whose words of formulas are used (with_words_of); "":
// ours are. Returns an error if a file cannot be read.
Result<std::vector<Description>> descriptions(const About& about, const std::filesystem::path& folder,
                                              const std::vector<std::string>& paths, std::string_view worded = {});

// The parts of it.
std::string licence_text(const About& about);
// The README has a command for each table, figure and page.
std::string readme_text(const About& about, const std::vector<std::string>& paths);
// Metadata of MLCommons Croissant 1.0 with a record set for cells and one for samples. `cells_header` is the first line
// of data/cells.csv.
std::string croissant_text(const About& about, const std::vector<BundledFile>& files, const std::string& cells_header);
// Metadata of RO-Crate 1.1.
std::string crate_text(const About& about, const std::vector<BundledFile>& files);

// Returns the media type of a file of a bundle: "text/csv".
std::string media_type(const std::string& path);

// The words of formulas, of their sources and of flags, which a bundle gives for people. They belong to the ngb that
// has made the bundle: another one has other words for the same numbers. Pure.

// Returns `follows`, a page or a croissant.json as this ngb makes it, with the words of `given` in place of its own for
// each metric, series or flag that both have. Nothing else of `given` gets into it, because the words end where their
// element or their string ends.
std::string with_words_of(std::string_view given, std::string follows);

}  // namespace ngb::bundle

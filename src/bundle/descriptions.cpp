// SPDX-License-Identifier: Apache-2.0
#include "bundle/descriptions.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "base/hash.h"
#include "bundle/paths.h"
#include "bundle/words.h"

namespace ngb::bundle {
namespace {

constexpr std::array kMadePaths{kLicencePath, kReadmePath, kCroissantPath, kCratePath, kManifestPath};

std::vector<std::string> without_made(const std::vector<std::string>& paths) {
  std::vector<std::string> others;
  for (const std::string& path : paths) {
    if (std::find(kMadePaths.begin(), kMadePaths.end(), path) == kMadePaths.end()) others.push_back(path);
  }
  return others;
}

Result<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  if (!std::getline(stream, line)) return fail("it has no line of names", file.string());
  return line;
}

}  // namespace

Result<std::vector<Description>> descriptions(const About& about, const std::filesystem::path& folder,
                                              const std::vector<std::string>& paths, std::string_view worded) {
  const std::vector<std::string> others = without_made(paths);
  auto files = describe_files(folder, others);
  if (!files) return error_of(files);
  const auto header = first_line(folder / kCellsPath);
  if (!header) return error_of(header);
  std::vector<Description> made{{kLicencePath, licence_text(about)},
                                {kReadmePath, readme_text(about, others)},
                                {kCroissantPath, with_words_of(worded, croissant_text(about, *files, *header))}};
  for (const Description& each : made) files->push_back({each.path, each.text.size(), hash::sha256(each.text)});
  std::sort(files->begin(), files->end(),
            [](const BundledFile& one, const BundledFile& other) { return one.path < other.path; });
  made.push_back({kCratePath, crate_text(about, *files)});
  return made;
}

std::string media_type(const std::string& path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTypes{{{".csv", "text/csv"},
                                                                                 {".db", "application/vnd.sqlite3"},
                                                                                 {".html", "text/html"},
                                                                                 {".json", "application/json"},
                                                                                 {".md", "text/markdown"},
                                                                                 {"LICENCE", "text/plain"}}};
  for (const auto& [ending, type] : kTypes) {
    if (path.ends_with(ending)) return std::string(type);
  }
  return "application/octet-stream";
}

}  // namespace ngb::bundle

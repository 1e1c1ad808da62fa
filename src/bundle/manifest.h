// SPDX-License-Identifier: Apache-2.0
// The manifest of a bundle: what its author says of it, and the size and the hash of every other file in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb::bundle {

inline constexpr int kBundleVersion = 1;

// What the author says, and which program made the bundle. All that is made of the results depends on nothing else.
struct About {
  std::string name{};                    // "quickstart"
  std::string description{};             // a sentence
  std::optional<std::string> licence{};  // SPDX identifier; nothing: the author has chosen none
  std::vector<std::string> authors{};    // none: unknown
  std::string date{};                    // of publication: "2026-11-25"
  std::string url{};                     // where the bundle is published; "": unknown
  std::string made_by{};                 // "0.1.0 (git 0123456789ab)"
  std::string formulas{};                // what formulas() returned to the program that made it
};

// Returns a text that changes whenever a formula of this program does.
std::string formulas();

struct BundledFile {
  std::string path{};
  std::uint64_t bytes = 0;
  std::string sha256{};
};

struct Manifest {
  About about{};
  std::vector<BundledFile> files{};  // sorted by path; without the manifest
};

// Returns the size and the hash of each of these files of the folder.
Result<std::vector<BundledFile>> describe_files(const std::filesystem::path& folder,
                                                const std::vector<std::string>& paths);

// Returns the manifest as indented JSON. The same manifest gives the same text.
std::string to_text(const Manifest& manifest);

// Returns whether the text is the manifest of a bundle of a newer version, which this program cannot read.
bool is_of_newer_version(std::string_view text);

// Returns an error if the text is not what to_text returns for some manifest, letter by letter, or if a path, a licence
// or a date is none that a bundle may have.
Result<Manifest> parse_manifest(std::string_view text);

// Returns whether the text is a day of the calendar as YYYY-MM-DD, between 1980 and 9999.
bool is_date(std::string_view text);

// The table of licences under which data are given away. Help and metadata derive from its rows.
struct Licence {
  const char* spdx;  // identifier of the SPDX list
  const char* name;
  const char* url;
};
std::span<const Licence> licences();

// Returns an error that names the nearest licence, or lists all.
Result<const Licence*> find_licence(const std::string& spdx);

}  // namespace ngb::bundle

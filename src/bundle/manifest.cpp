// SPDX-License-Identifier: Apache-2.0
#include "bundle/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "bundle/paths.h"
#include "metrics/series/derive_series.h"
#include "paper/claims.h"
#include "work/json_bounds.h"

namespace ngb::bundle {

std::string formulas() { return hash::sha256(metrics::series::series_version(paper::claims().rows)).substr(0, 16); }

std::span<const Licence> licences() {
  static constexpr std::array kLicences{
      Licence{"CC-BY-4.0", "Creative Commons Attribution 4.0 International",
              "https://creativecommons.org/licenses/by/4.0/"},
      Licence{"CC-BY-SA-4.0", "Creative Commons Attribution-ShareAlike 4.0 International",
              "https://creativecommons.org/licenses/by-sa/4.0/"},
      Licence{"CC-BY-NC-4.0", "Creative Commons Attribution-NonCommercial 4.0 International",
              "https://creativecommons.org/licenses/by-nc/4.0/"},
      Licence{"CC0-1.0", "Creative Commons Zero 1.0 Universal", "https://creativecommons.org/publicdomain/zero/1.0/"},
      Licence{"ODbL-1.0", "Open Data Commons Open Database License 1.0",
              "https://opendatacommons.org/licenses/odbl/1-0/"},
      Licence{"ODC-By-1.0", "Open Data Commons Attribution License 1.0",
              "https://opendatacommons.org/licenses/by/1-0/"},
      Licence{"PDDL-1.0", "Open Data Commons Public Domain Dedication and License 1.0",
              "https://opendatacommons.org/licenses/pddl/1-0/"},
      Licence{"CDLA-Permissive-2.0", "Community Data License Agreement Permissive 2.0",
              "https://cdla.dev/permissive-2-0/"},
      Licence{"Apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"},
      Licence{"MIT", "MIT License", "https://opensource.org/license/mit"}};
  return kLicences;
}

Result<const Licence*> find_licence(const std::string& spdx) {
  std::vector<std::string> names;
  for (const Licence& licence : licences()) {
    if (spdx == licence.spdx) return &licence;
    names.emplace_back(licence.spdx);
  }
  const auto near = text::nearest(spdx, names);
  return fail(fmt::format("ngb knows no licence of data named \"{}\"", spdx), "--licence",
              near ? "did you mean " + *near + "?" : "expected one of: " + text::join(names, ", "));
}

namespace {

using nlohmann::ordered_json;

constexpr const char* kNextForManifest = "ask for another copy";

tl::unexpected<Error> not_a_manifest(const std::string& why) { return fail(why, kManifestPath, kNextForManifest); }

// Returns a discarded value if the text is not JSON, or more than any manifest has.
ordered_json parse_bounded(std::string_view text) {
  constexpr work::JsonBounds kBounds{100'000, 20'000, 100'000, 8};
  if (!work::check_bounds(text, kBounds)) return ordered_json::value_t::discarded;
  return json_text::parse_ordered(text);
}

// Throws nlohmann::json::exception if a key is missing or has a value of another type.
Manifest manifest_of(const ordered_json& json) {
  Manifest manifest;
  About& about = manifest.about;
  about.made_by = json.at("made_by").get<std::string>();
  about.formulas = json.at("formulas").get<std::string>();
  about.name = json.at("name").get<std::string>();
  about.description = json.at("description").get<std::string>();
  if (!json.at("licence").is_null()) about.licence = json.at("licence").get<std::string>();
  about.authors = json.at("authors").get<std::vector<std::string>>();
  about.date = json.at("date").get<std::string>();
  about.url = json.at("url").get<std::string>();
  for (const ordered_json& file : json.at("files")) {
    manifest.files.push_back({file.at("path").get<std::string>(), file.at("bytes").get<std::uint64_t>(),
                              file.at("sha256").get<std::string>()});
  }
  return manifest;
}

Status check_manifest(const Manifest& manifest) {
  if (manifest.about.licence) {
    if (const auto known = find_licence(*manifest.about.licence); !known) return not_a_manifest(known.error().what);
  }
  if (!is_date(manifest.about.date)) return not_a_manifest("its date is no day of the calendar");
  std::vector<std::string> paths;
  for (const BundledFile& file : manifest.files) {
    if (const std::string why = why_not_a_path(file.path); !why.empty()) {
      return not_a_manifest(fmt::format("it lists \"{}\": {}", file.path, why));
    }
    paths.push_back(file.path);
  }
  if (const std::string twice = twice_used_path(paths); !twice.empty()) {
    return not_a_manifest(fmt::format("it lists \"{}\" twice", twice));
  }
  if (!std::is_sorted(paths.begin(), paths.end())) return not_a_manifest("its files are not sorted");
  return Done{};
}

}  // namespace

Result<std::vector<BundledFile>> describe_files(const std::filesystem::path& folder,
                                                const std::vector<std::string>& paths) {
  std::vector<BundledFile> files;
  for (const std::string& path : paths) {
    std::error_code code;
    const std::uintmax_t bytes = std::filesystem::file_size(folder / path, code);
    if (code) return tl::unexpected(file::from_errno("read", folder / path, code.value()));
    auto sha256 = hash::sha256_of_file(folder / path);
    if (!sha256) return error_of(sha256);
    files.push_back({path, bytes, *std::move(sha256)});
  }
  return files;
}

std::string to_text(const Manifest& manifest) {
  const About& about = manifest.about;
  ordered_json files = ordered_json::array();
  for (const BundledFile& file : manifest.files) {
    files.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  const ordered_json json{{"bundle_version", kBundleVersion},
                          {"made_by", about.made_by},
                          {"formulas", about.formulas},
                          {"name", about.name},
                          {"description", about.description},
                          {"licence", about.licence ? ordered_json(*about.licence) : ordered_json()},
                          {"authors", about.authors},
                          {"date", about.date},
                          {"url", about.url},
                          {"files", std::move(files)}};
  return json_text::dump(json, 2) + "\n";
}

bool is_of_newer_version(std::string_view text) {
  const ordered_json json = parse_bounded(text);
  if (!json.is_object() || !json.contains("bundle_version")) return false;
  const ordered_json& version = json["bundle_version"];
  return version.is_number_integer() && version.get<std::int64_t>() > kBundleVersion;
}

Result<Manifest> parse_manifest(std::string_view text) {
  const ordered_json json = parse_bounded(text);
  if (!json.is_object()) return not_a_manifest("it is not JSON, or too much of it");
  try {
    Manifest manifest = manifest_of(json);
    if (const Status usable = check_manifest(manifest); !usable) return error_of(usable);
    if (to_text(manifest) != text) return not_a_manifest("it is not as ngb bundle writes it");
    return manifest;
  } catch (const nlohmann::json::exception& error) {
    return not_a_manifest(std::string("it lacks something: ") + error.what());
  }
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto number = [&](std::size_t begin, std::size_t length) {
    int value = 0;
    for (const char c : text.substr(begin, length)) {
      if (c < '0' || c > '9') return -1;
      value = 10 * value + (c - '0');
    }
    return value;
  };
  const int year = number(0, 4);
  const int month = number(5, 2);
  const int day = number(8, 2);
  if (year < 1980 || month < 1 || day < 1) return false;
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

}  // namespace ngb::bundle

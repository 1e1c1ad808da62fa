// SPDX-License-Identifier: Apache-2.0
#include "toolchain/manifest.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"

namespace ngb::toolchain {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

}  // namespace

std::string hash_of(const Toolchain& toolchain) {
  json packages = json::array();
  for (const Package& package : toolchain.packages) {
    packages.push_back({package.name, package.version, package.sha256});
    if (!package.record_sha256.empty()) packages.back().push_back(package.record_sha256);
  }
  json all{toolchain.compiler, toolchain.version, packages};
  if (!toolchain.changed.empty()) all.push_back(toolchain.changed);
  return hash::sha256(json_text::dump(all));
}

std::string manifest_text(const Toolchain& toolchain) {
  json packages = json::array();
  for (const Package& package : toolchain.packages) {
    packages.push_back({{"name", package.name},
                        {"version", package.version},
                        {"sha256", package.sha256},
                        {"size_bytes", package.size_bytes}});
    if (!package.record_sha256.empty()) packages.back()["record_sha256"] = package.record_sha256;
  }
  json manifest{{"format", kFormat},
                {"compiler", toolchain.compiler},
                {"version", toolchain.version},
                // The path is relative for installed toolchains, so that the folder may be moved.
                {"site", toolchain.is_adopted ? toolchain.site.string() : "site"},
                {"python", toolchain.python},
                {"python_version", toolchain.python_version},
                {"adopted", toolchain.is_adopted},
                {"packages", packages},
                {"size_bytes", toolchain.size_bytes},
                {"created", toolchain.created},
                {"sha256", toolchain.manifest_sha256}};
  if (!toolchain.changed.empty()) manifest["changed"] = toolchain.changed;  // only where it is recorded with results
  return json_text::dump(manifest, 2) + "\n";
}

Status write_manifest(const Toolchain& toolchain, const std::filesystem::path& folder) {
  return file::write_atomically(folder / "manifest.json", manifest_text(toolchain));
}

Result<Toolchain> parse_manifest(std::string_view text, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "manifest.json";
  const json manifest = json_text::parse(text);
  if (manifest.is_discarded()) return fail("not JSON", path.string());
  Toolchain toolchain;
  try {
    if (manifest.at("format") != kFormat) return fail("written by another version of ngb", path.string());
    toolchain.compiler = manifest.at("compiler");
    toolchain.version = manifest.at("version");
    toolchain.python = manifest.at("python");
    toolchain.python_version = manifest.value("python_version", "");
    toolchain.is_adopted = manifest.at("adopted");
    toolchain.site = folder / manifest.at("site").get<std::string>();  // operator/ keeps an absolute path unchanged
    toolchain.size_bytes = manifest.at("size_bytes");
    toolchain.created = manifest.at("created");
    toolchain.changed = manifest.value("changed", toolchain.changed);
    for (const json& package : manifest.at("packages")) {
      toolchain.packages.push_back({package.at("name"), package.at("version"), package.at("sha256"),
                                    package.at("size_bytes"), package.value("record_sha256", "")});
    }
  } catch (const json::exception&) {
    return fail("not the manifest of a toolchain", path.string());
  }
  toolchain.folder = folder;
  toolchain.manifest_sha256 = hash_of(toolchain);
  return toolchain;
}

Result<Toolchain> read_manifest(const std::filesystem::path& folder) {
  const Result<std::string> content = file::read(folder / "manifest.json", 64U << 20U);
  if (!content) return error_of(content);
  return parse_manifest(*content, folder);
}

}  // namespace ngb::toolchain

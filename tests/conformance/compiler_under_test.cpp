// SPDX-License-Identifier: Apache-2.0
#include "compiler_under_test.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "base/json_text.h"
#include "toolchain/hardware.h"
#include "work/compiler.h"

namespace ngb::conformance {
namespace {

namespace fs = std::filesystem;

nlohmann::json read_json(const fs::path& path) {
  const Result<std::string> text = file::read(path);
  return text ? json_text::parse(*text) : nlohmann::json();
}

fs::path toolchain_root() {
  if (const char* root = std::getenv("NGB_TOOLCHAINS"); root != nullptr && *root != '\0') return root;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
    return fs::path(data) / "ngraphbench/toolchains";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "" : home) / ".local/share/ngraphbench/toolchains";
}

// Where the toolchain's packages are: an adopted one's manifest names another folder.
fs::path site_of(const fs::path& folder) {
  const nlohmann::json manifest = read_json(folder / "manifest.json");
  return folder / (manifest.is_object() ? manifest.value("site", "site") : "site");
}

// Those that versions.json calls tested; where it names none, what is installed here, or the default version.
std::vector<std::string> versions_of(const nlohmann::json& pins, const fs::path& folder) {
  auto versions = pins.at("tested").get<std::vector<std::string>>();
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; pins.at("tested").empty() && !code && entry != end;
       entry.increment(code)) {
    if (fs::exists(entry->path() / "manifest.json")) versions.push_back(entry->path().filename().string());
  }
  if (versions.empty()) versions.push_back(pins.at("default").get<std::string>());
  return versions;
}

}  // namespace

std::string CompilerUnderTest::toolchain_name() const { return description->value("toolchain", name); }

std::string CompilerUnderTest::missing() const {
  if (is_native() && !fs::exists(plugin())) return plugin().string() + " is not built";
  if (!toolchain.empty() && !fs::exists(toolchain)) return "no toolchain " + toolchain.string();
  if (work::converts_modules(place()) && !fs::exists(module_site())) return "no toolchain of the identity";
  const auto devices = description->value("devices", std::vector<std::string>{"cpu"});
  if (!toolchain::has_device(devices.front())) return "no toolchain of it runs here: no " + devices.front() + " device";
  return {};
}

work::Place CompilerUnderTest::place() const {
  work::Place place{.compiler = name,
                    .version = version,
                    .host = description->at("host").get<std::string>(),
                    .toolchain_dir = toolchain.string(),
                    .runs_modules = description->value("runs_modules", "")};
  if (toolchain.empty()) return place;
  const nlohmann::json manifest = read_json(toolchain_root() / toolchain_name() / version / "manifest.json");
  place.python = manifest.is_object() ? manifest.value("python", NGB_PYTHON) : NGB_PYTHON;
  if (!is_native()) place.python_path = toolchain.string();
  return place;
}

fs::path CompilerUnderTest::module_site() const {
  if (!work::converts_modules(place())) return {};
  const nlohmann::json versions = read_json(fs::path(NGB_SOURCE_DIR) / "versions.json");
  const std::string exporter = versions.at("toolchains").at("identity").at("default");
  return site_of(toolchain_root() / "identity" / exporter);
}

namespace {

std::vector<CompilerUnderTest> find_compilers() {
  std::vector<CompilerUnderTest> all;
  const nlohmann::json versions = read_json(fs::path(NGB_SOURCE_DIR) / "versions.json");
  for (const fs::directory_entry& entry : fs::directory_iterator(lib_folder() / "compilers")) {
    CompilerUnderTest compiler;
    compiler.description = std::make_shared<const nlohmann::json>(read_json(entry.path() / "compiler.json"));
    if (!compiler.description->is_object()) continue;
    compiler.name = compiler.description->at("name").get<std::string>();
    compiler.folder = entry.path();
    if (!compiler.description->at("needs_toolchain").get<bool>()) {
      all.push_back(compiler);
      continue;
    }
    const fs::path folder = toolchain_root() / compiler.toolchain_name();
    for (const std::string& version : versions_of(versions.at("toolchains").at(compiler.toolchain_name()), folder)) {
      compiler.version = version;
      compiler.toolchain = site_of(folder / version);
      all.push_back(compiler);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return test_name(a) < test_name(b); });
  return all;
}

}  // namespace

// Each case of each suite asks for them, and versions.json is long.
std::vector<CompilerUnderTest> compilers_under_test() {
  static const std::vector<CompilerUnderTest> all = find_compilers();
  return all;
}

std::vector<CompilerUnderTest> native_compilers_under_test() {
  std::vector<CompilerUnderTest> all = compilers_under_test();
  std::erase_if(all, [](const CompilerUnderTest& compiler) { return !compiler.is_native(); });
  return all;
}

std::string test_name(const CompilerUnderTest& compiler) {
  std::string text = compiler.name + (compiler.version.empty() ? "" : "_" + compiler.version);
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return text;
}

std::ostream& operator<<(std::ostream& stream, const CompilerUnderTest& compiler) {
  return stream << compiler.name << ' ' << compiler.version;
}

fs::path worker_program() { return fs::path(NGB_BIN) / "ngb-worker"; }
fs::path lib_folder() { return NGB_LIB; }

}  // namespace ngb::conformance

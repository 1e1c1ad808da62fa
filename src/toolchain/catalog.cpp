// SPDX-License-Identifier: Apache-2.0
#include "toolchain/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "toolchain/pins.h"
#include "toolchain/requirement.h"

namespace ngb::toolchain {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kOptionTypes{"bool", "int", "float", "string"};

// Takes keys out of one JSON object and remembers the first thing that was wrong.
class Keys {
 public:
  Keys(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) error_ = Error{"expected an object", where_, {}};
  }

  template <class T>
  void take(const char* key, T& value, bool is_required = false) {
    if (error_) return;
    known_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) {
      if (is_required) error_ = Error{fmt::format("key \"{}\" is missing", key), where_, {}};
      return;
    }
    try {
      value = found->get<T>();
    } catch (const json::exception& exception) {
      error_ = Error{fmt::format("key \"{}\": {}", key, exception.what()), where_, {}};
    }
  }
  void refuse(std::string what) {
    if (!error_) error_ = Error{std::move(what), where_, {}};
  }
  // Also an error: a key that nobody took.
  std::optional<Error> finish() {
    for (const auto& item : object_.items()) {
      if (error_ || std::find(known_.begin(), known_.end(), item.key()) != known_.end()) continue;
      const std::optional<std::string> near = text::nearest(item.key(), known_);
      error_ = Error{
          fmt::format("unknown key \"{}\"{}", item.key(), near ? ", did you mean \"" + *near + "\"?" : ""), where_, {}};
    }
    return error_;
  }

 private:
  const json& object_;
  std::string where_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

Result<OptionDescription> read_option(const json& object, const std::string& where) {
  OptionDescription option;
  Keys keys(object, where);
  keys.take("name", option.name, true);
  keys.take("type", option.type, true);
  keys.take("values", option.values);
  keys.take("default", option.default_value);
  keys.take("meaning", option.meaning, true);
  if (std::find(kOptionTypes.begin(), kOptionTypes.end(), option.type) == kOptionTypes.end()) {
    keys.refuse(fmt::format("key \"type\": \"{}\" is none of bool, int, float, string", option.type));
  }
  if (const auto error = keys.finish()) return tl::unexpected(*error);
  return option;
}

// The package that carries the compiler, unless the description says so: that of the first requirement with {version}.
std::string main_distribution(const std::vector<std::string>& requirements) {
  for (const std::string& requirement : requirements) {
    if (requirement.find("{version}") == std::string::npos) continue;
    const Result<std::string> filled = fill_placeholders(requirement, "0");
    const Result<Requirement> parsed = filled ? parse_requirement(*filled) : fail("");
    if (parsed) return parsed->name;
  }
  return {};
}

std::optional<Error> check(const CompilerDescription& compiler, Keys& keys, const std::string& folder_name) {
  if (compiler.name != folder_name) {
    keys.refuse(fmt::format("key \"name\": \"{}\" stands in the folder \"{}\"", compiler.name, folder_name));
  }
  if (compiler.host != "native" && compiler.host != "python") {
    keys.refuse(fmt::format("key \"host\": \"{}\" is neither native nor python", compiler.host));
  }
  if (compiler.host == "python" && compiler.adaptor.find(':') == std::string::npos) {
    keys.refuse("key \"adaptor\": a python compiler needs \"module:Class\"");
  }
  const bool is_guest = compiler.toolchain != compiler.name;
  if (is_guest && (!compiler.needs_toolchain || !compiler.distributions.empty() || !compiler.imports.empty())) {
    keys.refuse("key \"toolchain\": what is installed stands in the description of " + compiler.toolchain);
  }
  if (compiler.needs_toolchain && !is_guest && compiler.distributions.empty()) {
    keys.refuse("key \"requirements\": none has {version}, and there are no \"distributions\"");
  }
  if (compiler.devices.empty()) keys.refuse("key \"devices\": it has none");
  for (const OptionDescription& option : compiler.options) {
    if (option.name != "device" || option.values == compiler.devices) continue;
    keys.refuse("key \"devices\": the option device has other values");
  }
  for (const std::string& requirement : compiler.requirements) {
    const Result<std::string> filled = fill_placeholders(requirement, "0");
    const Result<Requirement> parsed = filled ? parse_requirement(*filled) : fail(filled.error().text());
    if (!parsed) keys.refuse("key \"requirements\": " + parsed.error().what);
  }
  return keys.finish();
}

Result<CompilerDescription> read_description(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "compiler.json";
  const Result<std::string> content = file::read(path, 1U << 20U);
  if (!content) return tl::unexpected(content.error());
  const json object = json::parse(*content, nullptr, false);
  if (object.is_discarded()) return fail("not JSON", path.string());
  CompilerDescription compiler;
  std::vector<json> options;
  Keys keys(object, path.string());
  keys.take("name", compiler.name, true);
  keys.take("summary", compiler.summary, true);
  keys.take("host", compiler.host, true);
  keys.take("adaptor", compiler.adaptor);
  compiler.devices = {"cpu"};
  keys.take("devices", compiler.devices);
  keys.take("needs_toolchain", compiler.needs_toolchain, true);
  keys.take("produces_file", compiler.produces_file);
  keys.take("dynamic_batch", compiler.dynamic_batch);
  compiler.toolchain = compiler.name;
  keys.take("toolchain", compiler.toolchain);
  keys.take("requirements", compiler.requirements);
  keys.take("with_dependencies", compiler.with_dependencies);
  keys.take("skip_without_gpu", compiler.skip_without_gpu);
  keys.take("distributions", compiler.distributions);
  keys.take("imports", compiler.imports);
  keys.take("install_advice", compiler.install_advice);
  keys.take("disk_bytes", compiler.disk_bytes);
  keys.take("options", options);
  for (std::size_t i = 0; i < options.size(); ++i) {
    Result<OptionDescription> option = read_option(options[i], fmt::format("{}: options[{}]", path.string(), i));
    if (!option) return tl::unexpected(option.error());
    compiler.options.push_back(*std::move(option));
  }
  if (compiler.distributions.empty()) {
    if (std::string main = main_distribution(compiler.requirements); !main.empty()) {
      compiler.distributions.push_back(std::move(main));
    }
  }
  if (const auto error = check(compiler, keys, folder.filename().string())) return tl::unexpected(*error);
  compiler.folder = folder;
  if (compiler.host == "native") compiler.plugin = folder / (compiler.name + ".so");
  compiler.default_version = default_version(compiler.toolchain);
  return compiler;
}

// Compilers that share a toolchain get from its owner what installing it takes.
Status share_toolchains(std::vector<CompilerDescription>& catalog) {
  for (CompilerDescription& guest : catalog) {
    if (guest.toolchain == guest.name) continue;
    const auto owner = std::find_if(catalog.begin(), catalog.end(), [&](const CompilerDescription& compiler) {
      return compiler.name == guest.toolchain && compiler.toolchain == compiler.name && compiler.needs_toolchain;
    });
    if (owner == catalog.end()) {
      return fail(fmt::format("key \"toolchain\": {} has no toolchain of its own here", guest.toolchain),
                  (guest.folder / "compiler.json").string());
    }
    guest.requirements = owner->requirements;
    guest.with_dependencies = owner->with_dependencies;
    guest.skip_without_gpu = owner->skip_without_gpu;
    guest.distributions = owner->distributions;
    guest.imports = owner->imports;
    guest.install_advice = owner->install_advice;
    guest.disk_bytes = owner->disk_bytes;
  }
  return Done{};
}

}  // namespace

Result<std::vector<CompilerDescription>> read_catalog(const std::filesystem::path& lib_folder) {
  const std::filesystem::path compilers = lib_folder / "compilers";
  std::vector<CompilerDescription> catalog;
  std::error_code code;
  for (std::filesystem::directory_iterator it(compilers, code), end; !code && it != end; it.increment(code)) {
    std::error_code ignored;
    if (!std::filesystem::exists(it->path() / "compiler.json", ignored)) continue;
    Result<CompilerDescription> compiler = read_description(it->path());
    if (!compiler) return tl::unexpected(compiler.error());
    catalog.push_back(*std::move(compiler));
  }
  if (code) return tl::unexpected(file::from_errno("read", compilers, code.value()));
  if (Status shared = share_toolchains(catalog); !shared) return tl::unexpected(shared.error());
  std::sort(catalog.begin(), catalog.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return catalog;
}

Result<CompilerDescription> find_compiler(const std::vector<CompilerDescription>& catalog, std::string_view name) {
  std::vector<std::string> names;
  for (const CompilerDescription& compiler : catalog) {
    if (compiler.name == name) return compiler;
    names.push_back(compiler.name);
  }
  const std::optional<std::string> near = text::nearest(name, names);
  return fail(fmt::format("{}: unknown compiler{}", name, near ? fmt::format(", did you mean {}?", *near) : ""), "",
              "choose one of " + text::join(names, ", "));
}

}  // namespace ngb::toolchain

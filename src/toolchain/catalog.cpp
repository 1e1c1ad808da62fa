// SPDX-License-Identifier: Apache-2.0
#include "toolchain/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "toolchain/pins.h"
#include "toolchain/spelling.h"
#include "work/codec.h"

namespace ngb::toolchain {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kOptionTypes{"bool", "int", "float", "string"};

// Keys reads the keys of a JSON object and remembers the first error.
class Keys {
 public:
  Keys(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) error_ = Error{"expected an object", where_, {}};
  }

  template <class T>
  void read(const char* key, T& value, bool is_required = false) {
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
  // Returns the first error. A key that was not read is an error too.
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
  keys.read("name", option.name, true);
  keys.read("type", option.type, true);
  keys.read("values", option.values);
  keys.read("minimum", option.minimum);
  keys.read("maximum", option.maximum);
  keys.read("default", option.default_value, true);
  keys.read("meaning", option.meaning, true);
  if (std::find(kOptionTypes.begin(), kOptionTypes.end(), option.type) == kOptionTypes.end()) {
    keys.refuse(fmt::format("key \"type\": \"{}\" is not bool, int, float or string", option.type));
  }
  if (const auto error = keys.finish()) return tl::unexpected(*error);
  return option;
}

bool is_condition(const std::string& text, const std::vector<OptionDescription>& options) {
  if (text.empty() || text == "always") return true;
  return std::any_of(options.begin(), options.end(), [&](const OptionDescription& option) {
    return std::any_of(option.values.begin(), option.values.end(),
                       [&](const std::string& value) { return text == option.name + "=" + value; });
  });
}

// An owner is a key of a study, one of the compiler's options ("options.NAME"), or "fixed: " and a reason.
bool is_owner(const std::string& owner, const std::vector<OptionDescription>& options) {
  constexpr std::array<std::string_view, 6> kKeys{"threads", "in_flight", "precision", "compile", "allocator", "seed"};
  if (owner.starts_with("fixed: ")) return true;
  if (std::find(kKeys.begin(), kKeys.end(), owner) != kKeys.end()) return true;
  return std::any_of(options.begin(), options.end(),
                     [&](const OptionDescription& option) { return owner == "options." + option.name; });
}

Result<SettingsDescription> read_settings(const json& object, const std::string& where,
                                          const std::vector<OptionDescription>& options) {
  SettingsDescription settings;
  std::map<std::string, std::string> reserved;
  Keys keys(object, where);
  keys.read("meaning", settings.meaning, true);
  keys.read("reserved", reserved, true);
  for (auto& [name, owner] : reserved) {
    if (!is_owner(owner, options)) {
      keys.refuse(fmt::format("\"{}\": \"{}\" is neither a key of a study nor an option", name, owner));
    }
    settings.reserved.push_back({name, owner});
  }
  if (const auto error = keys.finish()) return tl::unexpected(*error);
  return settings;
}

Result<Judging> read_judging(const json& object, const std::string& where) {
  Judging judges;
  json options = json::object();
  Keys keys(object, where);
  keys.read("place", judges.place, true);
  keys.read("options", options);
  for (const auto& [name, value] : options.items()) judges.options.emplace_back(name, json_text::dump(value));
  if (const auto error = keys.finish()) return tl::unexpected(*error);
  return judges;
}

Result<work::Quantiser> read_quantiser(const json& object, const std::string& where, const std::string& toolchain) {
  work::Quantiser quantiser{.toolchain = toolchain};
  Keys keys(object, where);
  keys.read("tool", quantiser.tool, true);
  keys.read("refused", quantiser.refused);
  keys.read("file", quantiser.file, quantiser.refused.empty());
  keys.read("ways", quantiser.ways, quantiser.refused.empty());
  keys.read("toolchain", quantiser.toolchain);
  if (const auto error = keys.finish()) return tl::unexpected(*error);
  return quantiser;
}

// Reads what becomes of models that are quantised, and what quantises them.
Status read_quantising(Keys& keys, CompilerDescription& compiler, const std::string& where) {
  compiler.quantised_operators = "runs";
  keys.read("quantised_operators", compiler.quantised_operators);
  if (const std::string& word = compiler.quantised_operators;
      word != "runs" && word != "emulates" && word != "refuses") {
    keys.refuse(fmt::format("key \"quantised_operators\": \"{}\" is not runs, emulates or refuses", word));
  }
  json quantiser;
  keys.read("quantiser", quantiser);
  if (quantiser.is_null()) return Done{};
  Result<work::Quantiser> read = read_quantiser(quantiser, where + ": quantiser", compiler.toolchain);
  if (!read) return error_of(read);
  compiler.quantiser = *std::move(read);
  return Done{};
}

// Reads the last keys of a compiler.
Status read_conduct(Keys& keys, CompilerDescription& compiler, const std::string& where) {
  int colour = 0;  // the build hands it to the room report
  keys.read("colour", colour);
  json judges;
  keys.read("judges", judges);
  if (!judges.is_null()) {
    Result<Judging> read = read_judging(judges, where + ": judges");
    if (!read) return error_of(read);
    compiler.judges = *std::move(read);
  }
  std::map<std::string, json> times;
  for (const char* const key : {"usual_times", "usual_times_tuned"}) {
    keys.read(key, times[key]);
    if (times[key].is_null()) continue;
    const auto read = work::parse_json<work::UsualTimes>(times[key], key);
    if (!read) return fail(read.error().what, where);
    (key == std::string_view("usual_times") ? compiler.usual_times : compiler.usual_times_tuned.emplace()) = *read;
  }
  return Done{};
}

std::optional<Error> check(const CompilerDescription& compiler, Keys& keys, const std::string& folder_name) {
  if (compiler.name != folder_name) {
    keys.refuse(fmt::format("key \"name\": \"{}\" is in the folder \"{}\"", compiler.name, folder_name));
  }
  if (compiler.host != "native" && compiler.host != "python") {
    keys.refuse(fmt::format("key \"host\": \"{}\" is neither native nor python", compiler.host));
  }
  if (compiler.host == "python" && compiler.adaptor.find(':') == std::string::npos) {
    keys.refuse("key \"adaptor\": a python compiler needs \"module:Class\"");
  }
  const bool is_guest = compiler.toolchain != compiler.name;
  if (is_guest && (!compiler.needs_toolchain || !compiler.distributions.empty() || !compiler.imports.empty())) {
    keys.refuse("key \"toolchain\": the packages belong in the description of " + compiler.toolchain);
  }
  if (compiler.needs_toolchain && !is_guest && compiler.distributions.empty()) {
    keys.refuse("key \"requirements\": none contains {version}, and \"distributions\" is missing");
  }
  if (compiler.devices.empty()) keys.refuse("key \"devices\": the list is empty");
  if (!is_condition(compiler.runs_modules, compiler.options)) {
    keys.refuse(fmt::format("key \"runs_modules\": \"{}\" is neither always nor OPTION=VALUE of an option here",
                            compiler.runs_modules));
  }
  for (const OptionDescription& option : compiler.options) {
    if (option.name != "device" || option.values == compiler.devices) continue;
    keys.refuse("key \"devices\": it differs from the values of the option device");
  }
  for (const std::string& requirement : compiler.requirements) {
    const Result<std::string> filled = fill_placeholders(requirement, "0");
    if (!filled) keys.refuse("key \"requirements\": " + filled.error().text());
    if (filled && required_name(*filled).empty()) {
      keys.refuse(fmt::format("key \"requirements\": \"{}\" does not begin with the name of a package", *filled));
    }
  }
  return keys.finish();
}

Result<CompilerDescription> read_description(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "compiler.json";
  const Result<std::string> content = file::read(path, 1U << 20U);
  if (!content) return error_of(content);
  const json object = json_text::parse(*content);
  if (object.is_discarded()) return fail("not JSON", path.string());
  CompilerDescription compiler;
  std::vector<json> options;
  Keys keys(object, path.string());
  keys.read("name", compiler.name, true);
  keys.read("summary", compiler.summary, true);
  keys.read("host", compiler.host, true);
  keys.read("adaptor", compiler.adaptor);
  compiler.devices = {"cpu"};
  keys.read("devices", compiler.devices);
  compiler.precisions = {"f32"};
  keys.read("precisions", compiler.precisions);
  keys.read("needs_toolchain", compiler.needs_toolchain, true);
  keys.read("produces_file", compiler.produces_file);
  keys.read("keeps_file", compiler.keeps_file);
  keys.read("dynamic_batch", compiler.dynamic_batch);
  keys.read("in_flight", compiler.in_flight);
  keys.read("compiled_files", compiler.compiled_files);
  keys.read("runs_modules", compiler.runs_modules);
  compiler.toolchain = compiler.name;
  keys.read("toolchain", compiler.toolchain);
  keys.read("requirements", compiler.requirements);
  keys.read("with_dependencies", compiler.with_dependencies);
  keys.read("skip_without_gpu", compiler.skip_without_gpu);
  keys.read("distributions", compiler.distributions);
  keys.read("imports", compiler.imports);
  keys.read("install_advice", compiler.install_advice);
  keys.read("disk_bytes", compiler.disk_bytes);
  keys.read("options", options);
  json settings;
  keys.read("settings", settings);
  for (std::size_t i = 0; i < options.size(); ++i) {
    Result<OptionDescription> option = read_option(options[i], fmt::format("{}: options[{}]", path.string(), i));
    if (!option) return error_of(option);
    compiler.options.push_back(*std::move(option));
  }
  if (!settings.is_null()) {
    Result<SettingsDescription> read = read_settings(settings, path.string() + ": settings", compiler.options);
    if (!read) return error_of(read);
    compiler.settings = *std::move(read);
  }
  if (Status quantising = read_quantising(keys, compiler, path.string()); !quantising) return error_of(quantising);
  if (Status conduct = read_conduct(keys, compiler, path.string()); !conduct) return error_of(conduct);
  if (compiler.distributions.empty()) {
    if (std::string main = versioned_package(compiler.requirements); !main.empty()) {
      compiler.distributions.push_back(std::move(main));
    }
  }
  if (const auto error = check(compiler, keys, folder.filename().string())) return tl::unexpected(*error);
  compiler.folder = folder;
  if (compiler.host == "native") compiler.plugin = folder / (compiler.name + ".so");
  compiler.default_version = default_version(compiler.toolchain);
  return compiler;
}

// Copies, to a compiler that shares a toolchain, its owner's keys about installing.
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

std::string versioned_package(const std::vector<std::string>& requirements) {
  for (const std::string& requirement : requirements) {
    if (requirement.find("{version}") == std::string::npos) continue;
    const Result<std::string> filled = fill_placeholders(requirement, "0");
    if (filled && !required_name(*filled).empty()) return required_name(*filled);
  }
  return {};
}

Result<std::vector<CompilerDescription>> read_catalog(const std::filesystem::path& lib_folder) {
  const std::filesystem::path compilers = lib_folder / "compilers";
  std::vector<CompilerDescription> catalog;
  std::error_code code;
  for (std::filesystem::directory_iterator it(compilers, code), end; !code && it != end; it.increment(code)) {
    std::error_code ignored;
    if (!std::filesystem::exists(it->path() / "compiler.json", ignored)) continue;
    Result<CompilerDescription> compiler = read_description(it->path());
    if (!compiler) return error_of(compiler);
    catalog.push_back(*std::move(compiler));
  }
  if (code) return tl::unexpected(file::from_errno("read", compilers, code.value()));
  if (Status shared = share_toolchains(catalog); !shared) return error_of(shared);
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

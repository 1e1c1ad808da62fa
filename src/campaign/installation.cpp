// SPDX-License-Identifier: Apache-2.0
#include "campaign/installation.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/processors.h"
#include "config/study.h"
#include "probe/probe.h"
#include "toolchain/toolchain.h"
#include "zoo/family.h"

namespace ngb::campaign {
namespace {

// Sets HOME, for this program and for those that it starts, from the system's list of users if the environment has
// none.
void find_home() {
  if (!environment::variable("HOME").empty()) return;
  const passwd* const user = ::getpwuid(::geteuid());
  if (user != nullptr && user->pw_dir != nullptr && *user->pw_dir == '/') environment::set("HOME", user->pw_dir);
}

// Returns the folder of this machine's lock; empty if there is no cache that only this user may write to. Several
// machines may share the cache, so it has the name of this one.
std::filesystem::path machine_folder(const CacheFolder& cache) {
  if (cache.is_none() || !cache.is_only_ours()) return {};
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return {};
  return cache.path() / "machines" / std::filesystem::path(name.data()).filename();
}

std::filesystem::path devices_file() {
  const std::string file = environment::variable("NGB_DEVICES");
  std::error_code code;
  if (!file.empty()) return std::filesystem::absolute(file, code);
  return "/" / file::user_folder("", "XDG_CONFIG_HOME", ".config") / "devices.yaml";
}

// Returns a bound of a parameter as text; "" for a parameter that is not a number.
std::string bound(const zoo::FamilyParameter& parameter, double value) {
  const bool is_number = parameter.type == "int" || parameter.type == "float" || parameter.type == "int_list";
  return is_number ? json_text::dump(nlohmann::json(value)) : std::string();
}

config::FamilyWords words_of(const zoo::Family& family) {
  config::FamilyWords words{.name = family.name, .parameters = {}};
  for (const zoo::FamilyParameter& parameter : family.parameters) {
    words.parameters.push_back({.name = parameter.name,
                                .type = parameter.type,
                                .values = {},
                                .minimum = bound(parameter, parameter.minimum),
                                .maximum = bound(parameter, parameter.maximum),
                                .default_value = json_text::dump(parameter.default_value),
                                .meaning = parameter.meaning});
  }
  return words;
}

}  // namespace

Installation find_installation(Revision revision) {
  find_home();
  const std::filesystem::path bin = process::self().parent_path();
  const CacheFolder cache(file::user_folder("NGB_CACHE", "XDG_CACHE_HOME", ".cache"));
  return {.parts = {.agent = bin / "ngb-agent",
                    .worker = bin / "ngb-worker",
                    .lib = bin.parent_path() / "lib" / "ngraphbench",
                    .machine = machine_folder(cache)},
          .toolchains = toolchain::default_root(),
          .cache = cache,
          .devices = devices_file(),
          .studies = bin.parent_path() / "share" / "ngraphbench" / "studies",
          .revision = std::move(revision)};
}

CacheFolder trusted_cache(const Installation& installation) {
  return installation.cache.is_only_ours() ? installation.cache : CacheFolder();
}

CacheFolder usable_cache(const Installation& installation, const Say& say) {
  static bool has_warned = false;  // a command may ask several times
  const auto warn_once = [&say](const std::string& text) {
    if (!std::exchange(has_warned, true)) say(text);
  };
  const CacheFolder& cache = installation.cache;
  if (cache.is_none()) {
    warn_once(
        "ngb: there is no home folder, so the cache is kept with the results; to share it between studies, name a "
        "folder with NGB_CACHE\n");
    return {};
  }
  if (cache.is_only_ours()) return cache;  // if it is missing, the first write reports the error
  warn_once(fmt::format(
      "ngb: {}: the cache is not used, because other users may write there, or replace it by writing in a folder above "
      "it, and could change which outputs are right; check its content, then run: chmod -R go-w {}, or name another "
      "folder with NGB_CACHE\n",
      cache.path().string(), cache.path().string()));
  return {};
}

Result<std::filesystem::path> connection_logs(const Installation& installation) {
  if (!installation.cache.is_none()) return installation.cache.make("devices");
  return fail("there is no home folder for ssh's messages", "", "name a folder with NGB_CACHE");
}

Result<config::Vocabulary> read_vocabulary(const Installation& installation) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return error_of(catalog);
  config::Vocabulary vocabulary;
  const std::vector<int> cpus = probe::allowed_cpus();
  if (!cpus.empty()) {
    const probe::UsableProcessors usable = probe::usable_processors(cpus);
    vocabulary.processors = {.all = usable.all, .physical = usable.physical, .each = topology_of(cpus)};
  }
  for (const toolchain::CompilerDescription& compiler : *catalog) {
    config::CompilerWords words{.name = compiler.name, .default_version = compiler.default_version};
    words.in_flight = compiler.in_flight;
    words.compiled_files = compiler.compiled_files;
    words.quantiser = compiler.quantiser;
    words.toolchain = compiler.toolchain;
    words.judging_place = compiler.judges.place;
    words.judging_options = compiler.judges.options;
    words.settings.meaning = compiler.settings.meaning;
    for (const toolchain::ReservedSetting& reserved : compiler.settings.reserved) {
      words.settings.reserved.push_back({reserved.name, reserved.owner});
    }
    for (const toolchain::OptionDescription& option : compiler.options) {
      const bool is_word = option.type == "string";
      words.options.push_back(
          {.name = option.name,
           .type = option.type,
           .values = option.values,
           .minimum = option.minimum,
           .maximum = option.maximum,
           .default_value = is_word ? json_text::dump(nlohmann::json(option.default_value)) : option.default_value,
           .meaning = option.meaning});
    }
    vocabulary.compilers.push_back(std::move(words));
  }
  for (const zoo::Family& family : zoo::families()) {
    vocabulary.models.push_back(words_of(family));
    for (const zoo::Variant& variant : family.variants) {
      config::FamilyWords words = words_of(family);
      words.name = variant.name;
      vocabulary.models.push_back(std::move(words));
    }
  }
  if (!std::filesystem::exists(installation.devices)) return vocabulary;
  auto devices = config::load_devices(installation.devices);
  if (devices) {
    vocabulary.devices = *std::move(devices);
    return vocabulary;
  }
  std::vector<std::string> problems;
  for (const config::StudyProblem& problem : devices.error()) problems.push_back(problem.text());
  return fail(fmt::format("{}", fmt::join(problems, "\n")), "the user's devices", "correct these entries");
}

}  // namespace ngb::campaign

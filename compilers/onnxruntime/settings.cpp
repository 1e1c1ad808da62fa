// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <string_view>

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::onnxruntime {

namespace {

constexpr std::string_view kOfProvider = "provider.";

}  // namespace

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.threads = given.threads;
  settings.graph_optimization = options.text("graph_optimization");
  settings.is_spinning = options.flag("spinning");
  settings.provider = options.text("provider");
  settings.includes_transfer = options.flag("include_transfer");
  settings.wait = options.text("wait");
  settings.in_flight = given.in_flight;
  settings.may_fall_back = options.flag("allow_fallback");
  for (auto& [name, value] : plugin::library_settings(given)) {
    const bool is_providers = name.starts_with(kOfProvider);
    auto& list = is_providers ? settings.provider_options : settings.entries;
    list.emplace_back(is_providers ? name.substr(kOfProvider.size()) : name, value);
  }
  return settings;
}

}  // namespace ngb::onnxruntime

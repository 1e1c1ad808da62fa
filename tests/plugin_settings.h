// SPDX-License-Identifier: Apache-2.0
// The settings with which a test opens a session of a plugin.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ngraphbench/compiler.h"

namespace ngb {

// Holds what its ngb_settings points to, so it must outlive their use.
class PluginSettings {
 public:
  using Values = std::map<std::string, std::string>;

  // Every option of the plugin's description has the value in `options` or, without one, its default. `settings` are
  // those of the plugin's library, whose values are JSON text.
  explicit PluginSettings(const ngb_compiler& plugin, const Values& options = {}, Values settings = {})
      : settings_(std::move(settings)) {
    const auto description = nlohmann::json::parse(plugin.describe());
    for (const auto& option : description.at("options"))
      options_[option.at("name").get<std::string>()] = option.at("default").get<std::string>();
    for (const auto& [name, value] : options) options_.at(name) = value;
    for (const auto& [name, value] : options_) option_list_.push_back({name.c_str(), value.c_str()});
    for (const auto& [name, value] : settings_) setting_list_.push_back({name.c_str(), value.c_str()});
    handed.struct_size = sizeof handed;
    handed.toolchain_dir = handed.python = handed.cache_dir = "";
    handed.device = "cpu";
    handed.precision = "f32";
    handed.threads = handed.in_flight = 1;
    handed.options = option_list_.data();
    handed.option_count = static_cast<std::uint32_t>(option_list_.size());
    handed.settings = setting_list_.data();
    handed.setting_count = static_cast<std::uint32_t>(setting_list_.size());
  }
  PluginSettings(const PluginSettings&) = delete;
  PluginSettings& operator=(const PluginSettings&) = delete;

  ngb_settings handed{};  // may be changed before use: no toolchain, the CPU, f32, one thread, no profile

 private:
  Values options_{};
  Values settings_{};
  std::vector<ngb_option> option_list_{};
  std::vector<ngb_option> setting_list_{};
};

}  // namespace ngb

// SPDX-License-Identifier: Apache-2.0
// Gives a plugin the settings that a study hands on to the plugin's library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "ngraphbench/compiler.h"
#include "ngraphbench/plugin_boundary.h"

namespace ngb::plugin {

// Names and values, a text without its quotation marks.
using LibrarySettings = std::vector<std::pair<std::string, std::string>>;

inline LibrarySettings library_settings(const ngb_settings& given) {
  LibrarySettings all;
  for (std::uint32_t i = 0; i < given.setting_count; ++i) {
    const nlohmann::json value = json_text::parse(given.settings[i].value);
    all.emplace_back(given.settings[i].name, value.is_string() ? value.get<std::string>() : given.settings[i].value);
  }
  return all;
}

// Returns the settings as a JSON object, for a process in Python.
inline nlohmann::json settings_json(const ngb_settings& given) {
  nlohmann::json all = nlohmann::json::object();
  for (std::uint32_t i = 0; i < given.setting_count; ++i) {
    all[given.settings[i].name] = json_text::parse(given.settings[i].value);
  }
  return all;
}

// Returns whether a compiler that "keeps_file" is to write what it compiles to the model's artifact_path.
inline bool keeps_file(const ngb_model& model) {
  const std::string_view artifact = model.artifact_path;
  return !artifact.empty() && artifact != model.path;
}

// Returns the failure of a setting that the compiler's library refuses; `why` has the library's own words.
inline Failure refused_setting(const std::string& compiler, const std::string& name, const std::string& value,
                               const std::string& why) {
  return {NGB_INVALID_OPTION, "setting " + name + "=" + value + ": " + why,
          "correct or remove it in the study's settings of " + compiler};
}

}  // namespace ngb::plugin

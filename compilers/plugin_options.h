// SPDX-License-Identifier: Apache-2.0
// Gives a plugin its options. The worker has checked them against compiler.json.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "ngraphbench/compiler.h"

namespace ngb::plugin {

class Options {
 public:
  // Contains every option of the description: the given value or the default.
  Options(const char* description, const ngb_settings& settings) {
    const nlohmann::json described = json_text::parse(description);
    for (const nlohmann::json& option : described.at("options")) {
      const std::string text = option.at("default").get<std::string>();
      const nlohmann::json value = json_text::parse(text);
      values_[option.at("name").get<std::string>()] = value.is_string() ? value.get<std::string>() : text;
    }
    for (std::uint32_t i = 0; i < settings.option_count; ++i)
      values_[settings.options[i].name] = settings.options[i].value;
  }

  [[nodiscard]] const std::string& text(const std::string& name) const { return values_.at(name); }
  [[nodiscard]] bool flag(const std::string& name) const { return values_.at(name) == "true"; }
  [[nodiscard]] std::int64_t integer(const std::string& name) const { return std::stoll(values_.at(name)); }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace ngb::plugin

// SPDX-License-Identifier: Apache-2.0
// A plugin's options, checked against its own compiler.json: unknown names and wrong values are refused there, so that
// what the documentation says and what the plugin takes cannot differ.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugin_boundary.h"

namespace ngb::plugin {

// A value as it is written in a study, in JSON ("all" in quotation marks), or plain: the words alone.
inline std::string plain(const std::string& value) {
  const nlohmann::json json = nlohmann::json::parse(value, nullptr, false);
  return json.is_string() ? json.get<std::string>() : value;
}

// Number of single-character edits (insert, delete, replace) between two words.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

class Options {
 public:
  // Every described option with its given or default value. Throws Failure(NGB_INVALID_OPTION).
  Options(const char* description, const ngb_settings& settings) {
    const nlohmann::json json = nlohmann::json::parse(description);
    compiler_ = json.at("name").get<std::string>();
    for (const nlohmann::json& option : json.at("options")) {
      values_[option.at("name").get<std::string>()] = plain(option.at("default").get<std::string>());
    }
    for (std::uint32_t i = 0; i < settings.option_count; ++i) {
      const std::string name = settings.options[i].name;
      const std::string value = plain(settings.options[i].value);
      if (!values_.contains(name)) refuse_name(name);
      for (const nlohmann::json& option : json.at("options")) {
        if (option.at("name") == name) check_value(option, name, value);
      }
      values_[name] = value;
    }
  }

  [[nodiscard]] const std::string& text(const std::string& name) const { return values_.at(name); }
  [[nodiscard]] bool flag(const std::string& name) const { return values_.at(name) == "true"; }
  [[nodiscard]] std::int64_t integer(const std::string& name) const { return std::stoll(values_.at(name)); }

 private:
  [[noreturn]] void refuse_name(const std::string& name) const {
    std::string nearest;
    std::string all;
    for (const auto& [known, value] : values_) {
      if (nearest.empty() || edit_distance(name, known) < edit_distance(name, nearest)) nearest = known;
      all += (all.empty() ? "" : ", ") + known;
    }
    std::string message = compiler_ + " has no option \"" + name + "\"";
    if (!nearest.empty()) message += ", did you mean \"" + nearest + "\"?";
    throw Failure(NGB_INVALID_OPTION, message, all.empty() ? "it has no options" : "its options are " + all);
  }

  static bool is_integer(std::string_view value) {
    std::int64_t parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    return error == std::errc() && end == value.data() + value.size();
  }

  void check_value(const nlohmann::json& option, const std::string& name, const std::string& value) const {
    const auto type = option.at("type").get<std::string>();
    const auto values = option.at("values").get<std::vector<std::string>>();
    std::string expected;
    if (type == "bool" && value != "true" && value != "false") expected = "true or false";
    if (type == "int" && !is_integer(value)) expected = "a whole number";
    bool is_listed = values.empty();
    std::string list;
    for (const std::string& allowed : values) {
      is_listed = is_listed || plain(allowed) == value;
      list += (list.empty() ? "" : ", ") + plain(allowed);
    }
    if (!is_listed) expected = "one of " + list;
    if (expected.empty()) return;
    throw Failure(NGB_INVALID_OPTION,
                  compiler_ + ": option \"" + name + "\" is \"" + value + "\", expected " + expected);
  }

  std::string compiler_;
  std::map<std::string, std::string> values_;
};

// `word` must be one of `offered`; what: "precision". Throws Failure(NGB_INVALID_OPTION).
inline void check_offered(const std::string& compiler, const char* what, const std::string& word,
                          std::initializer_list<std::string_view> offered) {
  std::string list;
  for (const std::string_view each : offered) {
    if (each == word) return;
    list += (list.empty() ? "" : ", ") + std::string(each);
  }
  throw Failure(NGB_INVALID_OPTION, compiler + " does not offer " + what + " \"" + word + "\"", "it offers " + list);
}

// What every compiler here has in common: device, precision and thread count that it takes.
inline void check_common(const std::string& compiler, const ngb_settings& settings,
                         std::initializer_list<std::string_view> precisions = {"f32"},
                         std::initializer_list<std::string_view> devices = {"cpu"}) {
  check_offered(compiler, "device", settings.device, devices);
  check_offered(compiler, "precision", settings.precision, precisions);
  if (settings.threads < 1) {
    throw Failure(NGB_INVALID_OPTION,
                  compiler + ": threads is " + std::to_string(settings.threads) + ", expected 1 or more");
  }
}

}  // namespace ngb::plugin

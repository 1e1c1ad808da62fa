// SPDX-License-Identifier: Apache-2.0
#include "work/compiler.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace ngb::work {

std::string word_of_in_flight(const Compiler& compiler) {
  return compiler.in_flight ? std::to_string(*compiler.in_flight) : "auto";
}

std::string asked_threads(const Compiler& compiler) {
  return compiler.threads_asked.empty() ? std::to_string(compiler.threads) : compiler.threads_asked;
}

bool converts_modules(const Place& place) { return place.host == "native" && place.runs_modules == "always"; }

namespace {

nlohmann::json value_of(const std::string& text) {
  if (text.empty()) return {};
  nlohmann::json value = json_text::parse(text);
  return value.is_discarded() ? nlohmann::json(text) : value;
}

}  // namespace

nlohmann::json object_of(const Options& options) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : options) object[name] = value_of(value);
  return object;
}

std::string text_of(const Options& options) {
  std::string object = "{";
  for (const auto& [name, value] : options) {
    if (object.size() > 1) object += ',';
    object += json_text::dump(nlohmann::json(name)) + ':' + value;
  }
  return object + '}';
}

std::optional<Options> parse_options(std::string_view text) {
  const nlohmann::json object = json_text::parse(text);
  if (!object.is_object()) return std::nullopt;
  Options options;
  for (const auto& [name, value] : object.items()) options.emplace_back(name, json_text::dump(value));
  return options;
}

std::vector<std::string> words_of(const Options& options) {
  std::vector<std::string> words;
  for (const auto& [name, text] : options) {
    const nlohmann::json value = value_of(text);
    words.push_back(name + '=' + (value.is_string() ? value.get<std::string>() : text));
  }
  return words;
}

}  // namespace ngb::work

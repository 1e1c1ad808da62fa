// SPDX-License-Identifier: Apache-2.0
#include "worker/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/json_text.h"
#include "base/text.h"

namespace ngb::worker {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Returns an option of a study, which is JSON text, as compiler.json writes it: a word has no quotation marks.
std::string plain(const std::string& value) {
  const json text = json_text::parse(value);
  return text.is_string() ? text.get<std::string>() : value;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns for example "a whole number of 0 or more".
std::string number_words(const json& option) {
  const std::string least = option.value("minimum", "");
  const std::string largest = option.value("maximum", "");
  std::string words = option.at("type") == "int" ? "a whole number" : "a number";
  if (!least.empty() && largest.empty()) words += fmt::format(" of {} or more", least);
  if (!largest.empty()) words += fmt::format(" from {} to {}", least, largest);
  return words;
}

bool is_number(const json& option, std::string_view value) {
  if (option.at("type") == "int" && !number_in<std::int64_t>(value)) return false;
  const std::optional<double> number = number_in<double>(value);
  if (!number || !std::isfinite(*number)) return false;
  const std::optional<double> least = number_in<double>(option.value("minimum", ""));
  const std::optional<double> largest = number_in<double>(option.value("maximum", ""));
  return (!least || *number >= *least) && (!largest || *number <= *largest);
}

// Returns what is expected instead of the value; empty if the value is allowed.
std::string expected_instead_of(const json& option, const std::string& value) {
  const std::string type = option.value("type", "string");
  if (type == "bool") return value == "true" || value == "false" ? "" : "true or false";
  if (type == "int" || type == "float") return is_number(option, value) ? "" : number_words(option);
  const Words allowed = option.value("values", Words());
  const bool is_allowed = allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
  return is_allowed ? "" : "one of " + text::join(allowed, ", ");
}

tl::unexpected<Error> unknown_option(const std::string& compiler, const std::string& name, const Words& known) {
  const std::optional<std::string> near = text::nearest(name, known);
  return fail(fmt::format("{} has no option \"{}\"{}", compiler, name, near ? ", did you mean \"" + *near + "\"?" : ""),
              {}, known.empty() ? "it has no options" : "its options are " + text::join(known, ", "));
}

}  // namespace

Result<CheckedSettings> check_settings(const json& description, const work::Compiler& asked) {
  const std::string compiler = description.value("name", "this compiler");
  const Words devices = description.value("devices", Words{});
  CheckedSettings checked{.device = devices.empty() ? "cpu" : devices.front()};
  Words names;
  for (const json& option : description.value("options", json::array())) {
    const std::string name = option.at("name").get<std::string>();
    const auto given = std::find_if(asked.options.rbegin(), asked.options.rend(),
                                    [&](const auto& candidate) { return candidate.first == name; });
    const std::string value =
        given == asked.options.rend() ? option.at("default").get<std::string>() : plain(given->second);
    if (const std::string expected = expected_instead_of(option, value); !expected.empty()) {
      return fail(fmt::format("{}: option \"{}\" is \"{}\"", compiler, name, value), {}, "give " + expected);
    }
    if (name == "device") checked.device = value;
    names.push_back(name);
    checked.options.emplace_back(name, value);
  }
  for (const auto& [name, value] : asked.options) {
    if (std::find(names.begin(), names.end(), name) == names.end()) return unknown_option(compiler, name, names);
  }
  if (!asked.settings.empty() && !description.contains("settings")) {
    return fail(fmt::format("{} hands no settings on to a library", compiler), {}, "remove them");
  }
  if (asked.in_flight != 1 && !description.value("in_flight", false)) {
    return fail(fmt::format("{} runs one inference at a time", compiler), {}, "remove in_flight");
  }
  const Words precisions = description.value("precisions", Words{"f32"});
  if (std::find(precisions.begin(), precisions.end(), asked.precision) == precisions.end()) {
    return fail(fmt::format("{} does not run in precision \"{}\"", compiler, asked.precision), {},
                "give one of " + text::join(precisions, ", "));
  }
  if (asked.threads < 1) return fail(fmt::format("{}: threads is {}", compiler, asked.threads), {}, "give 1 or more");
  return checked;
}

}  // namespace ngb::worker

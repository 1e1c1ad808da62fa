// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_text.h"
#include "base/text.h"
#include "zoo/families/table.h"

namespace ngb::zoo {

std::span<const Family> families() {
  static const std::vector<Family> table{
      resnet::family(),        efficientnet::family(), vit::family(),        swin::family(),
      convnext::family(),      mobilenet_v3::family(), conv_block::family(), mha_block::family(),
      decoder_block::family(), decoder::family(),      mlp::family(),
  };
  return table;
}

ModelGroup model_group_of(const std::string& name) {
  for (const Family& family : families()) {
    if (family.name == name) return {family.group, family.style, {}};
    for (const Variant& variant : family.variants) {
      if (variant.name != name) continue;
      return {variant.group.empty() ? family.group : variant.group, family.style, variant.size};
    }
  }
  return {};
}

namespace {

// Returns ", did you mean resnet18?" or ", expected one of …".
std::string suggestion(std::string_view word, const std::vector<std::string>& words) {
  const std::optional<std::string> near = text::nearest(word, words);
  return near ? fmt::format(", did you mean {}?", *near) : fmt::format(", expected one of {}", text::join(words, ", "));
}

bool is_integer(const nlohmann::json& value) { return value.is_number_integer(); }

bool has_type(const std::string& type, const nlohmann::json& value) {
  if (type == "int") return is_integer(value);
  if (type == "float") return value.is_number();
  if (type == "bool") return value.is_boolean();
  if (type == "string") return value.is_string();
  return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_integer);
}

std::string_view described(const std::string& type) {
  if (type == "int") return "a whole number";
  if (type == "float") return "a number";
  if (type == "bool") return "true or false";
  if (type == "string") return "a word";
  return "a list of whole numbers";
}

Status check_number(const FamilyParameter& parameter, const nlohmann::json& value) {
  const auto number = value.get<double>();
  if (number >= parameter.minimum && number <= parameter.maximum) return Done{};
  return fail(fmt::format("{} is out of range, expected {} to {}", json_text::dump(value), parameter.minimum,
                          parameter.maximum),
              parameter.name);
}

Status check_value(const FamilyParameter& parameter, const nlohmann::json& value) {
  if (!has_type(parameter.type, value)) {
    return fail(fmt::format("{} is of the wrong type, expected {}", json_text::dump(value), described(parameter.type)),
                parameter.name);
  }
  if (value.is_number()) return check_number(parameter, value);
  if (value.is_array()) {
    if (parameter.length != 0 && value.size() != parameter.length) {
      return fail(fmt::format("needs {} numbers, not {}", parameter.length, value.size()), parameter.name);
    }
    for (const nlohmann::json& element : value) {
      if (Status status = check_number(parameter, element); !status) return status;
    }
  }
  if (value.is_string() && !parameter.values.empty()) {
    const auto word = value.get<std::string>();
    if (std::find(parameter.values.begin(), parameter.values.end(), word) == parameter.values.end()) {
      return fail(fmt::format("unknown word {}{}", text::to_utf8(word), suggestion(word, parameter.values)),
                  parameter.name);
    }
  }
  return Done{};
}

}  // namespace

Result<NamedFamily> find_family(const std::string& name) {
  std::vector<std::string> words;
  for (const Family& family : families()) {
    if (family.name == name) return NamedFamily{&family, nullptr};
    words.push_back(family.name);
    for (const Variant& variant : family.variants) {
      if (variant.name == name) return NamedFamily{&family, &variant};
      words.push_back(variant.name);
    }
  }
  return fail(fmt::format("unknown model{}", suggestion(name, words)), text::to_utf8(name));
}

Result<nlohmann::json> complete(const NamedFamily& named, const nlohmann::json& given) {
  nlohmann::json all = nlohmann::json::object();
  std::vector<std::string> words;
  for (const FamilyParameter& parameter : named.family->parameters) {
    all[parameter.name] = parameter.default_value;
    words.push_back(parameter.name);
  }
  if (named.variant != nullptr) all.update(named.variant->parameters);
  if (given.is_null()) return all;
  if (!given.is_object()) return fail("expected an object of parameters");
  for (const auto& item : given.items()) {
    const std::string& key = item.key();
    const nlohmann::json& value = item.value();
    const auto parameter = std::find_if(named.family->parameters.begin(), named.family->parameters.end(),
                                        [&](const FamilyParameter& candidate) { return candidate.name == key; });
    if (parameter == named.family->parameters.end()) {
      return fail(fmt::format("unknown parameter of {}{}", named.family->name, suggestion(key, words)),
                  text::to_utf8(key));
    }
    if (const Status status = check_value(*parameter, value); !status) return error_of(status);
    // Each value has one spelling, because the recipe's hash covers its text.
    all[key] = parameter->type == "float" ? nlohmann::json(value.get<double>()) : value;
  }
  return all;
}

}  // namespace ngb::zoo

// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/study.h"

namespace ngb::config {
namespace {

using nlohmann::json;

json any_of(json first, json second) { return {{"anyOf", json::array({std::move(first), std::move(second)})}}; }
json null_schema() { return {{"type", "null"}}; }
json list_of(json items) { return {{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}}; }

json closed_object(json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

// Returns the schema of an object with exactly one of these properties: {"name": body}.
json one_of_names(json properties) {
  json schema = closed_object(std::move(properties));
  schema["minProperties"] = 1;
  schema["maxProperties"] = 1;
  return schema;
}

// Returns the schema of an object with exactly one property, of any name.
json one_of_names_of(json value) {
  return {{"type", "object"}, {"additionalProperties", std::move(value)}, {"minProperties", 1}, {"maxProperties", 1}};
}

json parameter_schema(const Parameter& parameter) {
  json schema = value_schema(key_of(parameter));
  if (!parameter.default_value.empty()) schema["default"] = json_of(parameter.default_value);
  return schema;
}

// Returns the schema of a list of values that spans an axis.
json axis_of(const Key& key) {
  json axis = list_of(value_schema(key));
  axis["uniqueItems"] = true;
  return axis;
}

// Returns the schema of a value, or of a list of values that spans an axis.
json axis_schema(const Parameter& parameter) {
  json schema = any_of(parameter_schema(parameter), axis_of(key_of(parameter)));
  schema["description"] = parameter.meaning;
  return schema;
}

// Returns the schema of an integer or the word batch.
json extent_schema() {
  return any_of({{"type", "integer"}, {"minimum", 1}, {"maximum", 2147483647}}, {{"const", "batch"}});
}

json shapes_schema(const json& extent) {
  return {{"type", "object"}, {"additionalProperties", {{"type", "array"}, {"items", extent}}}};
}

json inputs_schema() {
  json body = json::object();
  for (const Key& key : input_keys()) body[key.name] = value_schema(key);
  body["range"] = {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
  const json file = value_schema({.name = "file", .type = ValueType::path});
  const json archive{{"type", "string"}, {"pattern", "\\.npz$"}};
  return any_of(archive, {{"type", "object"}, {"additionalProperties", any_of(file, closed_object(std::move(body)))}});
}

json keys_schema(const std::vector<Key>& keys) {
  json properties = json::object();
  for (const Key& key : keys) {
    properties[key.name] = value_schema(key);
    properties[key.name]["description"] = key.meaning;
  }
  return closed_object(std::move(properties));
}

// "static", {"static": {its keys}}, or the keys of a compiler's own tool.
json quantise_schema(const Vocabulary& vocabulary) {
  const json body = any_of(null_schema(), keys_schema(quantise_keys()));
  json by_tool = keys_schema(tool_keys());
  by_tool["required"] = {"tool"};
  json tools = json::array();
  for (const CompilerWords& each : vocabulary.compilers) {
    if (!each.quantiser.tool.empty() && each.quantiser.refused.empty()) tools.push_back(each.quantiser.tool);
  }
  by_tool["properties"]["tool"] = {{"enum", std::move(tools)}, {"description", tool_keys().front().meaning}};
  return {{"anyOf", json::array({json{{"enum", {"static", "dynamic"}}},
                                 one_of_names({{"static", body}, {"dynamic", body}}), std::move(by_tool)})}};
}

// Returns the schema of a list of labels or names; the compiler called null may be written without quotes.
json compiler_words_schema() { return list_of({{"type", {"string", "null"}}}); }

json model_key_schema(const Key& key) {
  if (key.name == "inputs") return inputs_schema();
  if (key.name == "shapes") return shapes_schema(any_of(extent_schema(), {{"type", "string"}}));
  if (key.name == "shapes_in_one_session") {
    return list_of({{"type", "object"}, {"additionalProperties", {{"type", "integer"}, {"minimum", 1}}}});
  }
  if (key.name == "mix") {
    const json share{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}};
    return any_of({{"type", "string"}}, list_of(share));
  }
  if (key.name == "dimensions") {
    return {{"type", "object"}, {"additionalProperties", any_of(extent_schema(), list_of(extent_schema()))}};
  }
  if (key.name == "raw_bytes" || key.name == "encoded_bytes") {
    return any_of(value_schema(key),
                  one_of_names_of({{"type", "object"}, {"additionalProperties", value_schema(key)}}));
  }
  if (key.name == "parameters") return {{"type", "object"}};
  if (key.name == "data") return keys_schema(data_keys());
  if (key.name == "compilers") return compiler_words_schema();
  if (key.name == "cache") return any_of(any_of(value_schema(key), axis_of(key)), keys_schema(cache_keys()));
  return key.is_axis ? any_of(value_schema(key), axis_of(key)) : value_schema(key);
}

json model_schema(const std::string& kind, const json& value) {
  json properties{{kind, value}};
  for (const Key& key : model_keys()) {
    if (!may_have(kind, key)) continue;
    properties[key.name] = model_key_schema(key);
    properties[key.name]["description"] = key.meaning;
  }
  json schema = closed_object(std::move(properties));
  schema["required"] = {kind};
  // Names of dimensions stand in shapes only where there are dimensions.
  if (schema["properties"].contains("shapes")) {
    schema["if"] = any_of({{"required", {"dimensions"}}}, {{"required", {"shapes_in_one_session"}}});
    schema["else"] = {{"properties", {{"shapes", shapes_schema(extent_schema())}}}};
  }
  return schema;
}

json models_schema(const Vocabulary& vocabulary) {
  json families = json::object();
  json names = json::array();
  for (const FamilyWords& family : vocabulary.models) {
    json parameters = json::object();
    for (const Parameter& parameter : family.parameters) parameters[parameter.name] = axis_schema(parameter);
    families[family.name] = any_of(null_schema(), closed_object(std::move(parameters)));
    names.push_back(family.name);
  }
  const json named = any_of({{"enum", names}}, one_of_names(std::move(families)));
  const json file = value_schema({.name = "file", .type = ValueType::path});
  const json function{{"type", "string"}, {"pattern", "^.+:[^:]+$"}};
  const json name{{"type", "string"}, {"pattern", "^[A-Za-z0-9_.]{1,100}$"}};
  return list_of(
      {{"anyOf", json::array({model_schema("zoo", named), model_schema("onnx", file), model_schema("file", file),
                              model_schema("pytorch", function), model_schema("timm", name),
                              model_schema("quantise", quantise_schema(vocabulary))})}});
}

// Returns the schema of a value, or of a list of such values to compare.
json or_list(const json& value) { return any_of(value, list_of(value)); }

// Every name is allowed, because the library knows its own. A compiler without settings accepts an empty mapping.
json settings_schema(const CompilerWords& words) {
  if (words.settings.meaning.empty()) return any_of(null_schema(), closed_object(json::object()));
  const json values = or_list(value_schema({.name = "setting", .type = ValueType::scalar}));
  return any_of(null_schema(), {{"type", "object"}, {"additionalProperties", values}});
}

json compiler_body_schema(const CompilerWords& words) {
  json properties = json::object();
  for (const Key& key : compiler_keys()) {
    if (key.name == "version" && words.default_version.empty()) continue;
    properties[key.name] = key.name == "label" ? value_schema(key) : or_list(value_schema(key));
    if (key.type != ValueType::structured) continue;
    if (key.name == "settings") {
      properties[key.name] = settings_schema(words);
    } else {
      json options = json::object();
      for (const Parameter& option : words.options) options[option.name] = or_list(parameter_schema(option));
      properties[key.name] = any_of(null_schema(), closed_object(std::move(options)));
    }
    properties[key.name]["description"] = key.meaning;
  }
  return any_of(null_schema(), closed_object(std::move(properties)));
}

// Returns the schema of one of the names. The compiler called null may also be written without quotes.
json name_schema(json names) {
  bool has_null = false;
  for (const json& name : names) has_null = has_null || name == "null";
  if (has_null) names.push_back(nullptr);
  return {{"enum", std::move(names)}};
}

json compilers_schema(const Vocabulary& vocabulary) {
  json bodies = json::object();
  json names = json::array();
  for (const CompilerWords& words : vocabulary.compilers) {
    bodies[words.name] = compiler_body_schema(words);
    names.push_back(words.name);
  }
  return list_of(any_of(name_schema(std::move(names)), one_of_names(std::move(bodies))));
}

json reference_schema(const Vocabulary& vocabulary) {
  json names = json::array({"none"});
  for (const CompilerWords& words : vocabulary.compilers) names.push_back(words.name);
  return {{"enum", std::move(names)}};
}

json device_key_schema(const Key& key) {
  if (key.type != ValueType::structured) return value_schema(key);
  if (key.set_of != nullptr) return {{"type", "object"}, {"additionalProperties", value_schema(key.keys.front())}};
  json inner = json::object();
  for (const Key& each : key.keys) inner[each.name] = device_key_schema(each);
  json mapping = closed_object(std::move(inner));
  return key.first_may_stand_alone ? any_of(value_schema(key.keys.front()), std::move(mapping)) : mapping;
}

// Returns the schema of {"name": value} without other properties.
json only(const std::string& name, json value) {
  json schema = closed_object({{name, std::move(value)}});
  schema["required"] = {name};
  return schema;
}

json devices_schema() {
  json body = json::object();
  for (const Key& key : device_keys()) body[key.name] = device_key_schema(key);
  const json described{
      {"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", closed_object(body)}};
  const json here{
      {"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", {{"const", kLocal}}}};
  json entries = json::array({{{"type", "string"}}, described, here});
  for (const Key& key : device_keys()) {
    if (key.way && key.way->may_name_devices) entries.push_back(only(key.name, body[key.name]));
  }
  entries.push_back(only("tag", {{"type", "string"}}));
  json devices = list_of({{"anyOf", std::move(entries)}});
  devices["uniqueItems"] = true;
  return devices;
}

json loads_schema() {
  json properties = json::object();
  for (const Key& key : load_keys()) {
    properties[key.name] = key.name != kProcessorsKey
                               ? value_schema(key)
                               : any_of(value_schema(key), value_schema(listed_processors_key()));
  }
  json loads = list_of(any_of({{"const", work::kNoLoad}}, closed_object(std::move(properties))));
  loads["uniqueItems"] = true;
  return loads;
}

json structured_schema(const std::string& name, const Vocabulary& vocabulary) {
  if (name == "models") return models_schema(vocabulary);
  if (name == "compilers") return compilers_schema(vocabulary);
  if (name == "devices") return devices_schema();
  if (name == "loads") return loads_schema();
  if (name == "at_least" || name == "at_most") {
    return {{"type", "object"}, {"additionalProperties", {{"type", json::array({"number", "string"})}}}};
  }
  return {{"type", "object"}, {"additionalProperties", compiler_words_schema()}};
}

json key_schema(const Key& key, const Vocabulary& vocabulary);

json section_schema(const Key& key, const Vocabulary& vocabulary) {
  json properties = json::object();
  for (const Key& inner : key.keys) properties[inner.name] = key_schema(inner, vocabulary);
  json schema = closed_object(std::move(properties));
  return key.accepts_null ? any_of(null_schema(), std::move(schema)) : schema;
}

json key_schema(const Key& key, const Vocabulary& vocabulary) {
  json schema;
  if (key.name == "reference") {
    schema = reference_schema(vocabulary);
  } else if (key.type == ValueType::structured) {
    schema = structured_schema(key.name, vocabulary);
  } else if (key.type == ValueType::section) {
    schema = section_schema(key, vocabulary);
  } else {
    schema = value_schema(key);
  }
  schema["description"] = key.meaning;
  if (key.get && key.default_text.empty()) schema["default"] = key.get(Study{});
  return schema;
}

}  // namespace

json study_schema(const Vocabulary& vocabulary) {
  json properties = json::object();
  for (const Key& key : study_keys()) properties[key.name] = key_schema(key, vocabulary);
  json schema = closed_object(std::move(properties));
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "NGraphBench study";
  schema["required"] = {"models", "compilers"};
  return schema;
}

}  // namespace ngb::config

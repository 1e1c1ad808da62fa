// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/load_json.h"
#include "config/model_json.h"
#include "config/study.h"

namespace ngb::config {
namespace {

using nlohmann::json;

// A compiler without threads of its own has none here if a device has, so that the device's are read again.
json compiler_json(const Study& study, const work::Compiler& compiler) {
  json body{{"options", work::object_of(compiler.options)}, {"label", compiler.label}};
  const bool yields = std::any_of(study.devices.begin(), study.devices.end(),
                                  [](const DeviceEntry& device) { return !device.threads.empty(); }) &&
                      !study.own_threads.contains(compiler.label);
  if (!yields) body["threads"] = json_of(asked_threads(compiler));
  if (study.own_precision.contains(compiler.label)) body["precision"] = compiler.precision;
  if (!compiler.version.empty()) body["version"] = compiler.version;
  if (compiler.in_flight != 1) body["in_flight"] = compiler.in_flight ? json(*compiler.in_flight) : json("auto");
  if (compiler.instances != 1 || study.instances != std::vector{1}) body["instances"] = compiler.instances;
  if (!compiler.settings.empty()) body["settings"] = work::object_of(compiler.settings);
  return {{compiler.name, std::move(body)}};
}

json device_json(const DeviceEntry& device) {
  if (is_here(device)) return device.name == kLocal ? json(kLocal) : json{{device.name, kLocal}};
  json body = json::object();
  for (const Key& key : device_keys()) {
    json value = key.get_of != nullptr ? key.get_of(device) : json::object();
    for (const Key& inner : key.keys) {
      if (key.get_of == nullptr && !inner.get_of(device).is_null()) value[inner.name] = inner.get_of(device);
    }
    if (!value.empty() || key.name == device.kind) body[key.name] = std::move(value);
  }
  return {{device.name, std::move(body)}};
}

json structured_json(const Study& study, const std::string& key) {
  json out = json::array();
  if (key == "models") {
    for (const ModelEntry& model : study.models) out.push_back(model_json(model));
  } else if (key == "compilers") {
    for (const work::Compiler& compiler : study.compilers) out.push_back(compiler_json(study, compiler));
  } else if (key == "loads") {
    for (const work::Load& load : study.loads) out.push_back(load_json(load));
  } else if (key == "devices") {
    for (const DeviceEntry& device : study.devices) out.push_back(device_json(device));
  } else {
    out = json::object();
    for (const DeviceEntry& device : study.devices) out[device.name] = device.compilers;
  }
  return out;
}

std::string for_people(const Key& key, const json& value) {
  if (value.is_null()) return key.default_text.empty() ? "none" : key.default_text;
  if (key.type == ValueType::bytes) return text::human_bytes(value.get<std::uint64_t>());
  if (!value.is_array()) return plain_text(value);
  std::vector<std::string> words;
  for (const json& item : value) words.push_back(plain_text(item));
  return text::join(words, ", ");
}

void add_key_values(const Study& study, std::span<const Key> keys, const std::string& prefix,
                    std::vector<KeyValue>& out) {
  for (const Key& key : keys) {
    const std::string name = prefix + key.name;
    const json value = key.get ? key.get(study) : json();
    const bool is_off = key.get && value.is_null();
    if (key.type == ValueType::section && !is_off) {
      add_key_values(study, key.keys, name + ".", out);
      continue;
    }
    if (key.type == ValueType::structured) continue;
    const bool is_given = std::find(study.given.begin(), study.given.end(), name) != study.given.end();
    // The default text describes how a missing version is chosen; a reference without versions has none.
    const bool is_absent = key.name == "reference_version" && is_off;
    out.push_back({name, is_absent ? "none" : for_people(key, value), !is_given});
  }
}

}  // namespace

json value_of(const Study& study, const Key& key) {
  if (key.type == ValueType::structured) return structured_json(study, key.name);
  if (key.type != ValueType::section) return key.get(study);
  json section = key.get ? key.get(study) : json::object();
  if (section.is_null()) return section;
  for (const Key& inner : key.keys) section[inner.name] = value_of(study, inner);
  return section;
}

json to_json(const Study& study) {
  json out = json::object();
  for (const Key& key : study_keys()) out[key.name] = value_of(study, key);
  return out;
}

std::vector<KeyValue> key_values(const Study& study) {
  std::vector<KeyValue> out;
  add_key_values(study, study_keys(), "", out);
  return out;
}

}  // namespace ngb::config

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/study.h"

namespace ngb::config {

namespace {

using nlohmann::json;

json extent_json(std::int64_t extent) { return extent == kBatchExtent ? json("batch") : json(extent); }

json shapes_json(const ModelEntry& model) {
  json object = json::object();
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    const auto& [input, shape] = model.shapes[i];
    object[input] = json::array();
    for (const std::int64_t extent : shape) object[input].push_back(extent_json(extent));
    if (!model.named) continue;
    const std::vector<std::string>& names = model.named->extents[i].second;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      if (!names[axis].empty()) object[input][axis] = names[axis];
    }
  }
  return object;
}

json inputs_json(const std::vector<std::pair<std::string, InputEntry>>& inputs) {
  json object = json::object();
  for (const auto& [name, input] : inputs) {
    if (name.empty()) return input.file.string();
    json& body = object[name] = json::object();
    if (input.range) body["range"] = {input.range->first, input.range->second};
    if (!input.file.empty()) body["file"] = input.file.string();
    if (!input.array.empty()) body["array"] = input.array;
    if (!input.type.empty()) body["type"] = input.type;
  }
  return object;
}

json quantise_json(const Quantisation& how) {
  json keys = how.is_static() ? json{{"inputs", how.inputs}} : json::object();
  if (!how.tool.empty()) {
    keys.update({{"tool", how.tool}, {"how", how.how}, {"bits", how.bits}});
    return keys;
  }
  keys["per_channel"] = how.per_channel;
  if (how.method != Quantisation{}.method) keys["method"] = how.method;
  if (!how.exclude.empty()) keys["exclude"] = how.exclude;
  return {{how.how, std::move(keys)}};
}

}  // namespace

json model_json(const ModelEntry& model) {
  json entry{{"label", model.label}};
  if (model.kind() == ModelKind::zoo) entry["zoo"] = {{model.family, work::object_of(model.parameters)}};
  if (model.quantise) {
    entry["quantise"] = quantise_json(*model.quantise);
  } else if (model.kind() == ModelKind::onnx) {
    entry["onnx"] = model.file.string();
  } else if (model.kind() == ModelKind::compiled) {
    entry["file"] = model.file.string();
  }
  if (model.kind() == ModelKind::pytorch) entry["pytorch"] = model.file.string() + ":" + model.factory;
  if (model.kind() == ModelKind::timm) entry["timm"] = model.factory;
  if (model.kind() != ModelKind::zoo && !model.parameters.empty())
    entry["parameters"] = work::object_of(model.parameters);
  if (!model.state_dict.empty()) entry["state_dict"] = model.state_dict.string();
  if (!model.shapes.empty() && !model.quantise) entry["shapes"] = shapes_json(model);
  for (const auto& [name, extent] : model.dimensions) {
    if (!model.quantise) entry["dimensions"][name] = extent_json(extent);
  }
  if (!model.inputs.empty() && !model.data && !model.quantise) entry["inputs"] = inputs_json(model.inputs);
  if (model.data) {
    if (!model.data->arrays.empty()) entry["data"]["arrays"] = model.data->arrays.string();
    if (!model.data->images.empty()) entry["data"]["images"] = model.data->images.string();
    entry["data"]["labels"] = model.data->labels.string();
  }
  for (const Key& key : model_keys()) {
    const json value = key.get_in_model ? key.get_in_model(model) : json();
    if (!value.is_null()) entry[key.name] = value;
  }
  return entry;
}

namespace {

json cpu_json(double processors) {
  if (processors == std::trunc(processors)) return static_cast<int>(processors);
  constexpr double kPercent = 100;
  return fmt::format("{:g}%", kPercent * processors);
}

// Returns "4 GB/s": the largest unit of which there is at least one.
std::string rate_text(double bytes_per_s) {
  constexpr std::array<std::pair<const char*, double>, 3> kUnits{{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}};
  for (const auto& [unit, bytes] : kUnits) {
    if (bytes_per_s >= bytes) return fmt::format("{:.12g} {}/s", bytes_per_s / bytes, unit);
  }
  return fmt::format("{:.12g} B/s", bytes_per_s);
}

// Returns the pairs of a load's keys and values that do not have their defaults, the load's kind first.
std::vector<std::pair<std::string, json>> values_of(const work::Load& load) {
  std::vector<std::pair<std::string, json>> values;
  const std::string kind(name(load.kind));
  if (load.kind == work::LoadKind::cpu) values.emplace_back(kind, cpu_json(load.processors));
  if (load.kind == work::LoadKind::memory) values.emplace_back(kind, rate_text(load.bytes_per_s));
  if (load.kind == work::LoadKind::command) values.emplace_back(kind, load.command);
  if (load.place == work::LoadPlace::listed) {
    values.emplace_back(kProcessorsKey, load.listed);
  } else if (load.place != work::usual_place(load.kind)) {
    values.emplace_back(kProcessorsKey, name(load.place));
  }
  if (load.wait_s != work::Load{}.wait_s) values.emplace_back("wait_s", load.wait_s);
  return values;
}

}  // namespace

json load_json(const work::Load& load) {
  if (load.is_none()) return work::kNoLoad;
  json entry = json::object();
  for (auto& [key, value] : values_of(load)) entry[key] = std::move(value);
  return entry;
}

std::string name_of_load(const work::Load& load) {
  if (load.is_none()) return work::kNoLoad;
  std::string words;
  for (const auto& [key, value] : values_of(load)) {
    words += fmt::format("{}{}: {}", words.empty() ? "" : ", ", key, plain_text(value));
  }
  return words;
}

namespace {

// Returns whether the compiler's entry has the key. A compiler without threads of its own has none here if a device
// has, so that the device's are read again.
bool has_key(const Study& study, const work::Compiler& compiler, const Key& key) {
  if (key.name == "threads") {
    return study.own_threads.contains(compiler.label) ||
           std::all_of(study.devices.begin(), study.devices.end(),
                       [](const DeviceEntry& device) { return device.threads.empty(); });
  }
  if (key.name == "precision") return study.own_precision.contains(compiler.label);
  if (key.name == "instances" && study.instances != std::vector{1}) return true;
  if (key.name == "processors" && study.processors_asked != Study{}.processors_asked) return true;
  const work::Property& property = property_of(key);
  const work::Configuration of{.compiler = compiler};
  return !property.text(of).empty() && !(property.is_left_out_at_default && is_at_default(property, of));
}

json compiler_json(const Study& study, const work::Compiler& compiler) {
  json body = json::object();
  for (const Key& key : compiler_keys()) {
    if (has_key(study, compiler, key)) body[key.name] = value_of(compiler, key);
  }
  return {{compiler.name, std::move(body)}};
}

json device_json(const DeviceEntry& device) {
  if (is_here(device) && device.name != kLocal) return {{device.name, kLocal}};
  json body = json::object();
  for (const Key& key : device_keys()) {
    json value = key.get_of != nullptr ? key.get_of(device) : json::object();
    for (const Key& inner : key.keys) {
      if (key.get_of == nullptr && !inner.get_of(device).is_null()) value[inner.name] = inner.get_of(device);
    }
    if (!value.empty() || key.name == device.kind) body[key.name] = std::move(value);
  }
  if (is_here(device) && body.empty()) return kLocal;
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
  } else if (key == "at_least" || key == "at_most") {
    out = json::object();
    const Goal goal = study.goal.value_or(Goal{});
    for (const auto& [metric, amount] : key == "at_least" ? goal.at_least : goal.at_most) out[metric] = json_of(amount);
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

// Returns "throughput_per_s: 200, timed_peak_bytes: 500 MB".
std::string amounts_text(const Goal::Amounts& amounts) {
  std::vector<std::string> all;
  for (const auto& [metric, amount] : amounts) all.push_back(fmt::format("{}: {}", metric, amount));
  return text::join(all, ", ");
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
    if (prefix == "goal." && key.type == ValueType::structured) {
      const std::string amounts = amounts_text(key.name == "at_least" ? study.goal->at_least : study.goal->at_most);
      if (!amounts.empty()) out.push_back({name, amounts, false});
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
  for (const Key& inner : key.keys) {
    json value = value_of(study, inner);
    const bool is_left_out = inner.is_left_out_at_default && value == value_of(Study{}, inner);
    if (!is_left_out) section[inner.name] = std::move(value);
  }
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

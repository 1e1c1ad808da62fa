// SPDX-License-Identifier: Apache-2.0
#include "config/model_json.h"

#include <nlohmann/json.hpp>

#include "config/keys/key.h"
#include "config/keys/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;

json extent_json(std::int64_t extent) { return extent == kBatchExtent ? json("batch") : json(extent); }

json shapes_json(const InputShapes& shapes) {
  json object = json::object();
  for (const auto& [input, shape] : shapes) {
    object[input] = json::array();
    for (const std::int64_t extent : shape) object[input].push_back(extent_json(extent));
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

}  // namespace

json model_json(const ModelEntry& model) {
  json entry{{"label", model.label}};
  if (model.kind() == ModelKind::zoo) entry["zoo"] = {{model.family, work::object_of(model.parameters)}};
  if (model.quantise) {
    json& keys = entry["quantise"][model.quantise->is_static ? "static" : "dynamic"];
    keys = {{"per_channel", model.quantise->per_channel}};
    if (model.quantise->is_static) keys["inputs"] = model.quantise->inputs;
  } else if (model.kind() == ModelKind::onnx) {
    entry["onnx"] = model.file.string();
  }
  if (model.kind() == ModelKind::pytorch) entry["pytorch"] = model.file.string() + ":" + model.factory;
  if (model.kind() == ModelKind::timm) entry["timm"] = model.factory;
  if (model.kind() != ModelKind::zoo && !model.parameters.empty())
    entry["parameters"] = work::object_of(model.parameters);
  if (!model.state_dict.empty()) entry["state_dict"] = model.state_dict.string();
  if (!model.shapes.empty() && !model.quantise) entry["shapes"] = shapes_json(model.shapes);
  for (const auto& [name, extent] : model.dimensions) {
    if (!model.quantise) entry["dimensions"][name] = extent_json(extent);
  }
  if (!model.inputs.empty() && !model.data) entry["inputs"] = inputs_json(model.inputs);
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

}  // namespace ngb::config

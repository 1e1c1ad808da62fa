// SPDX-License-Identifier: Apache-2.0
// Provides a configuration, and for each property a change of it.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "work/property.h"

namespace ngb::made_up {

inline work::Configuration configuration() {
  work::Configuration made{.device = "local"};
  made.compiler = {.name = "onnxruntime", .version = "1.31.1", .options = {{"level", "\"all\""}}, .label = "ort"};
  made.model.key = {"feedface", 4};
  made.model.label = "resnet18";
  made.model.family = "resnet";
  return made;
}

using Change = std::function<void(work::Configuration&)>;

// Returns a change by the name of each property. A test fails if one is missing.
inline const std::map<std::string, Change>& changes() {
  static const std::map<std::string, Change> kChanges{
      {"device", [](auto& of) { of.device = "board"; }},
      {"model", [](auto& of) { of.model.label = "mine"; }},
      {"model_family", [](auto& of) { of.model.family = "vit"; }},
      {"model_group", [](auto& of) { of.model.group = "ResNets"; }},
      {"model_style", [](auto& of) { of.model.style = "hybrid"; }},
      {"model_size", [](auto& of) { of.model.size = 2; }},
      {"variant_of", [](auto& of) { of.model.variant_of = "exact"; }},
      {"exact_hash", [](auto& of) { of.model.exact_hash = "cafe"; }},
      {"model_hash", [](auto& of) { of.model.key.hash = "beef"; }},
      {"batch", [](auto& of) { of.model.key.batch = 8; }},
      {"threads", [](auto& of) { of.threads = of.compiler.threads = 2; }},
      {"threads_asked", [](auto& of) { of.compiler.threads_asked = "all"; }},
      {"precision", [](auto& of) { of.compiler.precision = "bf16"; }},
      {"load", [](auto& of) { of.load = "cpu: 1"; }},
      {"compute_device", [](auto& of) { of.compute_device = Known<std::string>::of("gpu"); }},
      {"compiler", [](auto& of) { of.compiler.name = "openvino"; }},
      {"compiler_label", [](auto& of) { of.compiler.label = "mine"; }},
      {"compiler_version", [](auto& of) { of.compiler.version = "1.30.0"; }},
      {"options", [](auto& of) { of.compiler.options = {{"level", "\"basic\""}}; }},
      {"settings", [](auto& of) { of.compiler.settings = {{"arena", "1"}}; }},
      {"in_flight", [](auto& of) { of.compiler.in_flight = std::nullopt; }},
      {"instances", [](auto& of) { of.compiler.instances = 2; }},
      {"processors", [](auto& of) { of.compiler.processors = "0,2"; }}};
  return kChanges;
}

}  // namespace ngb::made_up

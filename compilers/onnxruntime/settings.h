// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/compiler.h"

namespace ngb::onnxruntime {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::string toolchain_dir{};
  int threads = 1;
  std::string graph_optimization{};
  bool is_spinning = true;
  std::string provider{};  // a value of that option in compiler.json: "cpu"
  bool may_fall_back = false;
  int in_flight = 1;               // 0: one for each thread
  std::string wait = "spin";       // for the GPU
  bool includes_transfer = false;  // an inference includes copies to and from the GPU
  // What the study hands on: entries of the session's configuration, and options of the provider.
  plugin::LibrarySettings entries{};
  plugin::LibrarySettings provider_options{};
};

Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::onnxruntime

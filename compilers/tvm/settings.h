// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/plugin_options.h"

namespace ngb::tvm {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given),
        is_on_gpu(options.text("device") == "cuda"),
        wait(options.text("wait")),
        trials(options.integer("trials")),
        early_stop(options.integer("early_stop")),
        seed(options.integer("seed")),
        frontend(options.text("frontend")),
        pass_configuration(plugin::settings_json(given)) {}

  bool is_on_gpu;
  std::string wait;  // for the GPU
  std::int64_t trials;
  std::int64_t early_stop;
  std::int64_t seed;
  std::string frontend;
  nlohmann::json pass_configuration;  // that the study hands on: an object
};

}  // namespace ngb::tvm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../plugin_settings.h"
#include "ngraphbench/plugin_options.h"

namespace ngb::onnxruntime {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given),
        graph_optimization(options.text("graph_optimization")),
        is_spinning(options.flag("spinning")),
        provider(options.text("provider")),
        may_fall_back(options.flag("allow_fallback")),
        wait(options.text("wait")),
        includes_transfer(options.flag("include_transfer")) {
    constexpr std::string_view kOfProvider = "provider.";
    for (auto& [name, value] : plugin::library_settings(given)) {
      const bool is_providers = name.starts_with(kOfProvider);
      auto& list = is_providers ? provider_options : entries;
      list.emplace_back(is_providers ? name.substr(kOfProvider.size()) : name, value);
    }
  }

  std::string graph_optimization;
  bool is_spinning;
  std::string provider;  // a value of that option in compiler.json: "cpu"
  bool may_fall_back;
  std::string wait;        // for the GPU
  bool includes_transfer;  // an inference includes copies to and from the GPU
  // What the study hands on: entries of the session's configuration, and options of the provider.
  plugin::LibrarySettings entries{};
  plugin::LibrarySettings provider_options{};
};

}  // namespace ngb::onnxruntime

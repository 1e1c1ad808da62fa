// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_boundary.h"
#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::tensorrt {
namespace {

// Only 9 and 10 have bf16.
template <class Flag>
std::optional<Flag> f16_flag() {
  if constexpr (requires { Flag::kFP16; }) return Flag::kFP16;
  return std::nullopt;
}
template <class Flag>
std::optional<Flag> bf16_flag() {
  if constexpr (requires { Flag::kBF16; }) return Flag::kBF16;
  return std::nullopt;
}

}  // namespace

const char* description() { return kCompilerJson; }

std::optional<nvinfer1::BuilderFlag> flag_of(const std::string& precision) {
  if (precision == "f16") return f16_flag<nvinfer1::BuilderFlag>();
  if (precision == "bf16") return bf16_flag<nvinfer1::BuilderFlag>();
  return std::nullopt;
}

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.cache_dir = given.cache_dir == nullptr ? "" : given.cache_dir;
  settings.precision = given.precision;
  settings.threads = given.threads;
  settings.builder_optimization_level = static_cast<int>(options.integer("builder_optimization_level"));
  settings.workspace_bytes = static_cast<std::size_t>(options.integer("workspace_bytes"));
  settings.has_timing_cache = options.flag("timing_cache");
  settings.uses_graph = options.flag("cuda_graph");
  settings.includes_transfer = options.flag("include_transfer");
  settings.wait = options.text("wait");
  settings.flags = plugin::settings_json(given);
  return settings;
}

void check_precision(const Settings& settings, const std::string& version) {
  if (settings.precision == "f32" || flag_of(settings.precision)) return;
  throw plugin::Failure(NGB_INVALID_OPTION,
                        "TensorRT " + version + " does not run an f32 model in precision \"" + settings.precision +
                            "\": it runs a model in its own types",
                        "give it a model that is in that precision already, or f16 and bf16 to a version before 11 "
                        "(bf16: from 9 on)");
}

}  // namespace ngb::tensorrt

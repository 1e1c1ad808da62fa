// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::tensorrt {
namespace {

// Before 9 there is no bf16, and from 11 on neither.
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
  plugin::check_common("tensorrt-cpp", given, {"f32", "f16", "bf16"}, {"cuda"});
  const plugin::Options options(kCompilerJson, given);
  const std::int64_t level = options.integer("builder_optimization_level");
  if (level < 0 || level > 5) {
    throw plugin::Failure(NGB_INVALID_OPTION, "builder_optimization_level is " + std::to_string(level),
                          "give a number from 0 to 5");
  }
  const std::int64_t workspace = options.integer("workspace_bytes");
  if (workspace < 0) {
    throw plugin::Failure(NGB_INVALID_OPTION, "workspace_bytes is " + std::to_string(workspace),
                          "give a number of bytes, or 0 for as much as there is");
  }
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.cache_dir = given.cache_dir == nullptr ? "" : given.cache_dir;
  settings.precision = given.precision;
  settings.threads = given.threads;
  settings.builder_optimization_level = static_cast<int>(level);
  settings.workspace_bytes = static_cast<std::size_t>(workspace);
  settings.has_timing_cache = options.flag("timing_cache");
  settings.uses_graph = options.flag("cuda_graph");
  settings.includes_transfer = options.flag("include_transfer");
  return settings;
}

void check_precision(const Settings& settings, const std::string& version) {
  if (settings.precision == "f32" || flag_of(settings.precision)) return;
  throw plugin::Failure(NGB_INVALID_OPTION,
                        "TensorRT " + version + " does not run an f32 model in precision \"" + settings.precision +
                            "\": it takes a model in its own types",
                        "give it a model that is in that precision already, or f16 and bf16 to a version before 11 "
                        "(bf16: from 9 on)");
}

}  // namespace ngb::tensorrt

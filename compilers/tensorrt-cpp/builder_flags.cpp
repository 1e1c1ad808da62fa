// SPDX-License-Identifier: Apache-2.0
#include "builder_flags.h"

#include <optional>
#include <string_view>

#include "../plugin_settings.h"
#include "base/json_text.h"

namespace ngb::tensorrt {
namespace {

// Returns the flag of that name. Versions of TensorRT differ in their flags, so each is used only if there is one.
template <class Flag>
std::optional<Flag> flag_called(std::string_view name) {
#define NGB_FLAG(word)                         \
  if constexpr (requires { Flag::k##word; }) { \
    if (name == #word) return Flag::k##word;   \
  }
  NGB_FLAG(DEBUG)
  NGB_FLAG(GPU_FALLBACK)
  NGB_FLAG(REFIT)
  NGB_FLAG(SPARSE_WEIGHTS)
  NGB_FLAG(SAFETY_SCOPE)
  NGB_FLAG(OBEY_PRECISION_CONSTRAINTS)
  NGB_FLAG(PREFER_PRECISION_CONSTRAINTS)
  NGB_FLAG(DIRECT_IO)
  NGB_FLAG(REJECT_EMPTY_ALGORITHMS)
  NGB_FLAG(VERSION_COMPATIBLE)
  NGB_FLAG(EXCLUDE_LEAN_RUNTIME)
  NGB_FLAG(ERROR_ON_TIMING_CACHE_MISS)
  NGB_FLAG(DISABLE_COMPILATION_CACHE)
  NGB_FLAG(STRIP_PLAN)
  NGB_FLAG(REFIT_IDENTICAL)
  NGB_FLAG(WEIGHT_STREAMING)
  NGB_FLAG(REFIT_INDIVIDUAL)
  NGB_FLAG(STRICT_NANS)
  NGB_FLAG(MONITOR_MEMORY)
  NGB_FLAG(DISTRIBUTIVE_INDEPENDENCE)
#undef NGB_FLAG
  return std::nullopt;
}

plugin::Failure unknown_flag(const std::string& name, const std::string& value, const std::string& version) {
  return plugin::refused_setting("tensorrt-cpp", name, value, "TensorRT " + version + " has no builder flag k" + name);
}

}  // namespace

plugin::Facts hand_on_flags(nvinfer1::IBuilderConfig& config, const nlohmann::json& flags, const std::string& version) {
  plugin::Facts facts;
  for (const auto& [name, value] : flags.items()) {
    const auto flag = flag_called<nvinfer1::BuilderFlag>(name);
    if (!flag) throw unknown_flag(name, json_text::dump(value), version);
    if (!value.is_boolean()) {
      throw plugin::refused_setting("tensorrt-cpp", name, json_text::dump(value), "a builder flag is true or false");
    }
    value.get<bool>() ? config.setFlag(*flag) : config.clearFlag(*flag);
    facts.emplace_back(name, config.getFlag(*flag) ? "true" : "false");
  }
  return facts;
}

}  // namespace ngb::tensorrt

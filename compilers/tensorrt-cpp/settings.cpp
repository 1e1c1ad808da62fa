// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "ngraphbench/plugin_boundary.h"

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

std::optional<nvinfer1::BuilderFlag> flag_of(const std::string& precision) {
  if (precision == "f16") return f16_flag<nvinfer1::BuilderFlag>();
  if (precision == "bf16") return bf16_flag<nvinfer1::BuilderFlag>();
  return std::nullopt;
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

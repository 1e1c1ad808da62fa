// SPDX-License-Identifier: Apache-2.0
// From the ONNX file to a serialised engine: parser, builder flags, one optimisation profile for the cell's shapes.
#pragma once

#include <NvInfer.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "library.h"
#include "ngraphbench/compiler.h"
#include "settings.h"
#include "timing_cache.h"

namespace ngb::tensorrt {

using Facts = std::vector<std::pair<std::string, std::string>>;

// One model, once.
class Building {
 public:
  // `device`: name and compute capability of the GPU, for the timing cache.
  Building(const Runtime& runtime, const Settings& settings, std::string device);

  // The serialised engine; not null. Throws plugin::Failure.
  std::unique_ptr<nvinfer1::IHostMemory> build(const ngb_model& model);
  [[nodiscard]] const Facts& facts() const { return facts_; }  // read back from the builder

 private:
  void parse(nvinfer1::INetworkDefinition& network, const std::string& path) const;
  void set_flags(nvinfer1::IBuilderConfig& config);
  void add_profile(nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config, const ngb_model& model);

  const Runtime& runtime_;
  const Settings& settings_;
  std::string device_;
  std::unique_ptr<nvinfer1::IBuilder> builder_;
  Facts facts_;
};

}  // namespace ngb::tensorrt

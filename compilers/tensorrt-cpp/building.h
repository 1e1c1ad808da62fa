// SPDX-License-Identifier: Apache-2.0
// Building makes a serialised engine from an ONNX file, with one optimisation profile for the cell's shapes.
#pragma once

#include <NvInfer.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "library.h"
#include "ngraphbench/compiler.h"
#include "settings.h"
#include "timing_cache.h"

namespace ngb::tensorrt {

using plugin::Facts;

class Building {
 public:
  // `device` is the GPU's name and compute capability, for the timing cache.
  Building(const Runtime& runtime, const Settings& settings, std::string device);

  // Builds one model and returns its engine, which is not null. May be called once. Throws plugin::Failure.
  std::unique_ptr<nvinfer1::IHostMemory> build(const ngb_model& model);
  [[nodiscard]] const Facts& facts() const { return facts_; }  // read back from the builder

 private:
  // Returns the parser, which owns the network's weights until the engine is built.
  [[nodiscard]] std::unique_ptr<nvonnxparser::IParser> parse(nvinfer1::INetworkDefinition& network,
                                                             const std::string& path) const;
  void set_flags(nvinfer1::IBuilderConfig& config);
  void add_profile(nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config, const ngb_model& model);

  const Runtime& runtime_;
  const Settings& settings_;
  std::string device_;
  std::optional<TimingCache> cache_;  // TensorRT needs it as long as the builder
  std::unique_ptr<nvinfer1::IBuilder> builder_;
  Facts facts_;
};

}  // namespace ngb::tensorrt

// SPDX-License-Identifier: Apache-2.0
// Notes the times of layers, which TensorRT measures on the GPU.
#pragma once

#include <NvInfer.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ngraphbench/kernels.h"

namespace ngb::tensorrt {

// Returns the names of ONNX nodes in a layer's name: "conv1 + act1", "PWN(PWN(a), b)", "{ForeignNode[a...b]}". Of a
// foreign node, TensorRT names only the first and the last node.
std::vector<std::string> nodes_in(const std::string& layer);

class LayerTimes final : public nvinfer1::IProfiler {
 public:
  void reportLayerTime(const char* layer, float milliseconds) noexcept override;
  void forget() { times_.clear(); }
  // Returns the kernels of one inference, with means over all. Throws plugin::Failure if they were not alike.
  [[nodiscard]] std::vector<Kernel> kernels(std::uint32_t inferences) const;

 private:
  std::vector<std::pair<std::string, float>> times_;  // milliseconds
};

}  // namespace ngb::tensorrt

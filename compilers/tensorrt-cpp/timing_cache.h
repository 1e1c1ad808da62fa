// SPDX-License-Identifier: Apache-2.0
// Kernels' times that an earlier process of this GPU and TensorRT has measured, in a file.
#pragma once

#include <NvInfer.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ngb::tensorrt {

class TimingCache {
 public:
  // `key`: everything that the times depend on.
  TimingCache(const std::string& cache_dir, const std::string& key);

  // What the file holds, if anything, becomes the builder's; how many bytes of it are used. Must not go before the
  // engine is built.
  std::size_t give(nvinfer1::IBuilderConfig& config);
  // A reader sees the old file or the new one, whole. Throws plugin::Failure.
  void keep(const nvinfer1::IBuilderConfig& config) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<nvinfer1::ITimingCache> cache_;
};

}  // namespace ngb::tensorrt

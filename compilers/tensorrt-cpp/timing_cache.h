// SPDX-License-Identifier: Apache-2.0
// TimingCache is a file of kernels' times that an earlier process measured with this GPU and TensorRT.
#pragma once

#include <NvInfer.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ngb::tensorrt {

class TimingCache {
 public:
  // `key` names everything on which the times depend.
  TimingCache(const std::string& cache_dir, const std::string& key);

  // Gives the file's content, if any, to the builder, and returns the bytes used. It must outlive the build.
  std::size_t give(nvinfer1::IBuilderConfig& config);
  // Writes the file in one step: a reader sees the old or the new one. Throws plugin::Failure.
  void keep(const nvinfer1::IBuilderConfig& config) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<nvinfer1::ITimingCache> cache_;
};

}  // namespace ngb::tensorrt

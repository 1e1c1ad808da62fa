// SPDX-License-Identifier: Apache-2.0
// Runtime opens TensorRT's libraries, of the major version of this plugin's headers, and makes their objects.
#pragma once

#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <memory>
#include <string>

#include "../late_binding.h"

namespace ngb::tensorrt {

class Runtime {
 public:
  // Opens them in the toolchain's folder tensorrt_libs or where the system's loader finds them. Uses no GPU. Throws
  // plugin::Failure(NGB_TOOLCHAIN_MISSING, NGB_IMPORT_ERROR).
  explicit Runtime(const std::string& toolchain_dir);

  [[nodiscard]] const std::string& version() const { return version_; }  // "10.16.0.72"
  [[nodiscard]] const std::string& path() const { return path_; }
  // Returns whether the library is of that version or newer. Functions that are newer than it must not be called.
  [[nodiscard]] bool is_at_least(int major, int minor) const;

  // Returns what to do about a failure for this reason of TensorRT's, if it is that TensorRT does not find its kernels;
  // else an empty text.
  [[nodiscard]] std::string kernels_advice(const std::string& reason) const;

  // Return an object that is not null. Throw plugin::Failure, whose reason is an error of this step alone.
  [[nodiscard]] std::unique_ptr<nvinfer1::IBuilder> make_builder() const;
  [[nodiscard]] std::unique_ptr<nvinfer1::IRuntime> make_runtime() const;
  [[nodiscard]] std::unique_ptr<nvonnxparser::IParser> make_parser(nvinfer1::INetworkDefinition& network) const;

 private:
  void read_version();
  void tell_folder() const;

  plugin::Library inference_;
  plugin::Library parser_;
  std::string version_;
  std::string path_;
  int major_ = 0;
  int minor_ = 0;
};

}  // namespace ngb::tensorrt

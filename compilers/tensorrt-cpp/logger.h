// SPDX-License-Identifier: Apache-2.0
// TensorRT's messages: warnings go to the log of the attempt; errors say why a call returned nothing.
#pragma once

#include <NvInfer.h>

#include <mutex>
#include <string>

namespace ngb::tensorrt {

class Logger : public nvinfer1::ILogger {
 public:
  // From any of TensorRT's threads.
  void log(Severity severity, const char* message) noexcept override;
  // The first error since this was last asked: what follows it is mostly its consequence.
  std::string reason();
  [[nodiscard]] bool has_error();  // since the reason was last asked for

 private:
  std::mutex mutex_;
  std::string first_error_;
};

// The one of this process, never gone: TensorRT keeps the first that it is given.
Logger& logger();

}  // namespace ngb::tensorrt

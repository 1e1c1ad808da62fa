// SPDX-License-Identifier: Apache-2.0
// Logger receives TensorRT's messages. Warnings go to the attempt's log; errors explain failed calls.
#pragma once

#include <NvInfer.h>

#include <mutex>
#include <string>

namespace ngb::tensorrt {

class Logger : public nvinfer1::ILogger {
 public:
  // May be called by any of TensorRT's threads.
  void log(Severity severity, const char* message) noexcept override;
  // Returns the first error since the last call of this or of forget(); later errors are mostly its consequences.
  std::string reason();
  // Drops errors that TensorRT survived, so that a later reason is one of the step that follows.
  void forget();

 private:
  std::mutex mutex_;
  std::string first_error_;
};

// Returns this process's only logger, which is never destroyed, because TensorRT keeps the first one that it receives.
Logger& logger();

}  // namespace ngb::tensorrt

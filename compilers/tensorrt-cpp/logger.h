// SPDX-License-Identifier: Apache-2.0
// Logger receives TensorRT's messages. Warnings go to the attempt's log; errors explain failed calls.
#pragma once

#include <NvInfer.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace ngb::tensorrt {

class Logger : public nvinfer1::ILogger {
 public:
  // May be called by any of TensorRT's threads.
  void log(Severity severity, const char* message) noexcept override;
  // Returns the first error since the last call of this or of forget(); later errors are mostly its consequences.
  std::string reason();
  // Drops errors that TensorRT survived, so that a later reason is one of the step that follows.
  void forget();
  // Returns the names of the libraries of kernels that TensorRT said to have loaded: one of the GPU's architecture, or
  // the one in PTX, which the driver compiles. TensorRT copies what it needs and unloads them, so that only its log has
  // them.
  std::set<std::string> kernels();

 private:
  void note_kernels(std::string_view message) noexcept;

  std::mutex mutex_;
  std::string first_error_;
  std::set<std::string> kernels_;
};

// Returns this process's only logger, which is never destroyed, because TensorRT keeps the first one that it receives.
Logger& logger();

}  // namespace ngb::tensorrt

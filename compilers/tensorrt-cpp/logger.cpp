// SPDX-License-Identifier: Apache-2.0
#include "logger.h"

#include <cstdio>
#include <utility>

namespace ngb::tensorrt {

void Logger::log(Severity severity, const char* message) noexcept {
  if (severity > Severity::kWARNING) return;
  std::fprintf(stderr, "TensorRT: %s\n", message);
  if (severity > Severity::kERROR) return;
  try {
    const std::lock_guard lock(mutex_);
    if (first_error_.empty()) first_error_ = message;
  } catch (...) {  // without memory for a copy, only the log has it
  }
}

std::string Logger::reason() {
  const std::lock_guard lock(mutex_);
  const std::string error = std::exchange(first_error_, {});
  return error.empty() ? "it gives no reason" : error;
}

void Logger::forget() {
  const std::lock_guard lock(mutex_);
  first_error_.clear();
}

Logger& logger() {
  static auto* const only = new Logger();
  return *only;
}

}  // namespace ngb::tensorrt

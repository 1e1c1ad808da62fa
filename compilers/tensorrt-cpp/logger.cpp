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

bool Logger::has_error() {
  const std::lock_guard lock(mutex_);
  return !first_error_.empty();
}

Logger& logger() {
  static auto* const only = new Logger();
  return *only;
}

}  // namespace ngb::tensorrt

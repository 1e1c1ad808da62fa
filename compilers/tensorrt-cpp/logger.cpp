// SPDX-License-Identifier: Apache-2.0
#include "logger.h"

#include <cstdio>
#include <utility>

namespace ngb::tensorrt {

void Logger::log(Severity severity, const char* message) noexcept {
  note_kernels(message);
  if (severity > Severity::kWARNING) return;
  std::fprintf(stderr, "TensorRT: %s\n", message);
  if (severity > Severity::kERROR) return;
  try {
    const std::lock_guard lock(mutex_);
    if (first_error_.empty()) first_error_ = message;
  } catch (...) {  // without memory for a copy, only the log has it
  }
}

void Logger::note_kernels(std::string_view message) noexcept {
  constexpr std::string_view kLoaded = "Loaded shared library ";
  const std::size_t at = message.find(kLoaded);
  if (at == std::string_view::npos || message.find("builder_resource") == std::string_view::npos) return;
  try {
    const std::lock_guard lock(mutex_);
    const std::string_view name = message.substr(at + kLoaded.size());
    kernels_.emplace(name.substr(0, name.find_first_of(" \n")));
  } catch (...) {  // without memory for a copy, the fact has one name fewer
  }
}

std::set<std::string> Logger::kernels() {
  const std::lock_guard lock(mutex_);
  return kernels_;
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

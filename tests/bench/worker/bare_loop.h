// SPDX-License-Identifier: Apache-2.0
// What bare loops have in common: opening a library, inputs, the clock.
#pragma once

#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bare {

struct Arguments {
  std::string kind, library, model;
  int threads = 1;
  int repetitions = 20;
  int warm_ups = 1;
};

[[noreturn]] inline void die(const std::string& message) {
  std::fprintf(stderr, "bare_loop: %s\n", message.c_str());
  std::exit(1);
}

inline void* open_library(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) die(::dlerror());
  return library;
}

inline std::int64_t now_ns() {
  struct timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

template <class Infer>
void time_and_print(const Arguments& arguments, Infer infer) {
  for (int i = 0; i < arguments.warm_ups; ++i) infer();
  std::vector<std::int64_t> samples_ns(static_cast<std::size_t>(arguments.repetitions));
  for (std::int64_t& sample_ns : samples_ns) {
    const std::int64_t begin_ns = now_ns();
    infer();
    sample_ns = now_ns() - begin_ns;
  }
  for (const std::int64_t sample_ns : samples_ns) std::printf("%lld\n", static_cast<long long>(sample_ns));
}

inline float* aligned_floats(std::size_t count) {
  auto* values = static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) / 64 + 1) * 64));
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values[i] = static_cast<float>(static_cast<double>(state >> 8U) / (1U << 23U) - 1.0);
  }
  return values;
}

inline std::size_t product(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

// KIND LIBRARY MODEL THREADS REPETITIONS [WARM_UPS]
inline Arguments arguments_of(int count, char** words, const char* usage) {
  if (count < 6) die(usage);
  Arguments arguments{words[1], words[2], words[3], std::atoi(words[4]), std::atoi(words[5])};
  if (count > 6) arguments.warm_ups = std::atoi(words[6]);
  return arguments;
}

}  // namespace bare

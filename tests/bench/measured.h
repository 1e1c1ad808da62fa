// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of stored results share: ending where something fails, and what a task of its own process used.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include "base/result.h"

namespace ngb {

// Returns the value, or prints the error and ends the program.
template <class T>
T value_of(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().text());
    std::exit(3);
  }
  return *std::move(result);
}

// Runs the task in a process of its own, so that its memory is its own, or ends the program if it fails.
inline rusage use_of(const std::string& name, const std::function<void()>& task) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    task();
    std::fflush(nullptr);
    std::_Exit(0);
  }
  int status = 0;
  rusage use{};
  if (child < 0 || ::wait4(child, &status, 0, &use) != child || status != 0) {
    fmt::print(stderr, "{} failed\n", name);
    std::exit(3);
  }
  return use;
}

inline double cpu_s(const rusage& use) {
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

inline double peak_megabytes(const rusage& use) { return static_cast<double>(use.ru_maxrss) * 1024 / 1e6; }

}  // namespace ngb

// SPDX-License-Identifier: Apache-2.0
// compile.py in the toolchain's Python: started before a model is there, so that importing TVM is no part of compiling.
#pragma once

#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "settings.h"

namespace ngb::tvm {

class CompileProcess {
 public:
  using Report = std::function<void(const std::string&)>;

  // Returns when TVM is imported. Throws plugin::Failure: no Python, no TVM.
  explicit CompileProcess(const Settings& settings);
  ~CompileProcess();  // ended, if it has not ended by itself
  CompileProcess(const CompileProcess&) = delete;
  CompileProcess& operator=(const CompileProcess&) = delete;

  // TVM's version.
  [[nodiscard]] const std::string& version() const { return version_; }
  // Compiles one model and waits for the process to be gone; once only. Throws plugin::Failure.
  nlohmann::json compile(const nlohmann::json& request, const Report& report);

 private:
  nlohmann::json next_message(const char* kind, const Report& report);
  bool read_line(std::string& line);
  [[noreturn]] void fail_as_it_ended();
  int wait();
  void close_channels();

  pid_t pid_ = -1;
  int requests_ = -1;
  int replies_ = -1;
  std::string unread_;
  std::string version_;
};

}  // namespace ngb::tvm

// SPDX-License-Identifier: Apache-2.0
// python/compile.py of a plugin, run by the toolchain's Python: started before a model is there, so that what it
// imports is no part of compiling. Its side of the conversation: python/ngraphbench/compile_process.py.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "ngraphbench/compiler.h"

namespace ngb::plugin {

class CompileProcess {
 public:
  using Variables = std::map<std::string, std::string>;

  // Returns when its packages are imported. `variables`: in its environment, in place of what this process has. Throws
  // plugin::Failure: no Python, no such packages.
  CompileProcess(std::string compiler, const ngb_settings& settings, const Variables& variables);
  ~CompileProcess();  // ended, if it has not ended by itself
  CompileProcess(const CompileProcess&) = delete;
  CompileProcess& operator=(const CompileProcess&) = delete;

  // What it says of the packages.
  [[nodiscard]] const nlohmann::json& ready() const { return ready_; }
  // Compiles one model and waits for the process to be gone; once only. Throws plugin::Failure.
  nlohmann::json compile(const nlohmann::json& request);

 private:
  nlohmann::json next_message(const char* kind);
  bool read_line(std::string& line);
  [[noreturn]] void fail_as_it_ended();
  int wait();
  void close_channels();

  std::string compiler_;
  std::function<void(const std::string&)> report_;  // for the user; may be empty
  pid_t pid_ = -1;
  int requests_ = -1;
  int replies_ = -1;
  std::string unread_;
  nlohmann::json ready_;
};

// Inputs as compile.py takes them: name, dtype as numpy calls it, shape. Throws plugin::Failure.
nlohmann::json inputs_for_python(const ngb_model& model);

}  // namespace ngb::plugin

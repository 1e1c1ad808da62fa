// SPDX-License-Identifier: Apache-2.0
// CompileProcess runs a plugin's python/compile.py in the toolchain's Python. It is started before there is a model, so
// that its imports are not part of compiling. Its other side is python/ngraphbench/compile_process.py.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ngraphbench/compiler.h"
#include "ngraphbench/plugin_boundary.h"

namespace ngb::plugin {

class CompileProcess {
 public:
  using Variables = std::map<std::string, std::string>;

  // Returns when the packages are imported. `variables` are added to the process's environment and replace ours. Throws
  // plugin::Failure if Python or the packages are missing.
  CompileProcess(std::string compiler, const ngb_settings& settings, const Variables& variables);
  ~CompileProcess();  // ends the process if it still runs
  CompileProcess(const CompileProcess&) = delete;
  CompileProcess& operator=(const CompileProcess&) = delete;

  // Returns what the process reports about its packages.
  [[nodiscard]] const Facts& ready() const { return ready_; }
  // Compiles one model and waits for the end of the process; may be called once. Returns what it reports. Throws
  // plugin::Failure.
  Facts compile(const nlohmann::json& request);

 private:
  nlohmann::json next_message(const char* kind);
  bool read_line(std::string& line);
  [[noreturn]] void fail_as_it_ended();
  int wait();
  void close_channels();

  std::string compiler_;
  std::function<void(const std::string&)> report_;  // shows the user progress; may be empty
  pid_t pid_ = -1;
  int requests_ = -1;
  int replies_ = -1;
  std::string unread_;
  Facts ready_;
};

// Throws plugin::Failure(NGB_FALLBACK) unless the library runs on as many threads as the study gives.
void check_threads(const std::string& library, std::int64_t count, int wanted);

// The artifact of a compiler whose own file lacks the names of the ONNX file: a folder with that file and
// signature.json, which says what it does not.
struct ArtifactFolder {
  std::string program{};    // path of the compiler's own file
  std::string signature{};  // path

  ArtifactFolder(const ngb_model& model, const char* file);
  // Makes the folder and lets the process write both files; `request` has the compiler's own settings. Returns what the
  // process reports. Throws plugin::Failure.
  [[nodiscard]] Facts compile(CompileProcess& process, const ngb_model& model, nlohmann::json request) const;
  // Returns the object in signature.json. Throws plugin::Failure if there is none.
  [[nodiscard]] nlohmann::json read_signature() const;
};

// The part that all sessions have whose model another process compiles into an ArtifactFolder.
class CompiledElsewhere {
 public:
  [[nodiscard]] const Facts& facts() const { return facts_; }

 protected:
  // `file` is the name of the compiler's own file in the artifact.
  explicit CompiledElsewhere(const char* file) : file_(file) {}
  // The facts begin with what the process reports about its packages. Throws plugin::Failure.
  void start_process(const char* compiler, const ngb_settings& settings, const CompileProcess::Variables& variables);
  // Adds what the process reports to the facts; `request` has the compiler's own settings. Throws plugin::Failure.
  void compile_elsewhere(const ngb_model& model, const nlohmann::json& request);
  // Returns what was compiled, by this session's process or by another one. The process ends.
  [[nodiscard]] ArtifactFolder end_process(const ngb_model& model);

  Facts facts_;

 private:
  const char* file_;
  std::optional<CompileProcess> process_;
};

}  // namespace ngb::plugin

// SPDX-License-Identifier: Apache-2.0
// Provides the model file of a group: written from its recipe, exported from a PyTorch module, or a user's file that
// has not changed since the plan.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/workers/children.h"
#include "agent/workers/launcher.h"
#include "base/cache_folder.h"
#include "base/fingerprint.h"
#include "base/process.h"
#include "samples/failure.h"
#include "samples/message.h"
#include "work/job.h"

namespace ngb::agent {

struct ModelFile {
  std::filesystem::path path{};  // "" if there is no file
  samples::ModelWritten facts{};
  std::optional<samples::Failure> no_file{};  // of every cell that needs the ONNX file of a module that has none
};

struct WritingBounds {
  std::uint64_t memory_bytes = 0;  // for all its processes together, as for a worker
  std::set<pid_t> spared{};        // processes that are not killed
};

// Returns whether the compiler reads the model's ONNX file.
bool needs_file(const work::Job& job, const work::Model& model, const work::Compiler& compiler);

// How a module is exported, and under which name of the cache the export is kept for later runs.
struct Exporting {
  bool needs_file = true;  // false: nothing reads an ONNX file, so only the module's inputs are asked for
  CacheFolder cache{};
  std::filesystem::path name{};  // "": it is not kept
};

// Writes one model by a child process: `ngb-worker write-model`, or the exporter's Python.
class ModelWriting {
 public:
  // Starts the child at once, unless an earlier run has kept the export.
  ModelWriting(const Surroundings& surroundings, Children& children, const work::Model& model, const work::Job& job,
               WritingBounds bounds, Exporting exporting);

  // Handles what has happened since the last call. Waits only for processes that it has killed, and to hash the file
  // once.
  void advance();
  // Checks the memory of its processes; called once a second.
  void look();
  [[nodiscard]] Nanoseconds deadline() const { return deadline_; }

  // Returns the result once all processes have ended, or could not be ended (`left`); empty before.
  using Outcome = tl::expected<ModelFile, samples::Failure>;
  [[nodiscard]] const std::optional<Outcome>& outcome() const { return outcome_; }
  [[nodiscard]] const std::vector<pid_t>& left() const { return left_; }

 private:
  void start(const work::Model& model, const work::Place* exporter);
  [[nodiscard]] std::vector<std::string> command(const work::Model& model, const work::Place* exporter) const;
  void end_with(const samples::Failure& failure);
  void end_processes();
  Status make_folder();
  void end_child(const process::Outcome& ended, bool is_memory_full, std::uint64_t peak_rss_bytes);
  void finish_file();
  Status keep();
  bool read_answer();
  void settle_module();
  void fail_with(samples::FailureKind kind, const std::string& message);

  const Surroundings& surroundings_;
  Children& children_;
  std::filesystem::path path_;
  std::string log_name_;
  samples::ModelWritten facts_{};
  Nanoseconds started_;
  Nanoseconds deadline_;
  std::optional<pid_t> pid_{};
  WritingBounds bounds_;
  std::optional<samples::Failure> ended_by_us_{};
  std::optional<ControlGroup> group_{};
  std::vector<pid_t> left_{};
  std::optional<Outcome> outcome_{};
  bool is_module_;
  Exporting exporting_;
  std::optional<ScratchFolder> folder_{};      // of the export while it is made; none if it is not kept
  std::optional<samples::Failure> no_file_{};  // why the exporters wrote none
  bool follows_from_module_ = true;            // that reason, which no other toolchain or machine would change
};

// Checks that a user's files exist and are those that the client has planned with; `watched` watches them from now on.
// The outcome's path is that of the first file.
ModelWriting::Outcome check_files(const work::Model& model, WatchedFiles& watched);

// Returns the files that the model is made from and those that were made from it.
std::vector<std::filesystem::path> files_of(const work::Model& model, const ModelFile& file);

// Returns what the model is made from, with the paths of its files on this device.
std::string source_here(const work::Model& model);

// Returns the path of a recipe's file in the work folder.
std::filesystem::path model_path(const Surroundings& surroundings, const work::Model& model);
// Deletes the model's file and the files beside it. Does nothing if `path` is "".
void remove_model(const std::filesystem::path& path);

}  // namespace ngb::agent

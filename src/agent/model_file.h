// SPDX-License-Identifier: Apache-2.0
// The model file of a group: written here from its recipe, exported here from a PyTorch module, or a user's file that
// is still what the plan has seen.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/children.h"
#include "agent/launcher.h"
#include "samples/failure.h"
#include "samples/job.h"
#include "samples/message.h"

namespace ngb::agent {

struct ModelFile {
  std::filesystem::path path{};
  samples::ModelWritten facts{};
};

// One writing of a model by a child: `ngb-worker write-model`, or the exporter's Python.
class ModelWriting {
 public:
  // Starts at once.
  ModelWriting(const Surroundings& surroundings, Children& children, const samples::ModelWork& model,
               const samples::Job& job);

  // Takes up what has happened; never waits, but for reading the file once to hash it.
  void advance();
  [[nodiscard]] Nanoseconds deadline() const { return deadline_; }

  // Set when it is over.
  using Outcome = tl::expected<ModelFile, samples::Failure>;
  [[nodiscard]] const std::optional<Outcome>& outcome() const { return outcome_; }

 private:
  void start(const samples::ModelWork& model, const std::optional<samples::CompilerWork>& exporter);
  [[nodiscard]] std::vector<std::string> command(const samples::ModelWork& model,
                                                 const std::optional<samples::CompilerWork>& exporter) const;
  void take_over();
  bool take_answer();
  void fail_with(samples::FailureKind kind, const std::string& message);

  const Surroundings& surroundings_;
  Children& children_;
  std::filesystem::path path_;
  std::string log_name_;
  samples::ModelWritten facts_{};
  Nanoseconds started_;
  Nanoseconds deadline_;
  std::optional<pid_t> pid_{};
  bool is_over_time_ = false;
  std::optional<Outcome> outcome_{};
};

// Whether a user's files are there and still are what the client has seen. The outcome's path is the first one's.
ModelWriting::Outcome check_files(const samples::ModelWork& model);

// What the model is made from, its files where they are on this device.
std::string recipe_here(const samples::ModelWork& model);

// Where the file of a recipe stands in the work folder.
std::filesystem::path model_path(const Surroundings& surroundings, const samples::ModelWork& model);
// With what lies beside it.
void remove_model(const std::filesystem::path& path);

}  // namespace ngb::agent

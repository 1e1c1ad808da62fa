// SPDX-License-Identifier: Apache-2.0
// The model file of a group: written here from its recipe, or a user's file that is still what the plan has seen.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

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

// One writing of a model by a child (`ngb-worker write-model`).
class ModelWriting {
 public:
  // Starts at once.
  ModelWriting(const Surroundings& surroundings, Children& children, const samples::ModelWork& model,
               const samples::Protocol& protocol);

  // Takes up what has happened; never waits, but for reading the file once to hash it.
  void advance();
  [[nodiscard]] Nanoseconds deadline() const { return deadline_; }

  // Set when it is over.
  using Outcome = tl::expected<ModelFile, samples::Failure>;
  [[nodiscard]] const std::optional<Outcome>& outcome() const { return outcome_; }

 private:
  void start(const samples::ModelWork& model);
  void take_over();
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

// Whether a user's file is there and still is what the client has seen.
ModelWriting::Outcome check_model_file(const samples::ModelWork& model);

// Where the file of a recipe stands in the work folder.
std::filesystem::path model_path(const Surroundings& surroundings, const samples::ModelWork& model);
// With the weights beside it.
void remove_model(const std::filesystem::path& path);

}  // namespace ngb::agent

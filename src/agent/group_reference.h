// SPDX-License-Identifier: Apache-2.0
// Provides the reference outputs of a group: found on the device, given by the client, or made here. Those of a variant
// are its exact model's, of all inputs over which they are compared. Starts nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/builds.h"
#include "agent/reference_cache.h"
#include "agent/reference_search.h"
#include "samples/process_result.h"
#include "work/job.h"

namespace ngb::agent {

// One exists for each group of the job, for all visits to it.
class GroupReference {
 public:
  // The job has a reference. Outputs that are made for this run alone are in `folder`. All references outlive the
  // object; `files` are those of all groups.
  GroupReference(const work::Job& job, const work::Group& group, const JobBuilds& builds, CheckedReferences& files,
                 const std::filesystem::path& folder);

  // The outputs with which the group's processes are compared.
  struct Judge {
    std::filesystem::path path{};  // "" for no check
    std::string sha256{};          // of its data
    std::string reason{};          // as work::WorkerRequest::reference_reason
  };
  // A compiler has to make its outputs, in the file `path`.
  struct Making {
    const work::Compiler* by = nullptr;
    std::filesystem::path path{};
    std::vector<std::string> unconfirmed{};  // as work::WorkerRequest::unconfirmed_outputs
    int attempt = 1;
    bool stands_in = false;  // for the study's reference
  };
  using Next = std::variant<Judge, Making, samples::Failure>;
  // Returns what judges the group, what has to be made to know that, or why no cell of the group can be judged.
  // `no_file` says why the group's module has no ONNX file.
  Next next(const std::optional<samples::Failure>& no_file);

  // Returns the path of outputs without a doubt that an earlier run has made and kept; nothing if there are none.
  std::optional<std::string> kept();

  // Renames the outputs that a worker has made for the last Making. Returns why there are none; then `written` is
  // removed.
  std::optional<samples::Failure> adopt(const std::filesystem::path& written, const samples::ProcessResult& result);
  // Handles that the last Making had the result, without outputs for that reason. A Making of the study's reference is
  // repeated until the failure is final.
  void has_failed(const samples::ProcessResult& result, const samples::Failure& why);

  // Returns true if the processes, which took turns or of which there is one, are run again because a third compiler is
  // asked who is right, or was wrong itself. Then `next` has another answer.
  bool asks_a_third(const std::vector<work::WorkerRequest>& requests,
                    const std::vector<samples::ProcessResult>& results);

  // Returns the compiler that makes the outputs, or has made those that judge.
  [[nodiscard]] const work::Compiler& compiler() const { return search_.candidate(); }
  // Returns the key of these outputs. Outputs that the client gave have the key that it gave with them.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] bool is_given() const { return given_ != nullptr && !given_->path.empty(); }

 private:
  Next use_given();
  Next end_search();
  [[nodiscard]] Making making() const;
  [[nodiscard]] std::filesystem::path file() const;
  [[nodiscard]] std::string own_key() const;  // of outputs that are made here

  const work::Job& job_;
  bool is_for_agreement_;  // the group's model is a variant
  work::Model model_;      // whose outputs these are
  const JobBuilds& builds_;
  CheckedReferences& files_;
  std::filesystem::path folder_;
  const work::GivenReference* given_;  // null: the client has not been asked for any
  ReferenceSearch search_;
  int tries_ = 0;  // failed attempts of the study's reference
};

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
// Provides the reference outputs of a group: found on the device, given by the client, or made here. Those of a variant
// are its exact model's, of all inputs over which they are compared. Starts nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "agent/builds.h"
#include "agent/reference_cache.h"
#include "samples/process_result.h"
#include "work/job.h"

namespace ngb::agent {

// The search for the outputs that judge a group's cells: which compiler is asked next, and what became of the others.

// Candidates are asked one after the other: the job's references in their order, then the group's own compilers, of
// which two must agree with each other. The first whose outputs are without a doubt judges. If there is none, the
// first whose outputs are only doubtful judges; otherwise nobody does, and the reason says why. Nobody judges a model
// that is random.
//
// If the outputs of a compiler then differ from the judge's, a third one is asked once: the next candidate that is
// neither of the two and has outputs without a doubt. If it agrees with the judge, or there is none, the judge was
// right. Otherwise it judges on trial, and stays if the compiler agrees with it: the first judge is the outlier among
// three. If the compiler differs from it too, all three differ, and nobody judges.
class ReferenceSearch {
 public:
  // `job` outlives this object and has a reference.
  ReferenceSearch(const work::Job& job, const work::Group& group);

  // Returns who is asked, or who judges. Precondition: somebody is left.
  [[nodiscard]] const work::Compiler& candidate() const { return *candidates_[at_]; }
  [[nodiscard]] bool is_first() const { return at_ == 0; }
  // Returns whether the candidate's outputs are compared with earlier ones when they are made.
  [[nodiscard]] bool is_compared() const { return needs_another() || judge_ || third_stays_; }
  // Returns those earlier outputs.
  [[nodiscard]] std::vector<std::string> unconfirmed() const {
    return judge_ || third_stays_ ? std::vector<std::string>{path_} : unconfirmed_;
  }

  // Returns true once it is known who judges, or that nobody does.
  [[nodiscard]] bool is_settled() const { return is_settled_; }
  // Precondition: is_settled().
  [[nodiscard]] bool has_no_judge() const { return has_no_judge_; }
  // Returns why the first reference does not judge, or what is wrong with it; "" if it judges without a doubt.
  [[nodiscard]] const std::string& reason() const { return is_on_trial() ? trial_reason_ : reason_; }

  // The candidate's outputs are in the file at `path`.
  void has_made(const std::string& path, const ReferenceFile& file);
  // The candidate could not make its outputs. `why` begins with its name.
  void has_failed(const std::string& why);
  // The candidate is not installed on this device: nothing is wrong with it.
  void is_missing() { next(); }

  // The outputs of `compiler` differ from those of the judge. Returns true if a third one is asked now, so that the
  // search is not settled any more. Precondition: is_settled().
  bool question(const work::Compiler& compiler);
  // Returns the name of the compiler whose outputs differ from the judge's; "" if there was none.
  [[nodiscard]] const std::string& questioned_by() const { return questioned_by_; }
  [[nodiscard]] bool is_on_trial() const { return judge_.has_value() && is_settled_; }
  enum class Trial { agrees, differs, failed };
  // Ends the trial. Depending on how it ended, the third compiler becomes the judge, or nobody judges, or the first
  // judge goes on.
  void end_trial(Trial end);

 private:
  void add_reason(const std::string& why);
  void next();
  void judge_again();
  // Returns whether the candidate judges only if the outputs of another one agree.
  [[nodiscard]] bool needs_another() const { return at_ >= references_; }

  std::vector<const work::Compiler*> candidates_{};
  std::size_t references_ = 0;  // so many of the candidates are the job's references
  std::size_t at_ = 0;
  std::optional<std::size_t> doubtful_{};  // the first candidate whose outputs are only doubtful
  std::vector<std::string> unconfirmed_{};
  std::set<std::string> doubts_{};
  std::string reason_{};
  std::string path_{};                  // of the outputs that judge
  std::string made_by_{};               // who made them
  std::string third_made_by_{};         // who made those that judge on trial
  bool third_stays_ = false;            // after its trial
  std::optional<std::size_t> judge_{};  // who judges while a third one is asked or on trial
  std::string trial_reason_{};          // why a third one stays after its trial
  std::string questioned_by_{};         // the name of the compiler that differs from it; "": nobody was
  bool is_settled_ = false;
  bool has_no_judge_ = false;
};

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

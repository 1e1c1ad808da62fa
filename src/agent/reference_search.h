// SPDX-License-Identifier: Apache-2.0
// The search for the outputs that judge a group's cells: which compiler is asked next, and what became of the others.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/reference_cache.h"
#include "work/job.h"

namespace ngb::agent {

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
  [[nodiscard]] bool has_nobody() const { return has_nobody_; }
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
  bool has_nobody_ = false;
};

}  // namespace ngb::agent

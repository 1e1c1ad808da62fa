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
class ReferenceSearch {
 public:
  // `job` outlives this object and has a reference.
  ReferenceSearch(const work::Job& job, const work::Group& group);

  // Returns who is asked, or who judges. Precondition: somebody is left.
  [[nodiscard]] const work::Compiler& candidate() const { return *candidates_[at_]; }
  [[nodiscard]] bool is_first() const { return at_ == 0; }
  // Returns whether the candidate judges only if the outputs of another one agree.
  [[nodiscard]] bool needs_another() const { return at_ >= references_; }
  // Returns the outputs of earlier candidates that still need another one.
  [[nodiscard]] const std::vector<std::string>& unconfirmed() const { return unconfirmed_; }

  // Returns true once it is known who judges, or that nobody does.
  [[nodiscard]] bool is_settled() const { return is_settled_; }
  // Precondition: is_settled().
  [[nodiscard]] bool has_nobody() const { return has_nobody_; }
  // Returns why the first reference does not judge, or what is wrong with it; "" if it judges without a doubt.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  // The candidate's outputs are in the file at `path`.
  void has_made(const std::string& path, const ReferenceFile& file);
  // The candidate could not make its outputs. `why` begins with its name.
  void has_failed(const std::string& why);
  // The candidate is not installed on this device: nothing is wrong with it.
  void is_missing() { next(); }

 private:
  void add_reason(const std::string& why);
  void next();

  std::vector<const work::Compiler*> candidates_{};
  std::size_t references_ = 0;  // so many of the candidates are the job's references
  std::size_t at_ = 0;
  std::optional<std::size_t> doubtful_{};  // the first candidate whose outputs are only doubtful
  std::vector<std::string> unconfirmed_{};
  std::set<std::string> doubts_{};
  std::string reason_{};
  bool is_settled_ = false;
  bool has_nobody_ = false;
};

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
// What is done and what is still to do, decided from a job and its recorded events alone, so that an agent which was
// killed and started again decides as the first one did. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "samples/job.h"
#include "samples/message.h"

namespace ngb::agent {

class Ledger {
 public:
  // `attempts`: how often a process is tried, for failures that are worth it (samples::is_worth_retrying).
  explicit Ledger(int attempts) : attempts_(attempts) {}

  void add(const samples::Event& event);
  // Processes that need not be done here: they are recorded, by cell id.
  void add_completed(const std::map<std::string, std::vector<int>>& processes);

  // The attempt to make next of this step (1 …); nothing when its process is recorded, or its cell has failed. A cell
  // fails with the first failure that is not worth another attempt, or with the last attempt.
  [[nodiscard]] std::optional<int> next_attempt(const samples::Step& step) const;
  [[nodiscard]] bool is_pending(const samples::Group& group) const;

  [[nodiscard]] bool is_finished() const { return is_finished_; }
  // The hash of a model's file as it was recorded; nothing when it was not made yet.
  [[nodiscard]] std::optional<std::string> model_sha256(const std::string& model_id) const;

 private:
  int attempts_;
  std::set<std::string> failed_cells_{};
  std::set<std::pair<std::string, int>> completed_{};
  std::map<std::pair<std::string, int>, int> attempts_made_{};
  std::map<std::string, std::string> models_{};
  bool is_finished_ = false;
};

}  // namespace ngb::agent

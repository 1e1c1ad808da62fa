// SPDX-License-Identifier: Apache-2.0
// A job of any size in messages of bounded size, and together again.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "work/job.h"

namespace ngb::work {

// A message is about so large at most, or has one model that is larger.
inline constexpr std::size_t kPartBytes = 1U << 20U;

// Takes a job apart: first comes the job without its lists, then their parts.
class JobParts {
 public:
  JobParts(Job job, std::size_t max_message_bytes);

  // The next message; nothing after the last. Error: a model that no message can hold; it is named.
  Result<std::optional<std::variant<Job, JobPart>>> next();

 private:
  Result<std::size_t> take_models(JobPart& part);
  std::size_t take_cells(JobPart& part, std::size_t bytes);
  void take_steps(JobPart& part, std::size_t bytes);

  std::size_t max_model_bytes_;
  Job head_;  // without the lists
  std::vector<Model> models_;
  std::vector<Cell> cells_;
  std::vector<Group> groups_;
  bool has_begun_ = false;
  bool is_over_ = false;
  std::size_t model_ = 0;
  std::size_t cell_ = 0;
  std::size_t group_ = 0;
  std::size_t step_ = 0;  // of that group
};

// Puts a part behind what has come of a job.
void append(Job& job, JobPart part);

}  // namespace ngb::work

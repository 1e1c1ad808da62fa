// SPDX-License-Identifier: Apache-2.0
// Splits a job of any size into messages of bounded size, and puts them together again.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "work/job.h"

namespace ngb::work {

// A message has about this many bytes at most, unless one model alone has more.
inline constexpr std::size_t kPartBytes = 1U << 20U;

// Splits a job: the first message is the job without its lists, and the next ones are parts of the lists.
class JobParts {
 public:
  JobParts(Job job, std::size_t max_message_bytes);

  // Returns the next message, or nothing after the last. Returns an error that names a model which is too large for a
  // message.
  Result<std::optional<std::variant<Job, JobPart>>> next();

 private:
  Result<std::size_t> add_models(JobPart& part);
  std::size_t add_cells(JobPart& part, std::size_t bytes);
  void add_steps(JobPart& part, std::size_t bytes);

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
  std::size_t step_ = 0;  // in groups_[group_]
};

// Appends the part's lists to those of the job.
void append(Job& job, JobPart part);

}  // namespace ngb::work

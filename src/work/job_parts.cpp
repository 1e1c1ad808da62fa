// SPDX-License-Identifier: Apache-2.0
#include "work/job_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "work/codec.h"

namespace ngb::work {
namespace {

// An estimate of the JSON text around an id: quotes, commas, brackets and two small numbers.
constexpr std::size_t kItemBytes = 16;

}  // namespace

JobParts::JobParts(Job job, std::size_t max_message_bytes)
    : max_model_bytes_(max_message_bytes / 2),
      head_(std::move(job)),
      models_(std::exchange(head_.models, {})),
      cells_(std::exchange(head_.cells, {})),
      groups_(std::exchange(head_.groups, {})) {
  head_.continues = true;
}

Result<std::optional<std::variant<Job, JobPart>>> JobParts::next() {
  if (is_over_) return std::nullopt;
  if (!has_begun_) {
    has_begun_ = true;
    return head_;
  }
  JobPart part;
  const Result<std::size_t> bytes = add_models(part);
  if (!bytes) return error_of(bytes);
  add_steps(part, add_cells(part, *bytes));
  is_over_ = model_ == models_.size() && cell_ == cells_.size() && group_ == groups_.size();
  part.is_last = is_over_;
  return part;
}

// Adds as many models as fit, and at least one. Returns their size in bytes.
Result<std::size_t> JobParts::add_models(JobPart& part) {
  std::size_t bytes = 0;
  for (; model_ < models_.size(); ++model_) {
    const Model& model = models_[model_];
    const std::size_t more = json_text::dump(write_json(model)).size();
    if (more > max_model_bytes_) {
      return fail(fmt::format("model {} cannot be sent: its description has {} bytes, and a message holds {}",
                              model.label, more, max_model_bytes_),
                  head_.device, "remove the model from the study, or give it fewer parameters and files");
    }
    if (!part.models.empty() && bytes + more > kPartBytes) break;
    part.models.push_back(model);
    bytes += more;
  }
  return bytes;
}

std::size_t JobParts::add_cells(JobPart& part, std::size_t bytes) {
  for (; cell_ < cells_.size() && bytes < kPartBytes; ++cell_) {
    const Cell& cell = cells_[cell_];
    bytes += cell.id.size() + kItemBytes;
    part.cells.push_back(cell);
  }
  return bytes;
}

// Adds groups as far as they fit. A group that is larger than a message is continued in the next part.
void JobParts::add_steps(JobPart& part, std::size_t bytes) {
  for (; group_ < groups_.size() && bytes < kPartBytes; ++group_, step_ = 0) {
    const Group& group = groups_[group_];
    part.groups.push_back({.model_index = group.model_index, .saved_bits = group.saved_bits});
    if (step_ == 0) part.groups.back().questions = group.questions;
    bytes += 2 * kItemBytes + part.groups.back().questions.size() * kItemBytes;
    for (; step_ < group.steps.size() && bytes < kPartBytes; ++step_) {
      bytes += kItemBytes;
      part.groups.back().steps.push_back(group.steps[step_]);
    }
    if (step_ < group.steps.size()) return;
  }
}

void append(Job& job, JobPart part) {
  std::move(part.models.begin(), part.models.end(), std::back_inserter(job.models));
  std::move(part.cells.begin(), part.cells.end(), std::back_inserter(job.cells));
  auto first = part.groups.begin();
  if (first != part.groups.end() && !job.groups.empty() && job.groups.back().model_index == first->model_index) {
    std::move(first->steps.begin(), first->steps.end(), std::back_inserter(job.groups.back().steps));
    ++first;
  }
  std::move(first, part.groups.end(), std::back_inserter(job.groups));
  job.continues = !part.is_last;
}

}  // namespace ngb::work

// SPDX-License-Identifier: Apache-2.0
#include "agent/ledger.h"

#include <algorithm>
#include <variant>

namespace ngb::agent {

void Ledger::add(const samples::Event& event) {
  if (const auto* result = std::get_if<samples::ProcessResult>(&event.body)) {
    const std::pair<std::string, int> process{result->cell_id, result->process_index};
    if (!result->failure) {
      completed_.insert(process);
      return;
    }
    int& made = attempts_made_[process];
    made = std::max(made, result->attempt);
    if (!samples::is_worth_retrying(result->failure->kind) || made >= attempts_) failed_cells_.insert(result->cell_id);
  } else if (const auto* model = std::get_if<samples::ModelWritten>(&event.body)) {
    models_[model->model_id] = model->file_sha256;
  } else if (std::holds_alternative<samples::Finished>(event.body)) {
    is_finished_ = true;
  }
}

void Ledger::add_completed(const std::map<std::string, std::vector<int>>& processes) {
  for (const auto& [cell_id, indices] : processes) {
    for (const int index : indices) completed_.emplace(cell_id, index);
  }
}

std::optional<int> Ledger::next_attempt(const samples::Step& step) const {
  const std::pair<std::string, int> process{step.cell_id, step.process_index};
  if (completed_.contains(process) || failed_cells_.contains(step.cell_id)) return std::nullopt;
  const auto made = attempts_made_.find(process);
  return made == attempts_made_.end() ? 1 : made->second + 1;
}

bool Ledger::is_pending(const samples::Group& group) const {
  return std::any_of(group.steps.begin(), group.steps.end(),
                     [&](const samples::Step& step) { return next_attempt(step).has_value(); });
}

std::optional<std::string> Ledger::model_sha256(const std::string& model_id) const {
  const auto model = models_.find(model_id);
  if (model == models_.end()) return std::nullopt;
  return model->second;
}

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
#include "agent/ledger.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "samples/process_numbers.h"

namespace ngb::agent {
namespace {

constexpr int kFirst = std::numeric_limits<int>::min();

// Returns whether all parts are equal. A model that is unknown equals every model.
bool are_alike(const samples::Origin& one, const samples::Origin& other) {
  return one.build_sha256 == other.build_sha256 && one.environment_hash == other.environment_hash &&
         (one.model_sha256 == other.model_sha256 || one.model_sha256.empty() || other.model_sha256.empty());
}

}  // namespace

int Ledger::number_of(const samples::Provenance& with, const std::string& environment_hash) {
  const samples::Origin origin{with.build(), with.model_sha256, environment_hash};
  const auto [place, is_new] = numbers_.emplace(origin, static_cast<int>(origins_.size()));
  if (is_new) origins_.push_back({origin, with});
  return place->second;
}

void Ledger::complete(const std::string& cell_id, int process_index, int origin) {
  if (completed_.emplace(cell_id, process_index, origin).second) ++counts_[{cell_id, origin}];
}

void Ledger::add(const samples::Event& event) {
  is_finished_ = false;  // a Finished with an event after it did not end the job
  if (const auto* result = std::get_if<samples::ProcessResult>(&event.body)) {
    const int origin = number_of(result->made_with, result->environment_hash);
    if (!result->failure) {
      complete(result->cell_id, result->process_index, origin);
      if (keeps_numbers_) {
        deciding_.try_emplace({result->cell_id, result->process_index, origin},
                              samples::deciding_numbers(*result, decided_by_));
        seconds_of_a_process_[result->cell_id] = static_cast<double>(result->wall_ns) * 1e-9;
      }
      return;
    }
    int& made = attempts_made_[{result->cell_id, result->process_index, origin}];
    made = std::max(made, result->attempt);
    if (!samples::is_final(result->failure->kind, made, limits_)) return;
    if (samples::is_of_cell(result->failure->kind)) {
      failed_cells_.emplace(std::pair(result->cell_id, origin), result->failure->kind);
    } else {
      given_up_.emplace(result->cell_id, result->process_index, origin);
    }
  } else if (const auto* model = std::get_if<samples::ModelWritten>(&event.body)) {
    models_[model->model] = model->file_sha256;
  } else if (const auto* reference = std::get_if<samples::ReferenceMade>(&event.body)) {
    references_.insert(reference->model);
  } else if (const auto* ended = std::get_if<samples::RoundsEnded>(&event.body)) {
    ended_rounds_.insert(ended->cell_ids.begin(), ended->cell_ids.end());
    for (const std::string& reopened : ended->reopened_ids) ended_rounds_.erase(reopened);
  } else if (std::holds_alternative<samples::Finished>(event.body)) {
    is_finished_ = true;
  }
}

void Ledger::begin_other_job(const FailsAgain& fails_again) {
  is_finished_ = false;
  references_.clear();
  std::erase_if(failed_cells_, [&](const auto& failed) {
    const auto& [cell, kind] = failed;
    const std::string& id = cell.first;
    const bool may_be_cured =
        kind == samples::FailureKind::toolchain_missing || kind == samples::FailureKind::no_reference;
    if (!may_be_cured || fails_again(id, kind)) return false;
    const auto of_cell = [&id](const auto& attempt) { return std::get<0>(attempt.first) == id; };
    const auto first = attempts_made_.lower_bound({id, kFirst, kFirst});
    attempts_made_.erase(first, std::find_if_not(first, attempts_made_.end(), of_cell));
    return true;
  });
}

void Ledger::add_completed(const samples::Completed& completed) {
  const int origin = number_of(completed.made_with, completed.environment_hash);
  for (const auto& [cell_id, indices] : completed.processes) {
    for (const int index : indices) complete(cell_id, index, origin);
    const auto numbers = completed.numbers.find(cell_id);
    if (!keeps_numbers_ || numbers == completed.numbers.end()) continue;
    for (std::size_t i = 0; i < std::min(indices.size(), numbers->second.size()); ++i) {
      deciding_.try_emplace({cell_id, indices[i], origin}, numbers->second[i]);
    }
  }
}

bool Ledger::is_alike(int origin, const samples::Origin& now) const {
  return are_alike(origins_[static_cast<std::size_t>(origin)].origin, now);
}

const std::vector<double>* Ledger::numbers(const std::string& cell_id, int process_index,
                                           const samples::Origin& now) const {
  for (auto found = deciding_.lower_bound({cell_id, process_index, kFirst});
       found != deciding_.end() && std::get<0>(found->first) == cell_id && std::get<1>(found->first) == process_index;
       ++found) {
    if (is_alike(std::get<2>(found->first), now)) return &found->second;
  }
  return nullptr;
}

double Ledger::seconds_of_a_process(const std::string& cell_id) const {
  const auto found = seconds_of_a_process_.find(cell_id);
  return found == seconds_of_a_process_.end() ? 1 : found->second;
}

bool Ledger::has_failed(const std::string& cell_id, const samples::Origin& now) const {
  for (auto failed = failed_cells_.lower_bound({cell_id, kFirst});
       failed != failed_cells_.end() && failed->first.first == cell_id; ++failed) {
    if (is_alike(failed->first.second, now)) return true;
  }
  return false;
}

std::optional<int> Ledger::next_attempt(const std::string& cell_id, int process_index,
                                        const samples::Origin& now) const {
  const auto is_of_cell = [&](const auto& entry) { return std::get<0>(entry) == cell_id; };
  if (has_failed(cell_id, now)) return std::nullopt;
  for (auto given_up = given_up_.lower_bound({cell_id, process_index, kFirst});
       given_up != given_up_.end() && is_of_cell(*given_up) && std::get<1>(*given_up) == process_index; ++given_up) {
    if (is_alike(std::get<2>(*given_up), now)) return std::nullopt;
  }
  for (auto count = counts_.lower_bound({cell_id, kFirst}); count != counts_.end() && is_of_cell(count->first);
       ++count) {
    const int origin = count->first.second;
    if (is_alike(origin, now) && completed_.contains({cell_id, process_index, origin})) return std::nullopt;
    const bool is_of_this_build = origins_[static_cast<std::size_t>(origin)].origin.build_sha256 == now.build_sha256;
    if (is_of_this_build && count->second >= processes_) return std::nullopt;
  }
  int made = 0;
  for (auto attempt = attempts_made_.lower_bound({cell_id, process_index, kFirst});
       attempt != attempts_made_.end() && is_of_cell(attempt->first) && std::get<1>(attempt->first) == process_index;
       ++attempt) {
    if (is_alike(std::get<2>(attempt->first), now)) made = std::max(made, attempt->second);
  }
  return made + 1;
}

bool Ledger::has_completed(const std::string& cell_id, int process_index) const {
  const auto completed = completed_.lower_bound({cell_id, process_index, kFirst});
  return completed != completed_.end() && std::get<0>(*completed) == cell_id &&
         std::get<1>(*completed) == process_index;
}

const samples::Provenance* Ledger::other_build(const std::string& cell_id, const std::string& build) const {
  for (auto count = counts_.lower_bound({cell_id, kFirst}); count != counts_.end() && count->first.first == cell_id;
       ++count) {
    const Made& made = origins_[static_cast<std::size_t>(count->first.second)];
    if (made.origin.build_sha256 != build) return &made.with;
  }
  return nullptr;
}

std::optional<std::string> Ledger::model_sha256(const work::ModelKey& model) const {
  const auto found = models_.find(model);
  if (found == models_.end()) return std::nullopt;
  return found->second;
}

StillMissing::StillMissing(const work::Job& job) {
  const bool can_make_references = !job.reference || job.place_of(*job.reference).why_missing.empty();
  std::vector<bool> lacks_reference(job.models.size(), !can_make_references);
  for (const work::GivenReference& given : job.given_references) {
    lacks_reference[static_cast<std::size_t>(given.model_index)] = job.reference && given.path.empty();
  }
  for (const work::Cell& cell : job.cells) {
    if (!job.place_of(job.compiler_of(cell)).why_missing.empty()) without_toolchain_.insert(cell.id);
    if (lacks_reference[static_cast<std::size_t>(cell.model_index)]) without_reference_.insert(cell.id);
  }
}

bool StillMissing::operator()(const std::string& cell_id, samples::FailureKind kind) const {
  return kind == samples::FailureKind::no_reference ? without_reference_.contains(cell_id)
                                                    : without_toolchain_.contains(cell_id);
}

}  // namespace ngb::agent

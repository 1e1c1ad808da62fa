// SPDX-License-Identifier: Apache-2.0
// Provides the reference outputs of a group: found on the device, given by the client, or made here.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "agent/runner.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;
using work::WorkerRequest;

// Returns why a reference has no outputs, in one line. An adaptor may say itself what computes.
std::string why_none(const work::Compiler& reference, const ProcessResult& result, const std::string& folder) {
  const std::string& message = result.failure->message;
  const auto own_name = result.facts.find("computed_by");
  const std::string who = own_name == result.facts.end() ? reference_name(reference) : own_name->second;
  return fmt::format("{} could not make its outputs ({}): {}; log: {}{}", who, samples::name(result.failure->kind),
                     message.substr(0, message.find('\n')), folder, result.log_path);
}

Failure no_reference(std::string message, std::string advice = {}) {
  Failure failure;
  failure.kind = FailureKind::no_reference;
  failure.message = std::move(message);
  failure.advice = std::move(advice);
  return failure;
}

}  // namespace

// Returns the group's search. Precondition: the job has a reference.
ReferenceSearch& Runner::search() { return searches_.try_emplace(group_, job_, group()).first->second; }

// Returns the compiler that makes the group's reference outputs. Precondition: the job has a reference.
const work::Compiler& Runner::reference() const {
  const auto found = searches_.find(group_);
  return found == searches_.end() ? *job_.reference : found->second.candidate();
}

// Returns the path of the group's reference outputs if they are made here. Those that were compared
// with others are of this run only.
std::filesystem::path Runner::reference_file() const {
  const auto found = searches_.find(group_);
  const bool is_compared = found != searches_.end() && found->second.is_compared();
  const bool is_kept = !is_compared && !job_.reference_cache.empty();
  const std::filesystem::path folder =
      is_kept ? std::filesystem::path(job_.reference_cache) : surroundings_.work_folder / "references";
  const samples::Provenance& made_with = build_of(reference(), model()).with;
  return folder / (reference_key(model(), job_.protocol, reference(), made_with) + ".ref");
}

// Returns the key of the group's reference outputs. Outputs that the client gave have the key that it gave with them.
std::string Runner::key_of_reference() const {
  const work::GivenReference* const given = job_.given_reference(group().model_index);
  if (given != nullptr && !given->path.empty()) return given->key;
  return reference_key(model(), job_.protocol, reference(), build_of(reference(), model()).with);
}

Status Runner::begin_reference() {
  if (!job_.reference) {
    reference_path_.emplace();
    return Done{};
  }
  if (const work::GivenReference* const given = job_.given_reference(group().model_index); given != nullptr) {
    return use_given(*given);
  }
  if (search().is_settled()) return end_search();
  const work::Compiler& candidate = search().candidate();
  if (!search().is_first() && !job_.place_of(candidate).why_missing.empty()) {
    search().is_missing();
    return Done{};
  }
  if (file_->no_file && needs_file(candidate)) {
    search().has_failed(fmt::format("{} has no file: {}", reference_name(candidate), file_->no_file->message));
    return Done{};
  }
  if (const Result<ReferenceFile> made = references_.look(reference_file())) {
    search().has_made(reference_file().string(), *made);
    return Done{};
  }
  return make_reference(candidate);
}

Status Runner::use_given(const work::GivenReference& given) {
  if (given.path.empty()) {
    return fail_group(
        no_reference(fmt::format("{} is not installed on this device, and the client could not make its outputs: {}",
                                 reference_name(reference()), given.why_not)));
  }
  const Result<ReferenceFile> found = references_.look(given.path);
  if (!found) {
    return fail_group(
        no_reference("the reference outputs that the client has made: " + text::to_utf8(found.error().text()),
                     "run ngb cancel with the results folder, then run the study again, which delivers them anew"));
  }
  reference_path_ = given.path;
  reference_sha256_ = found->sha256;
  reference_reason_ = found->doubt.empty() ? "" : found->made_by + ": " + found->doubt;
  return Done{};
}

Status Runner::make_reference(const work::Compiler& candidate) {
  const std::filesystem::path path = reference_file();
  if (const Status made = file::make_folder(path.parent_path()); !made) return error_of(made);
  WorkerRequest request = request_for(candidate);
  request.task = work::Task::make_references;
  request.cell_id = "reference";
  request.attempt = tries_ + 1;
  request.reference_path = file::partial_path(path).string();
  if (search().is_compared()) request.unconfirmed_outputs = search().unconfirmed();
  start({std::move(request)});
  return Done{};
}

// Uses the outputs of the candidate that judges, or none.
Status Runner::end_search() {
  reference_reason_ = search().reason();
  if (search().has_nobody()) {
    if (is_for_references()) return fail_group(no_reference(reference_reason_));
    reference_path_.emplace();
    reference_sha256_.clear();
    return Done{};
  }
  const Result<ReferenceFile> found = references_.look(reference_file());
  if (!found) return make_reference(search().candidate());  // it was removed meanwhile
  reference_path_ = reference_file();
  reference_sha256_ = found->sha256;
  return Done{};
}

// Returns true if the processes, which took turns or of which there is one, are run again because a third compiler is
// asked who is right, or was wrong itself.
bool Runner::asks_a_third(const std::vector<WorkerRequest>& requests, const std::vector<ProcessResult>& results) {
  const WorkerRequest& any = requests.front();
  if (!job_.reference || any.reference_path.empty() || any.reference_is_given) return false;
  const auto differs = [](const ProcessResult& result) {
    return result.failure && result.failure->kind == FailureKind::inaccurate;
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& compiler = requests[i].compiler.name;
    if (search().is_on_trial()) {
      if (compiler != search().questioned_by()) continue;
      using Trial = ReferenceSearch::Trial;
      const Trial end = !results[i].failure ? Trial::agrees : differs(results[i]) ? Trial::differs : Trial::failed;
      search().end_trial(end);
      if (end == Trial::agrees) return false;
    } else if (!differs(results[i]) || !search().question(requests[i].compiler)) {
      continue;
    }
    reference_path_.reset();
    return true;
  }
  return false;
}

// Records the path of the reference outputs: a job for references needs nothing else of a group.
Status Runner::record_reference(std::string path) {
  return record({0, samples::ReferenceMade{.model = model().key, .path = std::move(path), .key = key_of_reference()}});
}

Status Runner::end_reference(const std::filesystem::path& written, const ProcessResult& result) {
  std::error_code code;
  if (const std::optional<Failure> changed = changed_file()) {
    std::filesystem::remove(written, code);
    return fail_group(*changed);
  }
  ProcessResult ended = result;
  if (!ended.failure) {
    const Status adopted = adopt_reference(written, reference_file());
    if (adopted) return Done{};  // begin_reference finds the file
    ended.failure.emplace();
    ended.failure->message = text::to_utf8(adopted.error().text());
  }
  std::filesystem::remove(written, code);
  if (const Status full = stop_when_disk_is_full(*ended.failure); !full) return full;
  // Only the study's reference is tried again: others stand in for it.
  if (search().is_first() && !samples::is_final(ended.failure->kind, ++tries_, job_.limits)) return Done{};
  tries_ = 0;
  search().has_failed(why_none(search().candidate(), ended, is_for_references() ? "" : "devices/" + job_.device + "/"));
  return Done{};
}

}  // namespace ngb::agent

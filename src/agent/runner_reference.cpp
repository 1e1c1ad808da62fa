// SPDX-License-Identifier: Apache-2.0
// Provides the reference outputs of a group: found on the device, given by the client, or made here.
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "agent/runner.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;
using work::WorkerRequest;

}  // namespace

// Returns the compiler that makes the group's reference outputs. Precondition: the job has a reference.
const work::Compiler& Runner::reference() const {
  return first_reference_failed_.contains(group_) ? *job_.second_reference : *job_.reference;
}

// Returns the path of the group's reference outputs if they are made here.
std::filesystem::path Runner::reference_file() const {
  const std::filesystem::path folder = job_.reference_cache.empty() ? surroundings_.work_folder / "references"
                                                                    : std::filesystem::path(job_.reference_cache);
  const samples::Provenance& made_with = build_of(reference(), model()).with;
  return folder / (reference_key(model(), job_.protocol.seed, reference(), made_with) + ".ref");
}

// Returns the key of the group's reference outputs. Outputs that the client gave have the key that it gave with them.
std::string Runner::key_of_reference() const {
  const work::GivenReference* const given = job_.given_reference(group().model_index);
  if (given != nullptr && !given->path.empty()) return given->key;
  return reference_key(model(), job_.protocol.seed, reference(), build_of(reference(), model()).with);
}

Status Runner::begin_reference() {
  if (!job_.reference) {
    reference_path_.emplace();
    return Done{};
  }
  const work::GivenReference* const given = job_.given_reference(group().model_index);
  const bool is_given = given != nullptr && !given->path.empty();
  const std::filesystem::path path = is_given ? std::filesystem::path(given->path) : reference_file();
  const Result<std::string> sha256 = references_.look(path);
  if (sha256) {
    reference_path_ = path;
    reference_sha256_ = *sha256;
    return Done{};
  }
  if (is_given) {
    Failure failure;
    failure.kind = FailureKind::no_reference;
    failure.message = "the reference outputs that the client has made: " + text::to_utf8(sha256.error().text());
    failure.advice = "run ngb cancel with the results folder, then run the study again, which delivers them anew";
    return fail_group(failure);
  }
  if (given != nullptr && !is_given) {
    Failure failure;
    failure.kind = FailureKind::no_reference;
    failure.message = fmt::format("{} is not installed on this device, and the client could not make its outputs: {}",
                                  reference_name(reference()), given->why_not);
    return fail_group(failure);
  }
  if (file_->no_file && needs_file(reference())) {
    Failure failure = *file_->no_file;
    failure.message = fmt::format("{} cannot make the reference outputs ({}): {}", reference_name(reference()),
                                  samples::name(failure.kind), failure.message);
    failure.kind = FailureKind::no_reference;
    return fail_group(failure);
  }
  if (const Status made = file::make_folder(path.parent_path()); !made) return error_of(made);
  WorkerRequest request = request_for(reference());
  request.task = work::Task::make_references;
  request.cell_id = "reference";
  request.attempt = tries_ + 1;
  request.reference_path = file::partial_path(path).string();
  start({std::move(request)});
  return Done{};
}

// Records the path of the reference outputs: a job for references needs nothing else of a group.
Status Runner::record_reference(std::string path) {
  return record({0, samples::ReferenceMade{.model = model().key, .path = std::move(path), .key = key_of_reference()}});
}

Status Runner::end_reference(const std::filesystem::path& written, const ProcessResult& result) {
  std::optional<Failure> failure = changed_file();
  if (failure) {
    std::error_code code;
    std::filesystem::remove(written, code);
    return fail_group(*failure);
  }
  failure = result.failure;
  if (!failure) {
    const std::filesystem::path path = written.parent_path() / (written.stem().stem().string());
    const Status adopted = adopt_reference(written, path);
    const Result<std::string> sha256 = references_.look(path);
    if (adopted && sha256) {
      reference_path_ = path;
      reference_sha256_ = *sha256;
      return Done{};
    }
    failure.emplace();
    failure->message = text::to_utf8((adopted ? sha256.error() : adopted.error()).text());
  }
  std::error_code code;
  std::filesystem::remove(written, code);
  if (const Status full = stop_when_disk_is_full(*failure); !full) return full;
  if (!samples::is_final(failure->kind, ++tries_, job_.limits)) return Done{};
  if (failure->kind == FailureKind::unsupported_operator && job_.second_reference &&
      first_reference_failed_.emplace(group_, *failure).second) {
    tries_ = 0;
    return Done{};
  }
  if (const auto first = first_reference_failed_.find(group_); first != first_reference_failed_.end()) {
    failure->message += fmt::format("; {}: {}", reference_name(*job_.reference), first->second.message);
  }
  failure->message = fmt::format("{} could not make the reference outputs ({}): {}", reference_name(reference()),
                                 samples::name(failure->kind), failure->message);
  failure->kind = FailureKind::no_reference;
  return fail_group(*failure);
}

}  // namespace ngb::agent

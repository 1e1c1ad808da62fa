// SPDX-License-Identifier: Apache-2.0
#include "agent/group_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/workers/model_writing.h"
#include "base/file.h"
#include "base/removal.h"
#include "base/text.h"

namespace ngb::agent {

namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;

// Returns why a reference has no outputs, in one line. An adaptor may say itself what computes.
std::string why_none(const work::Compiler& reference, const ProcessResult& result, const Failure& why,
                     const std::string& folder) {
  const auto own_name = result.facts.find("computed_by");
  const std::string who = own_name == result.facts.end() ? reference_name(reference) : own_name->second;
  return fmt::format("{} could not make its outputs ({}): {}; log: {}{}", who, samples::name(why.kind),
                     why.message.substr(0, why.message.find('\n')), folder, result.log_path);
}

Failure no_reference(std::string message, std::string advice = {}) {
  Failure failure;
  failure.kind = FailureKind::no_reference;
  failure.message = std::move(message);
  failure.advice = std::move(advice);
  return failure;
}

bool makes_only_references(const work::Job& job) { return job.task == work::Task::make_references; }

}  // namespace

GroupReference::GroupReference(const work::Job& job, const work::Group& group, const JobBuilds& builds,
                               CheckedReferences& files, const std::filesystem::path& folder)
    : job_(job),
      is_for_agreement_(!job.model_of(group).exact.empty()),
      model_(is_for_agreement_ ? work::exact_of(job.model_of(group)) : job.model_of(group)),
      builds_(builds),
      files_(files),
      folder_(folder),
      given_(job.given_reference(group.model_index)),
      search_(job, group) {}

// Returns the path of outputs that are made here. Those that were compared with others are of this run only.
std::filesystem::path GroupReference::file() const {
  const bool is_kept = !search_.is_compared() && !job_.reference_cache.empty();
  const std::filesystem::path folder = is_kept ? std::filesystem::path(job_.reference_cache) : folder_;
  return folder / (own_key() + ".ref");
}

std::string GroupReference::key() const { return is_given() ? given_->key : own_key(); }

std::string GroupReference::own_key() const {
  return reference_key(model_, job_.protocol, compiler(), builds_.of(compiler(), model_).with, is_for_agreement_);
}

GroupReference::Next GroupReference::next(const std::optional<Failure>& no_file) {
  if (model_.is_compiled()) {
    return Judge{
        {},
        {},
        model_.decoding
            ? "it is a compiled file that keeps its cache, which nothing else can run"
            : "it is a compiled file, which nothing else can run; the key variant_of names what it was made of"};
  }
  if (given_ != nullptr) return use_given();
  while (!search_.is_settled()) {
    const work::Compiler& candidate = search_.candidate();
    if (!search_.is_first() && !job_.place_of(candidate).why_missing.empty()) {
      search_.is_missing();
    } else if (no_file && needs_file(job_, model_, candidate)) {
      search_.has_failed(fmt::format("{} has no file: {}", reference_name(candidate), no_file->message));
    } else if (const Result<ReferenceFile> made = files_.look(file())) {
      search_.has_made(file().string(), *made);
    } else {
      return making();
    }
  }
  return end_search();
}

GroupReference::Next GroupReference::use_given() {
  if (!is_given()) {
    return no_reference(fmt::format("{} is not installed on this device, and the client could not make its outputs: {}",
                                    reference_name(compiler()), given_->why_not));
  }
  const Result<ReferenceFile> found = files_.look(given_->path);
  if (!found) {
    return no_reference("the reference outputs that the client has made: " + text::to_utf8(found.error().text()),
                        "run ngb cancel with the results folder, then run the study again, which delivers them anew");
  }
  return Judge{given_->path, found->sha256, found->doubt.empty() ? "" : found->made_by + ": " + found->doubt};
}

// Uses the outputs of the candidate that judges, or none.
GroupReference::Next GroupReference::end_search() {
  if (search_.has_no_judge()) {
    if (makes_only_references(job_)) return no_reference(search_.reason());
    return Judge{{}, {}, search_.reason()};
  }
  const Result<ReferenceFile> found = files_.look(file());
  if (!found) return making();  // it was removed meanwhile
  return Judge{file(), found->sha256, search_.reason()};
}

GroupReference::Making GroupReference::making() const {
  return {&compiler(), file(), search_.is_compared() ? search_.unconfirmed() : std::vector<std::string>{}, tries_ + 1,
          !search_.is_first()};
}

std::optional<std::string> GroupReference::kept() {
  const Result<ReferenceFile> made = files_.look(file());
  return made && made->doubt_kind.empty() ? std::optional(file().string()) : std::nullopt;
}

std::optional<Failure> GroupReference::adopt(const std::filesystem::path& written, const ProcessResult& result) {
  std::optional<Failure> failure = result.failure;
  if (!failure) {
    const Status adopted = adopt_reference(written, file());
    if (adopted) return std::nullopt;  // `next` finds the file
    failure.emplace().message = text::to_utf8(adopted.error().text());
  }
  file::remove(written);
  return failure;
}

// Only the study's reference is tried again, because other references stand in for it.
void GroupReference::has_failed(const ProcessResult& result, const Failure& why) {
  if (search_.is_first() && !samples::is_final(why.kind, ++tries_, job_.limits)) return;
  tries_ = 0;
  search_.has_failed(
      why_none(compiler(), result, why, makes_only_references(job_) ? "" : "devices/" + job_.device + "/"));
}

bool GroupReference::asks_a_third(const std::vector<work::WorkerRequest>& requests,
                                  const std::vector<ProcessResult>& results) {
  const auto differs = [](const ProcessResult& result) {
    return result.failure && result.failure->kind == FailureKind::inaccurate;
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& name = requests[i].compiler.name;
    if (search_.is_on_trial()) {
      if (name != search_.questioned_by()) continue;
      using Trial = ReferenceSearch::Trial;
      const Trial end = !results[i].failure ? Trial::agrees : differs(results[i]) ? Trial::differs : Trial::failed;
      search_.end_trial(end);
      if (end == Trial::agrees) return false;
    } else if (!differs(results[i]) || !search_.question(requests[i].compiler)) {
      continue;
    }
    return true;
  }
  return false;
}

ReferenceSearch::ReferenceSearch(const work::Job& job, const work::Group& group) {
  candidates_.push_back(&*job.reference);
  for (const work::Compiler& other : job.other_references) candidates_.push_back(&other);
  references_ = candidates_.size();
  for (const work::Step& step : group.steps) {
    const work::Compiler& compiler = job.compiler_of(job.cell_of(step));
    const bool is_known = std::any_of(candidates_.begin(), candidates_.end(),
                                      [&](const work::Compiler* each) { return each->name == compiler.name; });
    if (!is_known) candidates_.push_back(&compiler);
  }
}

void ReferenceSearch::has_made(const std::string& path, const ReferenceFile& file) {
  if (judge_) {
    if (!file.confirmed_by.empty()) return judge_again();
    if (!file.doubt_kind.empty()) return next();
    is_settled_ = true;
    third_made_by_ = file.made_by;
    trial_reason_ = made_by_ + " is the outlier among three: " + questioned_by_ + " agrees with " + file.made_by;
    return;
  }
  path_ = path;
  made_by_ = file.made_by;
  if (file.doubt_kind == "random") {
    add_reason(file.made_by + ": " + file.doubt);
    has_no_judge_ = is_settled_ = true;
    return;
  }
  if (!file.doubt_kind.empty()) {
    add_reason(doubts_.contains(file.doubt) ? "the same of " + file.made_by : file.made_by + ": " + file.doubt);
    doubts_.insert(file.doubt);
    if (!doubtful_ && !needs_another()) doubtful_ = at_;
    next();
    return;
  }
  if (needs_another() && file.confirmed_by.empty()) {
    unconfirmed_.push_back(path);
    next();
    return;
  }
  is_settled_ = true;
}

void ReferenceSearch::has_failed(const std::string& why) {
  if (!judge_) add_reason(why);
  next();
}

bool ReferenceSearch::question(const work::Compiler& compiler) {
  if (!questioned_by_.empty() || has_no_judge_) return false;
  questioned_by_ = compiler.name;
  judge_ = at_;
  is_settled_ = false;
  next();
  return judge_.has_value();
}

void ReferenceSearch::end_trial(Trial end) {
  if (end == Trial::failed) return judge_again();
  judge_.reset();
  if (end == Trial::differs) {
    add_reason("the outputs of " + made_by_ + ", " + questioned_by_ + " and " + third_made_by_ +
               " differ from each other, so that none is known to be right");
    has_no_judge_ = true;
    return;
  }
  third_stays_ = true;
  add_reason(trial_reason_);
}

void ReferenceSearch::judge_again() {
  at_ = *judge_;
  judge_.reset();
  is_settled_ = true;
}

void ReferenceSearch::add_reason(const std::string& why) { reason_ += (reason_.empty() ? "" : "; ") + why; }

void ReferenceSearch::next() {
  ++at_;
  if (judge_) {
    const std::string& judge = candidates_[*judge_]->name;
    while (at_ < candidates_.size() && (candidate().name == questioned_by_ || candidate().name == judge)) ++at_;
    if (at_ == candidates_.size()) judge_again();
    return;
  }
  if (needs_another() && doubtful_) {
    at_ = *doubtful_;
    is_settled_ = true;
  } else if (at_ == candidates_.size()) {
    at_ = 0;
    has_no_judge_ = is_settled_ = true;
  }
}

}  // namespace ngb::agent

// SPDX-License-Identifier: Apache-2.0
#include "agent/reference_search.h"

#include <algorithm>

namespace ngb::agent {

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
    has_nobody_ = is_settled_ = true;
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
  if (!questioned_by_.empty() || has_nobody_) return false;
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
    has_nobody_ = true;
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
    has_nobody_ = is_settled_ = true;
  }
}

}  // namespace ngb::agent

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
  add_reason(why);
  next();
}

void ReferenceSearch::add_reason(const std::string& why) { reason_ += (reason_.empty() ? "" : "; ") + why; }

void ReferenceSearch::next() {
  ++at_;
  if (needs_another() && doubtful_) {
    at_ = *doubtful_;
    is_settled_ = true;
  } else if (at_ == candidates_.size()) {
    at_ = 0;
    has_nobody_ = is_settled_ = true;
  }
}

}  // namespace ngb::agent

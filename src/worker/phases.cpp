// SPDX-License-Identifier: Apache-2.0
#include "worker/phases.h"

#include <exception>
#include <new>

#include "base/text.h"
#include "worker/resources.h"

namespace ngb::worker {

using samples::FailureKind;

Phases::Phases(const work::WorkerRequest& request, samples::ProgressPage* page) : page_(page) {
  result_.cell_id = request.cell_id;
  result_.process_index = request.process_index;
  result_.attempt = request.attempt;
  result_.threads_used = Known<int>::unknown("nothing was timed");
}

bool Phases::run(samples::Phase phase, const Step& step) {
  const PhaseMeter meter(phase, page_);
  Attempt<Done> attempt;
  try {
    attempt = step();
  } catch (const std::bad_alloc&) {
    attempt = tl::unexpected(failure_of(FailureKind::out_of_memory, {"the worker has no memory left", {}, {}}));
  } catch (const std::exception& error) {
    attempt = tl::unexpected(failure_of(FailureKind::internal, {text::to_utf8(error.what()), "worker", {}}));
  }
  result_.phases.push_back(meter.end());
  if (attempt) return true;
  result_.failure = attempt.error();
  result_.failure->phase = phase;
  return false;
}

}  // namespace ngb::worker

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "samples/process_result.h"
#include "samples/progress_page.h"
#include "work/job.h"
#include "worker/plugin_session.h"

namespace ngb::worker {

// Runs the steps of a process as its phases, and holds the process's result.
class Phases {
 public:
  using Step = std::function<Attempt<Done>()>;

  // `page` may be null.
  Phases(const work::WorkerRequest& request, samples::ProgressPage* page);

  // Runs the step as a phase. Returns false if it failed; then the result holds the failure.
  bool run(samples::Phase phase, const Step& step);
  [[nodiscard]] samples::ProcessResult& result() { return result_; }
  [[nodiscard]] samples::ProgressPage* page() const { return page_; }

 private:
  samples::ProgressPage* page_;
  samples::ProcessResult result_;
};

}  // namespace ngb::worker

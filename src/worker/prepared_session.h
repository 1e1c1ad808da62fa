// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "work/job.h"
#include "worker/inputs.h"
#include "worker/instances.h"
#include "worker/pass.h"
#include "worker/pauses.h"
#include "worker/plugin_session.h"
#include "worker/profiling.h"
#include "worker/repetitions.h"
#include "worker/timed_loop.h"
#include "worker/turns.h"

namespace ngb::worker {

// All that runs the inferences of a session. Each part uses those before it.
struct Timing {
  Timing(const work::WorkerRequest& request, Session& session, std::uint32_t slots, const MadeUp& made_up,
         samples::RunCount* done, std::unique_ptr<Pass> passes_of_model);
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  std::unique_ptr<Pass> passes;  // of a model whose repetitions are passes; else null
  TimedRepeater repeater;
  Pauses pauses;
  ProfilingRepeater profiling;
  TurnTaker turns;
  Repetitions repetitions;
};

// A compiler's session from its opening to the first inference, with the inputs of the study.
class PreparedSession {
 public:
  // What the compiler reports is added to `facts`. All of the arguments outlive this object; `page` may be null.
  PreparedSession(const work::WorkerRequest& request, const ngb_compiler& compiler, samples::ProgressPage* page,
                  const Instance& instance, std::map<std::string, std::string>& facts);

  // The next three are called in this order; after a failure nothing may be called.

  // Pins the process to its processors and opens the compiler.
  Attempt<Done> open();
  // Compiles the model, or loads what another process has compiled; with several sessions, each.
  Attempt<Done> compile();
  // Runs one inference on the fixed inputs, or the first pass: the process's first repetition. Returns its outputs,
  // which the next call of one of these functions overwrites.
  Attempt<std::vector<OutputView>> infer_first();
  // Returns the outputs of the last inference. If repetitions are passes, it runs one more pass and returns its
  // outputs.
  Attempt<std::vector<OutputView>> last_outputs();

  // Runs an inference on other inputs, which is no repetition. The inputs outlive it.
  Attempt<std::vector<OutputView>> infer_on(const Inputs& inputs);
  // Binds the fixed inputs again, after infer_on.
  Attempt<Done> bind_again();
  // Returns the failure of the inference that failed, or nothing if it has succeeded.
  [[nodiscard]] Attempt<Done> attempt(bool succeeded) const;
  // Adds what the compiler reports by now to the facts.
  void learn_facts();

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] Inputs& inputs() { return inputs_; }
  [[nodiscard]] Timing& timing() { return *timing_; }  // exists from infer_first on

 private:
  [[nodiscard]] Attempt<Done> check_version() const;
  Attempt<Done> begin_timing();
  Attempt<Done> open_and_compile_further();
  Attempt<std::unique_ptr<Pass>> make_passes(std::uint32_t slots);
  Attempt<std::unique_ptr<Pass>> make_visits();
  [[nodiscard]] SessionUse use() const;

  const work::WorkerRequest& request_;
  const ngb_compiler& compiler_;
  samples::ProgressPage* page_;
  const Instance& instance_;
  std::map<std::string, std::string>& facts_;
  samples::RunCount uncounted_{};  // counts repetitions while there is no page
  Inputs inputs_;                  // these two outlive the session, which is bound to them
  std::optional<Timing> timing_;
  Session session_;
  // Of a model that visits shapes without being compiled for any: a session for each that is not as those before it.
  std::vector<std::unique_ptr<Session>> further_{};
  std::vector<std::size_t> session_of_shape_{};  // 0: the first; 1 …: of further_
};

}  // namespace ngb::worker

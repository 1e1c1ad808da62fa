// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "probe/energy.h"
#include "worker/output_checks.h"
#include "worker/phases.h"
#include "worker/prepared_session.h"
#include "worker/reference_outputs.h"
#include "worker/sizes.h"
#include "worker/timed_part.h"
#include "worker/worker.h"

namespace ngb::worker {
namespace {

using samples::FailureKind;
using samples::Phase;
using samples::ProcessResult;

// Before the compiler is opened, a process that can read a meter of energy does nothing for this long.
constexpr std::chrono::milliseconds kIdleWindow{500};

bool open_and_compile(const work::WorkerRequest& request, PreparedSession& prepared, Phases& phases) {
  return phases.run(Phase::open, [&] { return prepared.open(); }) &&
         phases.run(request.loads_artifact ? Phase::load : Phase::compile, [&] { return prepared.compile(); });
}

// The plain repetitions are kept as those of the warm-up: they are no speed.
void add_profile(const work::WorkerRequest& request, const ProfilingRepeater& profiling, ProcessResult& result) {
  const std::string graph = request.model.is_compiled() ? "" : request.model_path;
  auto profile = profiling.profile(result.repetitions, graph, request.model.inputs);
  if (profile)
    result.profile = *std::move(profile);
  else
    result.failure = failure_of(FailureKind::invalid_model, profile.error());
  for (samples::Repetition& each : result.repetitions) each.is_warm_up = true;
}

// Adds what metrics need of a model that reads or generates tokens.
void add_tokens(const work::Model& model, const Timing& timing, ProcessResult& result) {
  if (timing.passes) timing.passes->add_to(result);
  if (model.prompt_tokens == 0) return;
  result.readings.push_back({"prompt_tokens", "1", "timed", Known<double>::of(model.prompt_tokens)});
}

Attempt<Done> write_outputs(const work::WorkerRequest& request, const ngb_compiler& compiler, PreparedSession& prepared,
                            const ProcessResult& result) {
  const Attempt<std::vector<OutputView>> outputs = prepared.infer_first();
  if (!outputs) return error_of(outputs);
  const auto own_name = result.facts.find("computed_by");
  const std::string made_by = own_name == result.facts.end() ? request.reference_name : own_name->second;
  const auto infer_again = [&]() -> Attempt<std::vector<OutputView>> {
    const Attempt<Done> ran = prepared.timing().passes ? Done{} : prepared.session().run();
    if (!ran) return error_of(ran);
    return prepared.last_outputs();
  };
  return write_reference_outputs(request, made_by, *outputs,
                                 {compiler, prepared.session(), prepared.inputs(), infer_again},
                                 [&](const Inputs& inputs) { return prepared.infer_on(inputs); });
}

}  // namespace

ProcessResult measure(const work::WorkerRequest& request, const ngb_compiler& compiler, samples::ProgressPage* page,
                      const Instance& instance) {
  Phases phases(request, page);
  ProcessResult& result = phases.result();
  PreparedSession prepared(request, compiler, page, instance, result.facts);
  OutputChecks checks(request, prepared, result, request.process_index == 0 && instance.is_first());
  std::vector<samples::Reading> idle;  // power of the machine before the compiler was opened
  const bool is_prepared = instance.first_alone([&] {
    if (instance.is_first()) idle = probe::idle_powers(kIdleWindow);
    return open_and_compile(request, prepared, phases) && phases.run(Phase::check, [&] { return checks.check(); });
  });
  if (!is_prepared) return std::move(result);
  TimedPart timed(request, instance, prepared, phases);
  timed.run(idle);
  if (result.failure) return std::move(result);
  prepared.learn_facts();  // some concern the run: memory, recompilation
  add_sizes(request.model_path, request.model, prepared.session().artifact_bytes(), result.readings);
  add_tokens(request.model, prepared.timing(), result);
  checks.compare_again();
  if (request.protocol.profile)
    add_profile(request, prepared.timing().profiling, result);
  else
    timed.look_longer();
  timed.make_further_sessions(compiler);
  return std::move(result);
}

ProcessResult make_reference(const work::WorkerRequest& request, const ngb_compiler& compiler,
                             samples::ProgressPage* page) {
  Phases phases(request, page);
  const Instance only;
  PreparedSession prepared(request, compiler, page, only, phases.result().facts);
  if (open_and_compile(request, prepared, phases)) {
    phases.run(Phase::check, [&] { return write_outputs(request, compiler, prepared, phases.result()); });
  }
  return std::move(phases.result());
}

}  // namespace ngb::worker

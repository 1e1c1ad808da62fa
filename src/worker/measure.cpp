// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "probe/energy.h"
#include "probe/probe.h"
#include "worker/agreement_runs.h"
#include "worker/allocator.h"
#include "worker/arrivals.h"
#include "worker/check.h"
#include "worker/inputs.h"
#include "worker/judging.h"
#include "worker/pauses.h"
#include "worker/plugin.h"
#include "worker/plugin_session.h"
#include "worker/profiling.h"
#include "worker/reference_file.h"
#include "worker/reference_outputs.h"
#include "worker/repetitions.h"
#include "worker/resources.h"
#include "worker/sizes.h"
#include "worker/subnormals.h"
#include "worker/threads.h"
#include "worker/timed_loop.h"
#include "worker/turns.h"
#include "worker/worker.h"

namespace ngb::worker {
namespace {

using samples::FailureKind;
using samples::Phase;

// Before the compiler is opened, a process that can read a meter of energy does nothing for this long.
constexpr std::chrono::milliseconds kIdleWindow{500};

class Process {
 public:
  Process(const work::WorkerRequest& request, const ngb_compiler& compiler, samples::ProgressPage* page,
          const Instance& instance)
      : request_(request), compiler_(compiler), instance_(instance), session_(compiler), page_(page) {
    result_.cell_id = request.cell_id;
    result_.process_index = request.process_index;
    result_.attempt = request.attempt;
    result_.threads_used = Known<int>::unknown("nothing was timed");
  }

  samples::ProcessResult measure() {
    const bool is_prepared = instance_.first_alone([this] {
      if (instance_.is_first()) idle_ = probe::idle_powers(kIdleWindow);
      return prepare() && in_phase(Phase::check, [this] { return check(); });
    });
    if (is_prepared) time();
    return std::move(result_);
  }

  samples::ProcessResult make_reference() {
    if (prepare()) in_phase(Phase::check, [this] { return write_outputs(); });
    return std::move(result_);
  }

 private:
  using Step = std::function<Attempt<Done>()>;
  bool prepare() {
    if (!in_phase(Phase::open, [this] { return open(); })) return false;
    return in_phase(request_.loads_artifact ? Phase::load : Phase::compile, [this] { return compile(); });
  }

  // Runs the step as a phase. Returns false if it failed; then the result holds the failure.
  bool in_phase(Phase phase, const Step& step) {
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

  void learn_facts() {
    for (auto& [key, value] : session_.facts()) result_.facts[key] = value;
  }

  Attempt<Done> open() {
    if (const std::optional<Error> few = too_few_processors(request_.compiler, probe::allowed_cpus().size())) {
      return tl::unexpected(failure_of(FailureKind::invalid_option, *few));
    }
    const Result<std::string> pinned = pin_to_cpus(request_.compiler.threads, instance_.index(), instance_.count());
    if (!pinned) return tl::unexpected(failure_of(FailureKind::internal, pinned.error()));
    Attempt<Done> opened =
        session_.open(request_.compiler, request_.place, request_.cache_dir, page_, request_.protocol.profile);
    if (opened) learn_facts();
    result_.facts["affinity"] = *pinned;
    return opened ? check_version() : opened;
  }

  Attempt<Done> compile() {
    const bool has_artifact = request_.loads_artifact || instance_.is_first();  // one instance keeps it
    const std::string artifact = has_artifact ? request_.artifact_path : "";
    Attempt<Done> compiled = request_.loads_artifact ? session_.load(request_.model_path, request_.model, artifact)
                                                     : session_.compile(request_.model_path, request_.model, artifact);
    if (compiled) learn_facts();
    return compiled ? check_version() : compiled;
  }

  // A library reports its version once it is loaded, which happens when it is opened or when it compiles.
  Attempt<Done> check_version() const {
    const auto reported = result_.facts.find("version");
    if (reported == result_.facts.end()) return Done{};
    const Status fits = check_same_version(reported->second, request_.compiler, request_.place);
    return fits ? Attempt<Done>(Done{}) : tl::unexpected(failure_of(FailureKind::fallback, fits.error()));
  }

  // Runs one inference on the fixed inputs.
  Attempt<std::vector<OutputView>> infer_once() {
    Attempt<Inputs> inputs = inputs_of(request_.model, request_.protocol.seed);
    if (!inputs) return error_of(inputs);
    inputs_ = std::move(*inputs);
    Attempt<Done> done = session_.bind(*inputs_);
    if (done) learn_facts();  // a compiler may only now know where its nodes run
    if (done) done = infer_first();
    if (!done) return error_of(done);
    return session_.outputs();
  }

  // The timed loop runs this inference, which is the first repetition.
  Attempt<Done> infer_first() {
    const std::optional<int> asked = request_.compiler.in_flight;
    const std::uint32_t slots = asked == 1 ? 1 : session_.slots();
    if (slots == 0 || (asked && slots != static_cast<std::uint32_t>(*asked))) {
      return tl::unexpected(
          failure_of(FailureKind::fallback,
                     {fmt::format("{} inferences in flight were requested, and {} has {}",
                                  work::word_of_in_flight(request_.compiler), request_.compiler.name, slots),
                      {},
                      "give in_flight another value, or remove it"}));
    }
    if (asked != 1) result_.facts["in_flight"] = std::to_string(slots);
    repeater_.emplace(session_.target(page_ != nullptr ? &page_->repetitions : &uncounted_), slots,
                      made_up_times(result_.facts, request_));
    pauses_.emplace([this] { return repeater_->infer_untimed(); }, request_.compiler.threads, request_.max_wait_ratio);
    profiling_.emplace(*repeater_, session_);
    turns_.emplace(*profiling_, *pauses_);
    repetitions_.emplace(request_.protocol, *turns_);
    return attempt(repetitions_->infer_first());
  }

  [[nodiscard]] Attempt<Done> attempt(bool succeeded) const {
    if (succeeded) return Done{};
    return tl::unexpected(profiling_->failure() ? *profiling_->failure() : session_.failure(repeater_->status()));
  }

  Attempt<Done> check() {
    const Attempt<std::vector<OutputView>> outputs = infer_once();
    if (!outputs) return error_of(outputs);
    if (request_.reference_path.empty()) {
      result_.check = no_check(request_);
      first_outputs_.emplace(*outputs);  // a change of them is noticed
      return rank(*outputs);
    }
    if (!request_.model.exact.empty()) return agree(*outputs);
    Attempt<Reference> reference = open_reference(request_);
    if (!reference) return error_of(reference);
    const Verdict verdict = judge(*outputs, *reference, request_);
    result_.check = verdict.check;
    if (!verdict.difference) {
      if (result_.check->reference_reason == request_.reference_reason)
        reference_ = *std::move(reference);
      else
        first_outputs_.emplace(*outputs);
      return rank(*outputs);
    }
    return tl::unexpected(failure_of(FailureKind::inaccurate,
                                     {*verdict.difference, "outputs compared with those of " + result_.check->reference,
                                      advice_on(verdict, request_.model.arithmetic)}));
  }

  // Ranks the labels that the study gives for the model, in one process of the cell.
  Attempt<Done> rank(const std::vector<OutputView>& outputs) {
    if (request_.model.labels.empty() || !has_all_inputs()) return Done{};
    auto ranked = rank_labels(request_, outputs, [this](const Inputs& inputs) { return infer_on(inputs); });
    if (!ranked) return error_of(ranked);
    result_.agreement = *std::move(ranked);
    return bind_again();
  }

  [[nodiscard]] bool has_all_inputs() const { return request_.process_index == 0 && instance_.is_first(); }

  Attempt<Done> bind_again() {
    const Attempt<std::vector<OutputView>> again = infer_on(*inputs_);
    return again ? Attempt<Done>(Done{}) : error_of(again);
  }

  // Compares a variant with its exact model: over all inputs in one process of the cell, over one in the others.
  Attempt<Done> agree(const std::vector<OutputView>& outputs) {
    first_outputs_.emplace(outputs);
    const Infer infer = [this](const Inputs& inputs) { return infer_on(inputs); };
    const Attempt<Agreed> agreed = agree_with_exact(request_, first_outputs_->views(), has_all_inputs(), infer);
    if (!agreed) return error_of(agreed);
    result_.check = agreed->check;
    result_.agreement = agreed->inputs;
    return agreed->failure ? tl::unexpected(*agreed->failure) : bind_again();
  }

  Attempt<std::vector<OutputView>> infer_on(const Inputs& inputs) {
    Attempt<Done> done = session_.bind(inputs);
    if (done) done = attempt(repeater_->infer_untimed());
    if (!done) return error_of(done);
    return session_.outputs();
  }

  // Compares the outputs of the last inference with the reference, or with those of the first inference if there is
  // none.
  void compare_again() {
    const Attempt<std::vector<OutputView>> outputs = session_.outputs();
    if (!outputs) return;  // what was measured stays right
    const std::span<const OutputView> before = reference_ ? reference_->outputs() : first_outputs_->views();
    result_.check->output_change = difference(*outputs, before, request_, reference_ ? "the reference" : kFirst);
  }

  Attempt<Done> write_outputs() {
    const Attempt<std::vector<OutputView>> outputs = infer_once();
    if (!outputs) return error_of(outputs);
    const auto own_name = result_.facts.find("computed_by");
    const std::string made_by = own_name == result_.facts.end() ? request_.reference_name : own_name->second;
    return write_reference_outputs(request_, made_by, *outputs, {compiler_, session_, *inputs_},
                                   [this](const Inputs& inputs) { return infer_on(inputs); });
  }

  void time() {
    for (auto& [name, value] : probe::gpu_facts()) result_.facts[name] = value;
    instance_.meet([this] { tell_agent(samples::kWantsLoad); });
    const bool is_warm = in_phase(Phase::warm_up, [this] { return attempt(repetitions_->warm_up()); });
    if (is_warm) {
      instance_.meet([this] { tell_agent(samples::kBeginsTiming); });
      const probe::Snapshot before = probe::snapshot();
      if (takes_turns()) {
        const int turns = request_.protocol.turns;
        turns_->begin(repetitions_of_turn(repetitions_->least(), turns), most_turns_again(turns));
      }
      if (request_.protocol.profile) profiling_->begin();
      const std::uint64_t inferences_before = repetitions_->inferences();
      const ThreadMeter threads;
      samples::Reading page_faults;
      pauses_->begin();  // close to the phase, because a wait counts in percent of it
      in_phase(Phase::timed, [this, &page_faults] {
        const PageFaultMeter meter;  // excludes what the phase's own meter does
        Attempt<Done> timed = attempt(settle());
        if (timed) timed = request_.protocol.arrivals ? serve() : attempt(time_together());
        page_faults = meter.reading(pauses_->wall_ns(), pauses_->page_faults());
        return timed;
      });
      std::vector<samples::Reading> waits = pauses_->waits();
      result_.threads_used = threads.busy_since(result_.phases.back().wall_ns);  // both with the pauses
      pauses_->leave_out_of(result_.phases.back());
      result_.readings = probe::readings_between(before, probe::snapshot());
      if (takes_turns()) forget_machine(result_.readings);
      if (turns_->again() > 0) result_.facts["turns_again"] = std::to_string(turns_->again());
      result_.readings.push_back(inferences_in(
          Phase::timed, server_ ? server_->inferences() : repetitions_->inferences() - inferences_before));
      result_.readings.push_back(page_faults);
      for (const auto* list : {&idle_, &waits})
        result_.readings.insert(result_.readings.end(), list->begin(), list->end());
      if (!result_.failure && !request_.has_load) pauses_->explain_waits(result_);
      const bool has_speed = !request_.protocol.profile && !result_.failure;
      if (takes_turns() && request_.process_index == 0 && has_speed) repeat_alone();
      // An instance that failed does not wait: the others end with it.
      if (!result_.failure || instance_.count() == 1) instance_.meet([this] { tell_agent(samples::kEndsTiming); });
    }
    result_.repetitions = repetitions_->repetitions();
    result_.latencies_ns = repetitions_->latencies_ns();
    result_.stop_reason = repetitions_->stop_reason();
    result_.is_steady = repetitions_->is_steady();
    if (server_) server_->replace(result_, served_ns_);
    if (result_.failure) return;
    learn_facts();  // some concern the run: memory, recompilation
    add_sizes(request_.model_path, request_.model, session_.artifact_bytes(), result_.readings);
    compare_again();
    if (request_.protocol.profile) return add_profile();
    look_longer();
  }

  // The plain repetitions are kept as those of the warm-up: they are no speed.
  void add_profile() {
    auto profile = profiling_->profile(result_.repetitions, request_.model_path, request_.model.inputs);
    if (profile)
      result_.profile = *std::move(profile);
    else
      result_.failure = failure_of(FailureKind::invalid_model, profile.error());
    for (samples::Repetition& each : result_.repetitions) each.is_warm_up = true;
  }

  // Goes on outside of what counts, to see whether the speed changes.
  void look_longer() {
    if (instance_.count() > 1 || server_ || request_.has_load) return;  // others run on
    if (request_.process_index == 0) {
      const std::int64_t for_ns = longer_look_ns(request_.protocol, result_.phases);
      add_readings(repetitions_->look_on(for_ns, flush_subnormals, cpu_of_thread_ns), result_.readings);
      if (auto other = with_other_allocator(*repetitions_, for_ns)) result_.readings.push_back(*std::move(other));
    }
    if (page_ != nullptr) page_->repetitions = result_.repetitions.size();  // those that are told
  }

  [[nodiscard]] bool takes_turns() const { return request_.protocol.turns > 1; }

  // Threads that share a processor at first would share it in all of a short timed phase. Each turn settles by itself.
  bool settle() { return takes_turns() || request_.compiler.threads == 1 || pauses_->settle(); }

  void repeat_alone() {
    if (!pauses_->wait_for_turn()) return;  // the inferences that count have succeeded
    turns_->end();
    Alone alone;
    in_phase(Phase::alone, [&] { return attempt(alone.repeat(repetitions_->repetitions(), *repeater_)); });
    alone.add_to(result_.readings);
  }

  // Repeats until every instance has the repetitions that it needs, so that none runs while another has ended.
  bool time_together() {
    if (!repetitions_->time()) return false;
    instance_.has_enough();
    return repetitions_->go_on([this] { return instance_.all_have_enough(); });
  }

  // Serves the requests that the study's `arrivals` ask for, all instances from one queue. Each process has others.
  Attempt<Done> serve() {
    const work::Arrivals& asked = *request_.protocol.arrivals;
    const auto batch = static_cast<std::size_t>(request_.model.key.batch);
    const auto requests = static_cast<std::size_t>(asked.requests);
    if (repeater_->in_flight() != 1 || requests < batch) {
      return tl::unexpected(failure_of(FailureKind::invalid_option,
                                       {requests < batch ? fmt::format("{} requests do not fill a batch of {}",
                                                                       asked.requests, request_.model.key.batch)
                                                         : "requests are served by one inference at a time",
                                        "arrivals", "remove in_flight, or ask for more requests"}));
    }
    const std::uint64_t seed =
        mix64(request_.protocol.seed ^ fnv1a64("arrivals")) + static_cast<std::uint64_t>(request_.process_index);
    const std::vector<std::int64_t> arrivals = arrivals_ns(asked.requests_per_s, requests, mix64(seed));
    Queue queue{.arrivals_ns = arrivals, .batch = batch};
    server_.emplace(*repeater_, queue.batches());
    queue.begin_ns = instance_.begin_together([this] { return server_->now_ns(); });
    served_ns_ = serve_requests(queue, [this] { return instance_.take_number(); }, *server_);
    return attempt(repeater_->status() == NGB_OK);
  }

  // Does nothing in a cell without a load. If the agent does not answer, it has ended or ends this process.
  void tell_agent(std::string_view signal) const {
    if (request_.has_load) (void)signal_and_wait(signal);
  }

  const work::WorkerRequest& request_;
  const ngb_compiler& compiler_;
  const Instance instance_;
  std::optional<Inputs> inputs_;                // outlives the session to which it is bound
  std::optional<Reference> reference_{};        // with which the outputs were compared
  std::optional<KeptOutputs> first_outputs_{};  // without a reference
  std::optional<TimedRepeater> repeater_;       // exists from the check on, like the repetitions; outlives the session
  Session session_;
  samples::ProgressPage* page_;
  std::atomic<std::uint64_t> uncounted_{0};     // counts while there is no page
  std::optional<Pauses> pauses_;                // likewise
  std::optional<ProfilingRepeater> profiling_;  // likewise
  std::optional<TurnTaker> turns_;              // likewise
  std::optional<Repetitions> repetitions_;
  std::optional<TimedServer> server_;                   // only with arrivals
  std::vector<std::vector<std::int64_t>> served_ns_{};  // latencies of the requests of each batch that it answered
  std::vector<samples::Reading> idle_{};                // power of the machine before the compiler was opened
  samples::ProcessResult result_;
};

}  // namespace

samples::ProcessResult measure(const work::WorkerRequest& request, const ngb_compiler& compiler,
                               samples::ProgressPage* page, const Instance& instance) {
  return Process(request, compiler, page, instance).measure();
}

samples::ProcessResult make_reference(const work::WorkerRequest& request, const ngb_compiler& compiler,
                                      samples::ProgressPage* page) {
  return Process(request, compiler, page, Instance()).make_reference();
}

}  // namespace ngb::worker

// SPDX-License-Identifier: Apache-2.0
#include "worker/prepared_session.h"

#include <fmt/format.h>

#include <utility>

#include "probe/probe.h"
#include "worker/agreement_runs.h"
#include "worker/plugin.h"
#include "worker/threads.h"

namespace ngb::worker {

using samples::FailureKind;

Timing::Timing(const work::WorkerRequest& request, Session& session, std::uint32_t slots, const MadeUp& made_up,
               samples::RunCount* done, std::optional<Passes> passes_of_model)
    : passes(std::move(passes_of_model)),
      repeater(session.target(done), slots, made_up, passes ? &*passes : nullptr),
      pauses([this] { return repeater.infer_untimed(); }, request.compiler.threads, request.max_wait_ratio),
      profiling(repeater, session),
      turns(profiling, pauses),
      repetitions(request.protocol, turns) {}

PreparedSession::PreparedSession(const work::WorkerRequest& request, const ngb_compiler& compiler,
                                 samples::ProgressPage* page, const Instance& instance,
                                 std::map<std::string, std::string>& facts)
    : request_(request), page_(page), instance_(instance), facts_(facts), session_(compiler) {}

void PreparedSession::learn_facts() {
  for (auto& [key, value] : session_.facts()) facts_[key] = value;
}

Attempt<Done> PreparedSession::open() {
  if (const std::optional<Error> few = too_few_processors(request_.compiler, probe::allowed_cpus().size())) {
    return tl::unexpected(failure_of(FailureKind::invalid_option, *few));
  }
  const Result<std::string> pinned = pin_to_cpus(request_.compiler, instance_.index());
  if (!pinned) return tl::unexpected(failure_of(FailureKind::internal, pinned.error()));
  Attempt<Done> opened = session_.open(request_.compiler, request_.place, request_.cache_dir, page_,
                                       request_.protocol.profile, request_.model.is_compiled());
  if (opened) learn_facts();
  facts_["affinity"] = *pinned;
  return opened ? check_version() : opened;
}

Attempt<Done> PreparedSession::compile() {
  const bool has_artifact = request_.loads_artifact || instance_.is_first();  // one instance keeps it
  const std::string artifact = has_artifact ? request_.artifact_path : "";
  Attempt<Done> compiled = request_.loads_artifact ? session_.load(request_.model_path, request_.model, artifact)
                                                   : session_.compile(request_.model_path, request_.model, artifact);
  if (compiled) learn_facts();
  return compiled ? check_version() : compiled;
}

// A library reports its version once it is loaded, which happens when it is opened or when it compiles.
Attempt<Done> PreparedSession::check_version() const {
  const auto reported = facts_.find("version");
  if (reported == facts_.end()) return Done{};
  const Status fits = check_same_version(reported->second, request_.compiler, request_.place);
  return fits ? Attempt<Done>(Done{}) : tl::unexpected(failure_of(FailureKind::fallback, fits.error()));
}

Attempt<std::vector<OutputView>> PreparedSession::infer_first() {
  Attempt<Inputs> inputs = inputs_of(request_.model, request_.protocol.seed);
  if (!inputs) return error_of(inputs);
  inputs_ = std::move(*inputs);
  Attempt<Done> done = session_.bind(inputs_);
  if (done) learn_facts();  // a compiler may only now know where its nodes run
  if (done) done = begin_timing();
  if (done && timing_->passes) timing_->passes->keep_next();
  if (done) done = attempt(timing_->repetitions.infer_first());
  if (!done) return error_of(done);
  return timing_->passes ? timing_->passes->outputs() : session_.outputs();
}

Attempt<std::vector<OutputView>> PreparedSession::last_outputs() {
  if (!timing_->passes) return session_.outputs();
  timing_->passes->keep_next();
  const Attempt<Done> done = attempt(timing_->repeater.infer_untimed());
  if (!done) return error_of(done);
  return timing_->passes->outputs();
}

Attempt<Done> PreparedSession::begin_timing() {
  const std::optional<int> asked = request_.compiler.in_flight;
  const std::uint32_t slots = asked == 1 ? 1 : session_.slots();
  if (slots == 0 || (asked && slots != static_cast<std::uint32_t>(*asked))) {
    return tl::unexpected(failure_of(
        FailureKind::fallback, {fmt::format("{} inferences in flight were requested, and {} has {}",
                                            work::word_of_in_flight(request_.compiler), request_.compiler.name, slots),
                                {},
                                "give in_flight another value, or remove it"}));
  }
  if (asked != 1) facts_["in_flight"] = std::to_string(slots);
  Attempt<std::optional<Passes>> passes = make_passes(slots);
  if (!passes) return error_of(passes);
  timing_.emplace(request_, session_, slots, made_up_times(facts_, request_),
                  page_ != nullptr ? &page_->done : &uncounted_, *std::move(passes));
  return Done{};
}

Attempt<std::optional<Passes>> PreparedSession::make_passes(std::uint32_t slots) {
  if (!request_.model.decoding) return std::optional<Passes>();
  const auto refuse = [](const char* what, const char* next) {
    return tl::unexpected(failure_of(FailureKind::invalid_option, {what, "decoding", next}));
  };
  if (slots > 1) return refuse("steps that need each other cannot be in flight together", "remove in_flight");
  if (request_.protocol.arrivals) return refuse("requests that arrive are not of several steps", "remove arrivals");
  if (request_.protocol.profile) {
    return refuse("a pass is not profiled", "measure one step: give the recipe its parameters context and capacity");
  }
  Result<Passes> made = Passes::make(request_.model, request_.protocol.seed, session_.target(nullptr), inputs_);
  if (!made) return tl::unexpected(failure_of(FailureKind::invalid_model, made.error()));
  return std::optional(*std::move(made));
}

Attempt<std::vector<OutputView>> PreparedSession::infer_on(const Inputs& inputs) {
  Attempt<Done> done = session_.bind(inputs);
  if (done) done = attempt(timing_->repeater.infer_untimed());
  if (!done) return error_of(done);
  return session_.outputs();
}

Attempt<Done> PreparedSession::bind_again() {
  const Attempt<std::vector<OutputView>> again = infer_on(inputs_);
  return again ? Attempt<Done>(Done{}) : error_of(again);
}

Attempt<Done> PreparedSession::attempt(bool succeeded) const {
  if (succeeded) return Done{};
  const std::optional<samples::Failure>& of_profile = timing_->profiling.failure();
  return tl::unexpected(of_profile ? *of_profile : session_.failure(timing_->repeater.status()));
}

}  // namespace ngb::worker

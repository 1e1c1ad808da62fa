// SPDX-License-Identifier: Apache-2.0
#include "worker/prepared_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "probe/probe.h"
#include "worker/agreement_runs.h"
#include "worker/passes.h"
#include "worker/plugin.h"
#include "worker/threads.h"
#include "worker/visits.h"

namespace ngb::worker {

using samples::FailureKind;

Timing::Timing(const work::WorkerRequest& request, Session& session, std::uint32_t slots, const MadeUp& made_up,
               samples::RunCount* done, std::unique_ptr<Pass> passes_of_model)
    : passes(std::move(passes_of_model)),
      repeater(session.target(done), slots, made_up, passes.get()),
      pauses([this] { return repeater.infer_untimed(); }, request.compiler.threads, request.max_wait_ratio),
      profiling(repeater, session),
      turns(profiling, pauses),
      repetitions(request.protocol, turns) {}

PreparedSession::PreparedSession(const work::WorkerRequest& request, const ngb_compiler& compiler,
                                 samples::ProgressPage* page, const Instance& instance,
                                 std::map<std::string, std::string>& facts)
    : request_(request), compiler_(compiler), page_(page), instance_(instance), facts_(facts), session_(compiler) {}

void PreparedSession::learn_facts() {
  for (auto& [key, value] : session_.facts()) facts_[key] = value;
}

Attempt<Done> PreparedSession::open() {
  if (const std::optional<Error> few = too_few_processors(request_.compiler, probe::allowed_cpus().size())) {
    return tl::unexpected(failure_of(FailureKind::invalid_option, *few));
  }
  const Result<std::string> pinned = pin_to_cpus(request_.compiler, instance_.index());
  if (!pinned) return tl::unexpected(failure_of(FailureKind::internal, pinned.error()));
  Attempt<Done> opened = session_.open(request_.compiler, request_.place, request_.cache_dir, page_, use());
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
  if (compiled) compiled = open_and_compile_further();
  return compiled ? check_version() : compiled;
}

SessionUse PreparedSession::use() const {
  return {.is_profiled = request_.protocol.profile,
          .has_compiled_file = request_.model.is_compiled(),
          .has_many_shapes = !request_.model.visited.empty()};
}

// Nothing of these is kept for other processes.
Attempt<Done> PreparedSession::open_and_compile_further() {
  const work::Model& model = request_.model;
  std::vector<std::vector<TensorSignature>> compiled{model.inputs};
  for (const work::VisitedShape& shape : model.visited) {
    const auto known = std::find(compiled.begin(), compiled.end(), shape.inputs);
    const bool has_session = known != compiled.end() || !model.open_inputs.empty();
    session_of_shape_.push_back(!model.open_inputs.empty() ? 0 : static_cast<std::size_t>(known - compiled.begin()));
    if (has_session) continue;
    compiled.push_back(shape.inputs);
    Session& session = *further_.emplace_back(std::make_unique<Session>(compiler_));
    Attempt<Done> done = session.open(request_.compiler, request_.place, request_.cache_dir, page_, use());
    if (done) done = session.compile(request_.model_path, work::at_shape(model, shape));
    if (!done) {
      done.error().message = shape.name + ": " + done.error().message;
      return done;
    }
  }
  return Done{};
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
  Attempt<std::unique_ptr<Pass>> passes = make_passes(slots);
  if (!passes) return error_of(passes);
  timing_.emplace(request_, session_, slots, made_up_times(facts_, request_),
                  page_ != nullptr ? &page_->done : &uncounted_, *std::move(passes));
  return Done{};
}

Attempt<std::unique_ptr<Pass>> PreparedSession::make_passes(std::uint32_t slots) {
  const bool has_shapes = !request_.model.visited.empty();
  if (!request_.model.decoding && !has_shapes) return std::unique_ptr<Pass>();
  const auto refuse = [&](const char* what, const char* next) {
    return tl::unexpected(
        failure_of(FailureKind::invalid_option, {what, has_shapes ? "shapes_in_one_session" : "decoding", next}));
  };
  if (slots > 1) return refuse("the inferences of a pass cannot be in flight together", "remove in_flight");
  if (request_.protocol.arrivals)
    return refuse("requests that arrive are not of several inferences", "remove arrivals");
  if (request_.protocol.profile) {
    return refuse("a pass is not profiled",
                  has_shapes ? "profile one shape: give it in dimensions"
                             : "measure one step: give the recipe its parameters context and capacity");
  }
  if (has_shapes) return make_visits();
  Result<Passes> made = Passes::make(request_.model, request_.protocol.seed, session_.target(nullptr), inputs_);
  if (!made) return tl::unexpected(failure_of(FailureKind::invalid_model, made.error()));
  return std::make_unique<Passes>(*std::move(made));
}

Attempt<std::unique_ptr<Pass>> PreparedSession::make_visits() {
  const work::Model& model = request_.model;
  std::vector<ShapeToVisit> shapes;
  for (std::size_t i = 0; i < model.visited.size(); ++i) {
    const work::VisitedShape& shape = model.visited[i];
    Attempt<Inputs> inputs = inputs_of(work::at_shape(model, shape), request_.protocol.seed);
    if (!inputs) return error_of(inputs);
    Session& session = session_of_shape_[i] == 0 ? session_ : *further_[session_of_shape_[i] - 1];
    shapes.push_back({shape.name, static_cast<std::size_t>(shape.visits), *std::move(inputs), session.target(nullptr)});
  }
  facts_["sessions_of_shapes"] = std::to_string(1 + further_.size());
  const std::uint64_t order = splitmix64(request_.protocol.seed ^ fnv1a64(request_.cell_id),
                                         static_cast<std::uint64_t>(request_.process_index));
  ngb_status status = NGB_OK;
  Result<std::unique_ptr<Visits>> made = Visits::make(std::move(shapes), order, &status);
  if (!made) return tl::unexpected(session_.failure(status));
  return std::unique_ptr<Pass>(*std::move(made));
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

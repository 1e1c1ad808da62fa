// SPDX-License-Identifier: Apache-2.0
#include "worker/timed_part.h"

#include <fmt/format.h>

#include <utility>

#include "base/random.h"
#include "probe/probe.h"
#include "worker/allocator.h"
#include "worker/arrivals.h"
#include "worker/further_sessions.h"
#include "worker/resources.h"
#include "worker/subnormals.h"
#include "worker/threads.h"

namespace ngb::worker {

using samples::FailureKind;
using samples::Phase;

TimedPart::TimedPart(const work::WorkerRequest& request, const Instance& instance, PreparedSession& prepared,
                     Phases& phases)
    : request_(request),
      instance_(instance),
      prepared_(prepared),
      timing_(prepared.timing()),
      phases_(phases),
      result_(phases.result()),
      marks_(request.protocol.leak) {}

void TimedPart::run(const std::vector<samples::Reading>& idle) {
  for (auto& [name, value] : probe::gpu_facts()) result_.facts[name] = value;
  instance_.meet([this] { tell_agent(samples::kWantsLoad); });
  marks_.add(timing_.repetitions.inferences());
  const bool is_warm = phases_.run(Phase::warm_up, [this] { return prepared_.attempt(timing_.repetitions.warm_up()); });
  if (is_warm) {
    marks_.add(timing_.repetitions.inferences());
    instance_.meet([this] { tell_agent(samples::kBeginsTiming); });
    run_timed_phase(idle);
    const bool has_speed = !request_.protocol.profile && !result_.failure;
    if (takes_turns() && request_.process_index == 0 && has_speed) repeat_alone();
    // An instance that failed does not wait: the others end with it.
    if (!result_.failure || instance_.count() == 1) instance_.meet([this] { tell_agent(samples::kEndsTiming); });
  }
  add_repetitions();
}

void TimedPart::run_timed_phase(const std::vector<samples::Reading>& idle) {
  const probe::Snapshot before = probe::snapshot();
  if (takes_turns()) begin_turns();
  if (request_.protocol.profile) timing_.profiling.begin();
  const std::uint64_t inferences_before = timing_.repetitions.inferences();
  const ThreadMeter threads;
  samples::Reading page_faults;
  timing_.pauses.begin();  // close to the phase, because a wait counts in percent of it
  phases_.run(Phase::timed, [this, &page_faults] {
    const PageFaultMeter meter;  // excludes what the phase's own meter does
    Attempt<Done> timed = prepared_.attempt(settle());
    if (timed) timed = request_.protocol.arrivals ? serve() : prepared_.attempt(time_together());
    page_faults = meter.reading(timing_.pauses.wall_ns(), timing_.pauses.page_faults());
    return timed;
  });
  const std::vector<samples::Reading> waits = timing_.pauses.waits();
  result_.threads_used = threads.busy_since(result_.phases.back().wall_ns);  // both with the pauses
  timing_.pauses.leave_out_of(result_.phases.back());
  result_.readings = probe::readings_between(before, probe::snapshot());
  if (takes_turns()) forget_machine(result_.readings);
  if (timing_.turns.again() > 0) {
    result_.facts["turns_again"] = std::to_string(timing_.turns.again());
    tell_turns_again(0);
  }
  result_.readings.push_back(inferences_in(
      Phase::timed, server_ ? server_->inferences() : timing_.repetitions.inferences() - inferences_before));
  result_.readings.push_back(page_faults);
  for (const auto* list : {&idle, &waits}) result_.readings.insert(result_.readings.end(), list->begin(), list->end());
  if (!result_.failure && !request_.has_load) timing_.pauses.explain_waits(result_);
}

void TimedPart::begin_turns() {
  const int turns = request_.protocol.turns;
  timing_.turns.begin(repetitions_of_turn(timing_.repetitions.least(), turns), most_turns_again(turns),
                      [this](std::size_t again) { tell_turns_again(again); });
}

void TimedPart::tell_turns_again(std::size_t again) const {
  if (phases_.page() == nullptr) return;
  samples::write_remark(
      *phases_.page(),
      again == 0 ? "" : fmt::format("{} turn{} run again, disturbed by other work", again, again == 1 ? "" : "s"));
}

// Threads that share a processor at first would share it in all of a short timed phase. Each turn settles by itself.
bool TimedPart::settle() { return takes_turns() || request_.compiler.threads == 1 || timing_.pauses.settle(); }

// Repeats until every instance has the repetitions that it needs, so that none runs while another has ended.
bool TimedPart::time_together() {
  if (!timing_.repetitions.time()) return false;
  instance_.has_enough();
  return timing_.repetitions.go_on([this] { return instance_.all_have_enough(); });
}

// Serves the requests that the study's `arrivals` ask for, all instances from one queue. Each process has others.
Attempt<Done> TimedPart::serve() {
  const work::Arrivals& asked = *request_.protocol.arrivals;
  const auto batch = static_cast<std::size_t>(request_.model.key.batch);
  const auto requests = static_cast<std::size_t>(asked.requests);
  if (timing_.repeater.in_flight() != 1 || requests < batch) {
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
  server_.emplace(timing_.repeater, queue.batches());
  queue.begin_ns = instance_.begin_together([this] { return server_->now_ns(); });
  served_ns_ = serve_requests(queue, [this] { return instance_.take_number(); }, *server_);
  return prepared_.attempt(timing_.repeater.status() == NGB_OK);
}

void TimedPart::repeat_alone() {
  if (!timing_.pauses.wait_for_turn()) return;  // the inferences that count have succeeded
  timing_.turns.end();
  Alone alone;
  phases_.run(Phase::alone,
              [&] { return prepared_.attempt(alone.repeat(timing_.repetitions.repetitions(), timing_.repeater)); });
  alone.add_to(result_.readings);
}

void TimedPart::add_repetitions() {
  result_.repetitions = timing_.repetitions.repetitions();
  result_.latencies_ns = timing_.repetitions.latencies_ns();
  result_.stop_reason = timing_.repetitions.stop_reason();
  result_.is_steady = timing_.repetitions.is_steady();
  if (server_) server_->replace(result_, served_ns_);
}

void TimedPart::look_longer() {
  if (others_run_on()) return;
  watch_memory();
  if (request_.process_index == 0) {
    const std::int64_t for_ns = longer_look_ns(request_.protocol, result_.phases);
    add_readings(timing_.repetitions.look_longer(for_ns, flush_subnormals, cpu_of_thread_ns), result_.readings);
    if (auto other = with_other_allocator(timing_.repetitions, for_ns)) result_.readings.push_back(*std::move(other));
  }
  if (phases_.page() != nullptr) phases_.page()->done.repetitions = result_.repetitions.size();  // those that are told
}

void TimedPart::make_further_sessions(const ngb_compiler& compiler) {
  if (!request_.protocol.sessions || others_run_on() || !may_go_on_alone()) return;
  add_further_sessions(request_, compiler, prepared_.inputs(), result_.readings);
}

bool TimedPart::others_run_on() const { return instance_.count() > 1 || server_ || request_.has_load; }

// Waits for a last turn, in which no other process of the round runs. Returns false if the agent has ended it instead.
bool TimedPart::may_go_on_alone() {
  if (!takes_turns() || request_.process_index == 0 || is_alone_) return true;  // the first one has had it already
  if (!timing_.pauses.wait_for_turn()) return false;
  timing_.turns.end();
  return is_alone_ = true;
}

// Does nothing unless the study asks for it. Memory is read between repetitions that count in no speed.
void TimedPart::watch_memory() {
  constexpr std::int64_t kMost_ns = 30'000'000'000;
  if (!request_.protocol.leak) return;
  if (!may_go_on_alone()) return;
  (void)timing_.repetitions.watch(kMost_ns, [this](std::uint64_t inferences) { marks_.add(inferences); });
  marks_.add_to(result_.readings);
}

// Does nothing in a cell without a load. If the agent does not answer, it has ended or ends this process.
void TimedPart::tell_agent(std::string_view signal) const {
  if (request_.has_load) (void)signal_and_wait(signal);
}

}  // namespace ngb::worker

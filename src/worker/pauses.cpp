// SPDX-License-Identifier: Apache-2.0
#include "worker/pauses.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "probe/probe.h"
#include "samples/disturbance.h"
#include "samples/frame.h"
#include "samples/progress_page.h"
#include "worker/resources.h"

namespace ngb::worker {

Status signal_and_wait(std::string_view signal) {
  if (Status sent = file::write_all(samples::kResultFd, samples::frame(signal), "signal"); !sent) return sent;
  samples::FrameReader reader;
  char chunk[64];
  for (;;) {
    const Result<std::optional<std::string>> answer = reader.next();
    if (!answer) return error_of(answer);
    if (*answer) return Done{};
    const ssize_t count = ::read(samples::kRequestFd, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read", "the agent's answer", errno));
    if (count == 0) return fail("the agent has ended", "worker");
    reader.feed({chunk, static_cast<std::size_t>(count)});
  }
}

namespace {

constexpr Nanoseconds kLeastSettling = std::chrono::milliseconds(2);
// The kernel counts a wait when it ends. A thread that shares a processor with one that never sleeps waits until the
// kernel's next tick. A shorter window would end before that: the threads would seem calm, and the wait would be
// counted in the timed phase.
constexpr Nanoseconds kLeastSettlingOfThreads = std::chrono::milliseconds(10);
constexpr Nanoseconds kMostSettling = std::chrono::milliseconds(40);
constexpr double kCalmPercent = 2;
// The processor time of other programs is counted in ticks of 10 ms.
constexpr Nanoseconds kOwnLook = std::chrono::milliseconds(500);

bool is_calm(const probe::Counters& before, const probe::Counters& after) {
  const std::vector<samples::Reading> waits = probe::waits_between(before, after);
  return waits.front().value.value.value_or(0) < kCalmPercent;  // run_queue_wait
}

std::vector<samples::Reading> timed_waits(const probe::Counters& before, const probe::Counters& after) {
  std::vector<samples::Reading> waits = probe::waits_between(before, after);
  for (samples::Reading& wait : waits) wait.moment = "timed";
  return waits;
}

// Returns the processor time of this process without its children.
std::int64_t cpu_now_ns() {
  struct timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Pauses::Pauses(std::function<bool()> infer, int threads, double max_wait_ratio)
    : infer_(std::move(infer)),
      least_settling_(threads == 1 ? kLeastSettling : kLeastSettlingOfThreads),
      max_wait_ratio_(max_wait_ratio),
      contention_("self", probe::allowed_cpus()),
      own_waits_(max_wait_ratio) {}

bool Pauses::settle() {
  const Mark begin = mark();
  const bool succeeded = infer_until_calm();
  leave_out(begin, mark());
  return succeeded;
}

// If the agent does not answer, it has ended or ends this process.
bool Pauses::wait_for_turn() {
  const Mark begin = mark();
  (void)signal_and_wait(samples::kWantsTurn);
  woke_ = contention_.read();
  const bool succeeded = infer_until_calm();
  turn_ = mark();
  leave_out(begin, turn_);
  return succeeded;
}

bool Pauses::was_disturbed() {
  const Mark begin = std::exchange(turn_, mark());
  samples::ProcessResult turn;
  turn.readings = timed_waits(begin.counters, turn_.counters);
  const work::Disturbance rule{.max_wait_ratio = max_wait_ratio_};
  if (!samples::disturbance_of(turn, rule)) return false;
  if (const auto percent = own_waits_.of_turn(woke_, begin.counters, turn_.counters)) {
    turn.facts[std::string(samples::kWaitsForItself)] = "";
    if (!samples::disturbance_of(turn, rule)) {
      own_wait_percent_ = percent;
      return false;
    }
  }
  leave_out(begin, turn_);
  return true;
}

void Pauses::explain_waits(samples::ProcessResult& result) {
  if (!samples::disturbance_of(result, {.max_wait_ratio = max_wait_ratio_})) return;
  if (const auto percent = own_wait_percent_ ? own_wait_percent_ : look_for_own_wait()) {
    result.facts[std::string(samples::kWaitsForItself)] = fmt::format("{:.3g} %", *percent);
  }
}

std::optional<double> Pauses::look_for_own_wait() const {
  const probe::Counters before = contention_.read();
  const Nanoseconds enough = system_clock().now() + kOwnLook;
  do {
    if (!infer_()) return std::nullopt;
  } while (system_clock().now() < enough);
  const std::vector<samples::Reading> shares = probe::waits_between(before, contention_.read());
  return samples::own_wait_percent(shares, probe::allowed_cpus().size(), max_wait_ratio_);
}

Pauses::Mark Pauses::mark() const {
  return {contention_.read(), cpu_now_ns(), worker::page_faults().value.value_or(0)};
}

void Pauses::leave_out(const Mark& begin, const Mark& end) {
  wall_ns_ += end.counters.taken_ns - begin.counters.taken_ns;
  cpu_ns_ += end.cpu_ns - begin.cpu_ns;
  page_faults_ += end.page_faults - begin.page_faults;
  before_ = probe::without(before_, begin.counters, end.counters);
}

bool Pauses::infer_until_calm() const {
  const Nanoseconds give_up = system_clock().now() + kMostSettling;
  for (;;) {
    const probe::Counters before = contention_.read();
    const Nanoseconds enough = system_clock().now() + least_settling_;
    do {
      if (!infer_()) return false;
    } while (system_clock().now() < enough);
    if (system_clock().now() > give_up || is_calm(before, contention_.read())) return true;
  }
}

void Pauses::leave_out_of(samples::PhaseUse& timed) const {
  timed.wall_ns -= wall_ns_;
  if (timed.cpu_ns.value) *timed.cpu_ns.value -= cpu_ns_;
}

std::vector<samples::Reading> Pauses::waits() const { return timed_waits(before_, contention_.read()); }

bool Alone::repeat(const std::vector<samples::Repetition>& timed, Repeater& repeater) {
  const auto count = static_cast<std::size_t>(
      std::count_if(timed.begin(), timed.end(), [](const samples::Repetition& each) { return !each.is_warm_up; }));
  if (count == 0) return true;
  const std::uint32_t inferences = timed.back().inferences;
  std::vector<std::int64_t> walls_ns(count, 0);
  std::vector<std::int64_t> begins_ns(count, 0);
  if (repeater.repeat(inferences, {walls_ns, begins_ns}, {}) < count) return false;
  const auto middle = walls_ns.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(walls_ns.begin(), middle, walls_ns.end());
  inference_s_ = static_cast<double>(*middle) / 1e9 / inferences;
  inferences_ = count * inferences;
  return true;
}

void forget_machine(std::vector<samples::Reading>& readings) {
  for (samples::Reading& reading : readings) {
    if (reading.moment == "timed") reading.value = Known<double>::unknown("other processes had turns meanwhile");
  }
}

void Alone::add_to(std::vector<samples::Reading>& readings) const {
  for (samples::Reading& reading : probe::readings_between(before_, probe::snapshot())) {
    if (reading.moment != "timed") continue;
    reading.moment = "alone";
    readings.push_back(std::move(reading));
  }
  if (!inference_s_) return;
  readings.push_back(inferences_in(samples::Phase::alone, inferences_));
  readings.push_back({"alone_inference", "second", "alone", Known<double>::of(*inference_s_)});
}

}  // namespace ngb::worker

// SPDX-License-Identifier: Apache-2.0
#include "worker/timed_loop.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/random.h"

namespace ngb::worker {

MadeUp made_up_times(const std::map<std::string, std::string>& facts, const work::WorkerRequest& request) {
  const auto told = facts.find("made_up_ns");
  if (told == facts.end()) return {};
  const auto ns_of = [](const std::string& text) {
    constexpr std::int64_t kHour_ns = 3'600'000'000'000;
    return std::clamp<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10), 0, kHour_ns);
  };
  const auto first = facts.find("made_up_first_ns");
  return {ns_of(told->second), splitmix64(fnv1a64(request.cell_id), static_cast<std::uint64_t>(request.process_index)),
          first == facts.end() ? 0 : ns_of(first->second)};
}

std::size_t TimedRepeater::repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) {
  const std::size_t done = run(inferences, times, latencies_ns);
  if (made_up_.inference_ns > 0) make_up(inferences, times.part(0, done), latencies_ns);
  return done;
}

std::size_t TimedRepeater::run(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) {
  if (passes_ != nullptr) return passes_->repeat(times, latencies_ns, *target_.done, &status_);
  const bool is_alone = flight_.slots() == 1 || !std::exchange(has_inferred_, true);
  return is_alone ? run_repetitions(target_, inferences, times, &status_)
                  : flight_.run_repetitions(inferences, times, latencies_ns, &status_);
}

void TimedRepeater::make_up(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) {
  constexpr std::int64_t kParts = 100'000;
  for (std::size_t i = 0; i < times.walls_ns.size(); ++i) {
    const bool is_first_pass = made_up_repetitions_ == 0 && passes_ != nullptr;
    const std::uint64_t drawn = splitmix64(made_up_.seed, made_up_repetitions_++) % (kParts / 100 + 1);
    const std::int64_t parts = kParts - kParts / 200 + static_cast<std::int64_t>(drawn);
    const std::size_t kept = latency_count(inferences);
    const std::size_t stride = latency_stride(inferences);
    std::int64_t wall_ns = 0;
    for (std::size_t step = 0; step < inferences; ++step) {
      const std::int64_t first_ns = is_first_pass && passes_->is_first(step) ? made_up_.first_ns : 0;
      const std::int64_t ns = (made_up_.inference_ns + first_ns) * parts / kParts;
      wall_ns += ns;
      const std::size_t place = i * kept + step / stride;
      if (passes_ != nullptr && step % stride == 0 && place < latencies_ns.size()) latencies_ns[place] = ns;
    }
    times.begins_ns[i] = clock_ns_;
    times.walls_ns[i] = std::max<std::int64_t>(wall_ns, 1);
    clock_ns_ += times.walls_ns[i];
  }
}

std::int64_t TimedRepeater::now_ns() const {
  const std::int64_t now = worker::now_ns();
  return made_up_.inference_ns > 0 ? clock_ns_ : now;
}

bool TimedRepeater::skip_to(std::int64_t time_ns) {
  if (made_up_.inference_ns > 0) clock_ns_ = time_ns;
  return made_up_.inference_ns > 0;
}

bool TimedRepeater::infer_untimed() {
  samples::RunCount uncounted;
  std::array<std::int64_t, 2> dropped{};
  const Times times{std::span(dropped).first(1), std::span(dropped).last(1)};
  if (passes_ != nullptr) return passes_->repeat(times, {}, uncounted, &status_) == 1;
  Target target = target_;
  target.done = &uncounted;
  return run_repetitions(target, 1, times, &status_) == 1;
}

TimedServer::TimedServer(TimedRepeater& repeater, std::size_t inferences)
    : repeater_(repeater), walls_ns_(inferences, 0), begins_ns_(inferences, 0) {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // nanosecond: wakes up as close to an arrival as the kernel can
}

void TimedServer::wait_until(std::int64_t time_ns) {
  if (repeater_.skip_to(time_ns)) return;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const struct timespec until{time_ns / kSecond, time_ns % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

bool TimedServer::infer() {
  const std::size_t completed = repeater_.repeat(1, Times{walls_ns_, begins_ns_}.part(done_, 1), {});
  done_ += completed;
  return completed == 1;
}

void TimedServer::replace(samples::ProcessResult& result,
                          const std::vector<std::vector<std::int64_t>>& served_ns) const {
  for (samples::Repetition& each : result.repetitions) each.is_warm_up = true;
  result.latencies_ns.resize(result.repetitions.size());
  for (std::size_t i = 0; i < done_; ++i) result.repetitions.push_back({walls_ns_[i], 1, false, begins_ns_[i]});
  result.latencies_ns.insert(result.latencies_ns.end(), served_ns.begin(), served_ns.end());
  result.stop_reason = "repetitions";
  result.is_steady = true;
}

}  // namespace ngb::worker

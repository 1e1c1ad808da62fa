// SPDX-License-Identifier: Apache-2.0
#include "worker/repetitions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "worker/in_flight.h"
#include "worker/subnormals.h"
#include "worker/warm_up.h"

namespace ngb::worker {
namespace {

constexpr std::size_t kPilotRepetitions = 3;
constexpr std::size_t kMaxPilots = 32;
constexpr std::size_t kMaxTransientRepetitions = 100'000;
constexpr std::size_t kMostLatenciesOfProcess = 200'000;

std::int64_t sum_of(std::span<const std::int64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::size_t most_steady(const work::Protocol& protocol) {
  return static_cast<std::size_t>(work::most_repetitions(protocol));
}

std::size_t least_steady(const work::Protocol& protocol) {
  return static_cast<std::size_t>(work::least_repetitions(protocol));
}

std::size_t capacity(const work::Protocol& protocol) {
  const std::int64_t shortest_ns = std::max<std::int64_t>(protocol.min_repetition_ns, 1'000);
  const auto transient = static_cast<std::size_t>(std::max<std::int64_t>(protocol.max_transient_ns, 0) / shortest_ns);
  const auto fixed = static_cast<std::size_t>(std::max(protocol.warm_up.value_or(0), 0));
  return kMaxPilots * kPilotRepetitions + fixed + std::min(transient, kMaxTransientRepetitions) +
         2 * most_steady(protocol);
}

bool keeps_latencies(const Repeater& repeater) { return repeater.in_flight() > 1 || repeater.pass() > 0; }

// Returns the median of the repetitions, by so many inferences; nothing for fewer than three.
std::optional<double> per_inference(std::vector<std::int64_t> walls_ns, std::uint32_t inferences) {
  if (walls_ns.size() < 3) return std::nullopt;
  std::sort(walls_ns.begin(), walls_ns.end());
  const std::size_t middle = walls_ns.size() / 2;
  const std::int64_t twice = walls_ns[middle] + walls_ns[walls_ns.size() % 2 == 0 ? middle - 1 : middle];
  return static_cast<double>(twice) / 2 / inferences;
}

}  // namespace

std::int64_t longer_look_ns(const work::Protocol& protocol, const std::vector<samples::PhaseUse>& phases) {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  constexpr int kUsual_s = 3;
  // If the study does not set the look's length, it is this part of the time that the cell takes. It is no longer than
  // this process took, because a budget may end before the cell's other processes run.
  constexpr std::int64_t kShareOfCell = 20;
  std::int64_t all_ns = 0;
  std::int64_t timed_ns = 0;
  for (const samples::PhaseUse& phase : phases) {
    all_ns += phase.wall_ns;
    if (phase.phase == samples::Phase::timed) timed_ns += phase.wall_ns;
  }
  const std::int64_t left_ns = protocol.longer_look_s.value_or(kUsual_s) * kSecond_ns - timed_ns;
  if (protocol.longer_look_s) return left_ns;
  return std::min({left_ns, work::expected_processes(protocol) * all_ns / kShareOfCell, all_ns});
}

void add_readings(const Later& later, std::vector<samples::Reading>& readings) {
  const auto add = [&](const char* quantity, const std::optional<double>& ns) {
    if (ns) readings.push_back({quantity, "second", "after", Known<double>::of(*ns / 1e9)});
  };
  add("later_inference", later.inference_ns);
  add("flushed_inference", later.flushed_ns);
}

std::uint32_t next_group_size(std::uint32_t inferences, std::int64_t fastest_ns, std::int64_t min_repetition_ns) {
  if (fastest_ns >= min_repetition_ns || inferences >= kMaxGroupSize) return inferences;
  const double now = inferences;
  const double wanted = std::ceil(now * 1.2 * static_cast<double>(min_repetition_ns) /
                                  static_cast<double>(std::max<std::int64_t>(fastest_ns, 1)));
  const double bounded = std::clamp(wanted, now + 1, std::min(now * 1000, static_cast<double>(kMaxGroupSize)));
  return static_cast<std::uint32_t>(bounded);
}

bool is_clearly_long(std::int64_t wall_ns, std::int64_t min_repetition_ns) { return wall_ns / 3 >= min_repetition_ns; }

Repetitions::Repetitions(const work::Protocol& protocol, Repeater& repeater)
    : protocol_(protocol),
      repeater_(repeater),
      walls_ns_(capacity(protocol), 0),
      begins_ns_(walls_ns_.size(), 0),
      latencies_ns_(keeps_latencies(repeater) ? kMostLatenciesOfProcess : 0, 0),
      inferences_(std::max<std::uint32_t>(repeater.pass(), 1)),
      is_size_found_(repeater.pass() > 0) {
  pilot_sizes_.reserve(kMaxPilots * kPilotRepetitions);
  if (keeps_latencies(repeater)) latency_ends_.reserve(walls_ns_.size());
}

std::span<const std::int64_t> Repetitions::spans_ns() const {
  return std::span(walls_ns_).first(done_).subspan(pilot_sizes_.size());
}

bool Repetitions::run(std::size_t count) {
  const bool is_alone = done_ == 0 && repeater_.in_flight() > 1;  // the first inference
  const std::size_t each = latencies_ns_.empty() || is_alone ? 0 : latency_count(inferences_);
  const std::span<std::int64_t> free = std::span(latencies_ns_).subspan(latencies_kept_);
  const std::size_t with_latencies = each == 0 ? 0 : std::min(count, free.size() / each);
  const std::size_t completed =
      repeater_.repeat(inferences_, Times{walls_ns_, begins_ns_}.part(done_, count), free.first(with_latencies * each));
  for (std::size_t i = 0; i < completed && !latencies_ns_.empty(); ++i) {
    if (i < with_latencies) latencies_kept_ += each;
    latency_ends_.push_back(latencies_kept_);
  }
  done_ += completed;
  inferences_done_ += completed * inferences_;
  return completed == count;
}

std::int64_t Repetitions::fastest_ns() const {
  const auto so_far = spans_ns();
  return *std::min_element(so_far.begin(), so_far.end());
}

bool Repetitions::infer_first() { return run(1); }

bool Repetitions::find_group_size() {
  if (repeater_.pass() > 0) return true;
  const std::uint32_t in_flight = repeater_.in_flight();
  if (in_flight > 1) {  // the first inference ran alone
    pilot_sizes_.resize(done_, inferences_);
    inferences_ = in_flight;
    if (!run(1)) return false;
  }
  if (is_clearly_long(fastest_ns(), protocol_.min_repetition_ns)) return true;
  is_size_found_ = true;
  if (!run(kPilotRepetitions - 1)) return false;
  for (std::size_t pilot = 1; pilot < kMaxPilots; ++pilot) {
    const std::uint32_t next = next_group_size(inferences_, fastest_ns(), protocol_.min_repetition_ns);
    if (next == inferences_) break;
    pilot_sizes_.resize(done_, inferences_);
    inferences_ = (next + in_flight - 1) / in_flight * in_flight;
    if (!run(kPilotRepetitions)) return false;
  }
  return true;
}

// Fixes the number of repetitions by the time of the fastest one so far.
bool Repetitions::choose_repetitions() {
  constexpr std::int64_t kAffordable_ns = 2'000'000'000;  // one more repetition, as the first one may be slow
  if (protocol_.repetitions || protocol_.stop_when) return true;
  if (spans_ns().size() == 1 && spans_ns().front() < kAffordable_ns && !run(1)) return false;
  protocol_.repetitions = work::repetitions_by_time(fastest_ns());
  return true;
}

bool Repetitions::warm_up() {
  bool succeeded = find_group_size() && choose_repetitions();
  const auto wanted = static_cast<std::size_t>(std::max(protocol_.warm_up.value_or(0), 0));
  const std::size_t have = spans_ns().size();
  if (succeeded && wanted > have) succeeded = run(wanted - have);
  timed_from_ = done_;
  warm_up_count_ = spans_ns().size();
  return succeeded;
}

void Repetitions::judge() {
  const std::size_t before_timed = timed_from_ - pilot_sizes_.size();
  if (protocol_.warm_up) {
    warm_up_count_ = before_timed;
    is_transient_over_ = true;
    return;
  }
  if (has_given_up_) return;
  const auto so_far = spans_ns();
  const Transient transient = find_transient(so_far);
  warm_up_count_ = transient.count;
  is_transient_over_ = transient.is_over;
  if (transient.is_over) return;
  const bool is_full = walls_ns_.size() - done_ <= most_steady(protocol_);
  if (sum_of(so_far.first(transient.count)) < protocol_.max_transient_ns && !is_full) return;
  has_given_up_ = true;
  is_steady_ = false;
  const std::size_t kept = std::min(least_steady(protocol_), so_far.size() - 1);
  warm_up_count_ = so_far.size() - kept;
}

std::size_t Repetitions::next_count(const SoFar& so_far) const {
  std::size_t count = walls_ns_.size() - done_;
  for (const auto& rule : rules_) count = std::min(count, rule->check_again_after(so_far));
  // While the transient lasts, at most half of the needed repetitions are run at a time.
  if (!is_transient_over_ && !has_given_up_) count = std::min(count, least_steady(protocol_) / 2 + 1);
  return count;
}

bool Repetitions::time() {
  std::size_t count = least_steady(protocol_);
  if (!is_size_found_) {
    // The first inference may have been long for reasons of its own: a wait for a processor, or work that is done once.
    if (!run(1)) return false;
    if (fastest_ns() >= protocol_.min_repetition_ns)
      --count;
    else if (!warm_up())
      return false;
  }
  rules_ = stopping_rules(protocol_);
  // One repetition of the warm-up phase is always transient, so this may suffice.
  if (!run(count)) return false;
  for (;;) {
    judge();
    const SoFar so_far{spans_ns().subspan(warm_up_count_),
                       sum_of(std::span(walls_ns_).first(done_).subspan(timed_from_))};
    const StoppingRule* met = is_transient_over_ || has_given_up_ ? first_met(rules_, so_far) : nullptr;
    if (met != nullptr || done_ == walls_ns_.size()) {
      stop_reason_ = met != nullptr ? met->reason() : "max_repetitions";
      break;
    }
    if (!run(next_count(so_far))) return false;
  }
  // The transient may turn out shorter, which leaves more repetitions than requested. The last ones count.
  const std::size_t steady = spans_ns().size() - warm_up_count_;
  if (steady > most_steady(protocol_)) warm_up_count_ += steady - most_steady(protocol_);
  return true;
}

std::size_t Repetitions::least() const { return least_steady(protocol_); }

// With several inferences in flight, a call that is too short would begin and end too often.
bool Repetitions::go_on(const std::function<bool()>& is_over) {
  const std::size_t at_a_time = repeater_.in_flight() > 1 ? least_steady(protocol_) / 2 + 1 : 1;
  while (!is_over()) {
    if (done_ == walls_ns_.size()) forget_oldest();
    if (!run(std::min(at_a_time, walls_ns_.size() - done_))) return false;
  }
  return true;
}

Later Repetitions::look_longer(std::int64_t for_ns, const std::function<void(bool)>& flush,
                               const std::function<std::int64_t()>& cpu_ns) {
  constexpr std::int64_t kParts = 24;
  constexpr std::int64_t kMostOfPart = 10'000;
  // Each by whether subnormal numbers are taken as 0.
  std::array<std::int64_t, 2> last_ns{fastest_ns(), 0};
  std::array<std::vector<std::int64_t>, 2> of_second_half;
  std::array<std::vector<std::int64_t>, 2> cpu_ns_of_parts;  // of a repetition
  std::vector<std::int64_t> walls;
  std::vector<std::int64_t> begins;
  std::int64_t spent_ns = 0;
  for (std::size_t part = 0; spent_ns < for_ns; ++part) {
    const std::size_t is_flushed = part % 2;
    // By the last repetition of its kind, because each may take longer than the one before.
    const std::int64_t fit = for_ns / kParts / std::max<std::int64_t>(last_ns.at(is_flushed), 1);
    walls.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(fit, 1, kMostOfPart)));
    begins.resize(walls.size());
    if (is_flushed == 1) flush(true);
    const std::int64_t cpu_before_ns = cpu_ns();
    const std::size_t completed = repeater_.repeat(inferences_, {walls, begins}, {});
    const std::int64_t used_ns = cpu_ns() - cpu_before_ns;
    if (is_flushed == 1) flush(false);
    if (completed < walls.size()) return {};
    last_ns.at(is_flushed) = walls.back();
    if (part == 0) last_ns[1] = walls.back();
    spent_ns += std::max<std::int64_t>(sum_of(walls), 1);
    cpu_ns_of_parts.at(is_flushed).push_back(used_ns / static_cast<std::int64_t>(walls.size()));
    auto& kept = of_second_half.at(is_flushed);
    const bool has_room = kept.size() < kParts * kMostOfPart;
    if (2 * spent_ns >= for_ns && has_room) kept.insert(kept.end(), walls.begin(), walls.end());
  }
  Later later{per_inference(of_second_half[0], inferences_), per_inference(of_second_half[1], inferences_)};
  if (!subnormals_cost_time(cpu_ns_of_parts[0], cpu_ns_of_parts[1])) later.flushed_ns.reset();
  return later;
}

bool Repetitions::watch(std::int64_t most_ns, const std::function<void(std::uint64_t inferences)>& mark) {
  const std::uint64_t wanted = (kWatchedInferences + inferences_ - 1) / inferences_;
  const std::size_t between = std::max<std::size_t>(1, (wanted + kMarks - 1) / kMarks);  // repetitions
  std::vector<std::int64_t> walls(between);
  std::vector<std::int64_t> begins(between);
  std::uint64_t inferences = inferences_done_;
  std::int64_t spent_ns = 0;
  mark(inferences);
  for (std::size_t i = 0; i < kMarks && spent_ns < most_ns; ++i) {
    if (repeater_.repeat(inferences_, {walls, begins}, {}) < between) return false;
    inferences += between * inferences_;
    spent_ns += sum_of(walls);
    mark(inferences);
  }
  return true;
}

std::optional<double> Repetitions::processor_time_ns(std::int64_t for_ns, const std::function<std::int64_t()>& cpu_ns) {
  constexpr std::size_t kFewest = 4;
  constexpr std::size_t kMost = 10'000;
  std::vector<std::int64_t> wall(1);
  std::vector<std::int64_t> begin(1);
  std::vector<std::int64_t> used;
  for (std::int64_t spent_ns = 0; used.size() < kFewest || (spent_ns < for_ns && used.size() < kMost);) {
    const std::int64_t before_ns = cpu_ns();
    if (repeater_.repeat(inferences_, {wall, begin}, {}) < wall.size()) return std::nullopt;
    used.push_back(cpu_ns() - before_ns);
    spent_ns += std::max<std::int64_t>(wall[0], 1);
  }
  used.erase(used.begin());
  return per_inference(std::move(used), inferences_);
}

void Repetitions::forget_oldest() {
  const std::size_t from = pilot_sizes_.size() + warm_up_count_;
  const std::size_t to = from + (done_ - from + 1) / 2;
  const auto forget = [](auto& values, std::size_t begin, std::size_t end, std::size_t kept) {
    std::move(values.begin() + static_cast<std::ptrdiff_t>(end), values.begin() + static_cast<std::ptrdiff_t>(kept),
              values.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  forget(walls_ns_, from, to, done_);
  forget(begins_ns_, from, to, done_);
  if (!latency_ends_.empty()) {
    const std::size_t begin = from == 0 ? 0 : latency_ends_[from - 1];
    const std::size_t end = latency_ends_[to - 1];
    forget(latencies_ns_, begin, end, latencies_kept_);
    forget(latency_ends_, from, to, done_);
    latency_ends_.resize(done_ - (to - from));
    for (std::size_t i = from; i < latency_ends_.size(); ++i) latency_ends_[i] -= end - begin;
    latencies_kept_ -= end - begin;
  }
  done_ -= to - from;
}

std::vector<std::vector<std::int64_t>> Repetitions::latencies_ns() const {
  std::vector<std::vector<std::int64_t>> all;
  std::size_t begin = 0;
  for (const std::size_t end : latency_ends_) {
    const auto kept = std::span(latencies_ns_).subspan(begin, end - begin);
    all.emplace_back(kept.begin(), kept.end());
    begin = end;
  }
  while (!all.empty() && all.back().empty()) all.pop_back();
  return all;
}

std::vector<samples::Repetition> Repetitions::repetitions() const {
  std::vector<samples::Repetition> all;
  all.reserve(done_);
  for (std::size_t i = 0; i < done_; ++i) {
    const bool is_pilot = i < pilot_sizes_.size();
    const bool is_warm_up = i < pilot_sizes_.size() + warm_up_count_;
    all.push_back({walls_ns_[i], is_pilot ? pilot_sizes_[i] : inferences_, is_warm_up, begins_ns_[i]});
  }
  return all;
}

}  // namespace ngb::worker

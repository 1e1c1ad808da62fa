// SPDX-License-Identifier: Apache-2.0
#include "samples/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace ngb::samples {
namespace {

struct Cause {
  std::string_view quantity;
  enum class Shows { always, alone, others } shows;
  const char* words;
  const char* advice;
};

constexpr std::array kCauses{
    Cause{"run_queue_wait", Cause::Shows::alone, "a thread waited for a processor in",
          "end the other programs, or measure again when the machine is quiet"},
    Cause{"core_steal", Cause::Shows::always, "the host gave the processors to others in",
          "measure on a machine of your own, or when its host is quiet"},
    Cause{"throttled", Cause::Shows::always, "the quota of its control group stopped it in",
          "use no more threads than the quota allows, or raise the quota"},
    Cause{"other_cpu", Cause::Shows::others, "programs other than it and its load used the processors in",
          "end the other programs, or measure again when the machine is quiet"},
};

struct Wait {
  const Cause* cause = nullptr;
  double percent = 0;
};

Wait longest_wait(const ProcessResult& result, Cause::Shows shows) {
  Wait longest;
  for (const Reading& reading : result.readings) {
    if (reading.moment != "timed" || !reading.value.value || *reading.value.value <= longest.percent) continue;
    const auto cause = std::find_if(kCauses.begin(), kCauses.end(), [&](const Cause& each) {
      const bool counts = each.shows == shows || each.shows == Cause::Shows::always;
      return counts && each.quantity == reading.quantity;
    });
    if (cause != kCauses.end()) longest = {cause, *reading.value.value};
  }
  return longest;
}

// Returns "python3 (process 12) used 4.8 s of processor time, ninja (process 3) 0.7 s". A share of the process's own
// time would be wrong in turns, where they run on while it waits.
std::string busiest(const ProcessResult& result) {
  std::vector<std::string> programs;
  for (const Neighbour& neighbour : result.neighbours) {
    programs.push_back(fmt::format("{} (process {}){} {:.2g} s{}", neighbour.name, neighbour.pid,
                                   programs.empty() ? " used" : "", static_cast<double>(neighbour.cpu_ns) / 1e9,
                                   programs.empty() ? " of processor time" : ""));
  }
  return text::join(programs, ", ");
}

std::optional<Failure> disturbance(const ProcessResult& result, const work::Disturbance& rule, Cause::Shows shows) {
  const Wait wait = longest_wait(result, shows);
  const double allowed_percent = 100 * rule.max_wait_ratio;
  if (wait.cause == nullptr || wait.percent <= allowed_percent || rule.max_wait_ratio >= 1) return std::nullopt;
  Failure failure;
  failure.kind = FailureKind::disturbed;
  failure.phase = Phase::timed;
  failure.message = fmt::format("{} {:.3g} % of the timed phase (allowed: {:.3g} %)", wait.cause->words, wait.percent,
                                allowed_percent);
  if (!result.neighbours.empty()) failure.message += "; meanwhile " + busiest(result);
  failure.advice = wait.cause->advice;
  // A library with several requests in flight may have more threads than processors, which then wait for each other.
  if (wait.cause->shows == Cause::Shows::alone && result.facts.contains("in_flight")) {
    failure.advice +=
        "; with requests in flight its own threads may wait for each other as well: then give in_flight "
        "another value, or allow more (disturbance: max_wait_percent)";
  }
  return failure;
}

}  // namespace

std::optional<double> own_wait_percent(const std::vector<Reading>& shares, std::size_t cpus, double max_wait_ratio) {
  const auto share = [&shares](std::string_view quantity) -> std::optional<double> {
    const auto found = std::ranges::find(shares, quantity, &Reading::quantity);
    return found == shares.end() ? std::nullopt : found->value.value;
  };
  const std::optional<double> wait = share("run_queue_wait");
  const std::optional<double> others = share("other_cpu");
  if (!wait || !others || *wait <= 100 * max_wait_ratio) return std::nullopt;
  return *others * static_cast<double>(cpus) < *wait / 2 ? wait : std::nullopt;
}

std::optional<Failure> disturbance_of(const ProcessResult& result, const work::Disturbance& rule) {
  const bool waits_for_itself = result.facts.contains(std::string(kWaitsForItself));
  return disturbance(result, rule, waits_for_itself ? Cause::Shows::others : Cause::Shows::alone);
}

std::optional<Failure> disturbance_beside_load(const ProcessResult& result, const work::Disturbance& rule) {
  return disturbance(result, rule, Cause::Shows::others);
}

double disturbed_percent(const ProcessResult& result, bool causes_its_wait) {
  return longest_wait(result, causes_its_wait ? Cause::Shows::others : Cause::Shows::alone).percent;
}

}  // namespace ngb::samples

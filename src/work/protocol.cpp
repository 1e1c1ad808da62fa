// SPDX-License-Identifier: Apache-2.0
#include "work/protocol.h"

#include <algorithm>
#include <array>

#include "base/words.h"

namespace ngb::work {

namespace {

// A repetition below `below_ns` is run `count` times. Long repetitions vary less, and cost more.
struct CountByTime {
  std::int64_t below_ns;
  int count;
};
constexpr std::array<CountByTime, 4> kCounts{
    {{50'000'000, 20}, {200'000'000, 10}, {2'000'000'000, 5}, {20'000'000'000, 3}}};
constexpr int kCountOfTheLongest = 1;

constexpr EnumWords<2> kEnds{"decided", "decided_against_baseline"};
constexpr EnumWords<2> kOvers{"compilers", "models"};

}  // namespace

std::string_view name(Until until) { return word_in(kEnds, until); }
Result<Until> parse_until(std::string_view name) { return parse_word<Until>(kEnds, name, "end of rounds"); }

std::string_view name(Over over) { return word_in(kOvers, over); }
Result<Over> parse_over(std::string_view name) { return parse_word<Over>(kOvers, name, "what rounds are over"); }

int planned_processes(const Protocol& protocol) { return protocol.rounds ? protocol.rounds->max : protocol.processes; }

int expected_processes(const Protocol& protocol) { return protocol.rounds ? protocol.rounds->min : protocol.processes; }

int most_repetitions(const Protocol& protocol) {
  if (protocol.stop_when) return std::max(protocol.stop_when->max_repetitions, 1);
  return std::max(protocol.repetitions.value_or(kCounts.front().count), 1);
}

int least_repetitions(const Protocol& protocol) {
  if (protocol.stop_when) return std::max(protocol.stop_when->min_repetitions, 1);
  return std::max(protocol.repetitions.value_or(kCountOfTheLongest), 1);
}

int repetitions_by_time(std::int64_t repetition_ns) {
  const auto found = std::find_if(kCounts.begin(), kCounts.end(),
                                  [&](const CountByTime& each) { return repetition_ns < each.below_ns; });
  return found == kCounts.end() ? kCountOfTheLongest : found->count;
}

std::string_view name(Compilation compilation) { return word_in(kCompilations, compilation); }
Result<Compilation> parse_compilation(std::string_view name) {
  return parse_word<Compilation>(kCompilations, name, "compilation");
}

}  // namespace ngb::work

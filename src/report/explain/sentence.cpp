// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/explain/explain.h"
#include "report/write/numbers.h"

namespace ngb::report {
namespace {

constexpr std::size_t kNamedRegions = 3;
constexpr double kWorthNaming = 0.1;  // of the difference
// Of the slower side's time. Many kernels' least times are whole microseconds and vary by less, so that a microsecond
// more in every round would be told.
constexpr double kWorthNamingUndisturbed = 0.01;

std::string interval_ms(const statistics::Contrast& found) {
  if (!found.interval) return {};
  const double size = found.estimate / 1e6;
  const double low = std::min(std::fabs(found.interval->low), std::fabs(found.interval->high)) / 1e6;
  const double high = std::max(std::fabs(found.interval->low), std::fabs(found.interval->high)) / 1e6;
  return fmt::format(" [{:.{}f}, {:.{}f}]", low, decimals_of(size), high, decimals_of(size));
}

bool is_plain_told(const statistics::Contrast& found) {
  return found.interval && (found.interval->low > 0 || found.interval->high < 0);
}

// "+0.24 ms", "-0.24 ms"
std::string signed_ms(double ns) { return (ns < 0 ? "-" : "+") + milliseconds(std::fabs(ns)); }

// Returns how far the difference of a region can be relied on: "" if it is told.
std::string doubt_of(const explain::RegionDifference& region) {
  if (region.is_told()) return {};
  if (region.is_told_undisturbed()) return fmt::format(" (undisturbed {})", signed_ms(region.undisturbed->estimate));
  return " (not told from chance)";
}

// What of a difference is named: "1.40 ms of it in conv1+bn1+act1, 0.30 ms in maxpool".
struct Named {
  std::string words{};  // "": no region has enough of it
  double ns = 0;        // of those together
};

// Those that are named go in the direction of the whole.
Named those_behind(const std::vector<explain::RegionDifference>& regions, double whole) {
  Named named;
  std::size_t count = 0;
  for (const explain::RegionDifference& region : regions) {
    const double share = region.difference.estimate / whole;
    if (share < kWorthNaming || count == kNamedRegions) continue;
    named.words +=
        fmt::format("{}{}{} in {}{}", count == 0 ? "" : ", ", milliseconds(std::fabs(region.difference.estimate)),
                    count == 0 ? " of it" : "", region.label, doubt_of(region));
    named.ns += region.difference.estimate;
    ++count;
  }
  return named;
}

// Says what the other regions have, and what the regions miss, so that all parts add up to the whole:
// ", 0.50 ms in all others; 0.20 ms are not explained".
std::string words_of_rest(const explain::Explanation& found, double named_ns) {
  const double direction = found.plain.estimate < 0 ? -1 : 1;
  const double others = direction * (found.operators.estimate - named_ns);
  const double missed = direction * (found.plain.estimate - found.operators.estimate);
  const std::string of_others =
      named_ns == 0 ? ""
                    : fmt::format(", {}{} in all others", others < 0 ? "less " : "", milliseconds(std::fabs(others)));
  return missed < 0
             ? fmt::format("{}; the regions differ by {} more than the plain times", of_others, milliseconds(-missed))
             : fmt::format("{}; {} are not explained", of_others, milliseconds(missed));
}

// What is spread over many regions is in none of them, but in all with the same operators.
std::string regions_behind(const explain::Explanation& found) {
  for (const auto* const regions : {&found.regions, &found.alike}) {
    const Named named = those_behind(*regions, found.plain.estimate);
    if (!named.words.empty()) return named.words + words_of_rest(found, named.ns);
  }
  return fmt::format("no region has {:.0f} % of it", 100 * kWorthNaming) + words_of_rest(found, 0);
}

std::string regions_that_differ(const explain::Explanation& found) {
  std::vector<std::string> parts;
  for (const explain::RegionDifference& region : found.regions) {
    if (!region.is_told() || parts.size() == kNamedRegions) continue;
    parts.push_back(fmt::format("{} by {}", region.label, signed_ms(region.difference.estimate)));
  }
  return text::join(parts, ", ");
}

// Returns the regions that differ by their undisturbed times, the largest difference first; "" if none does by enough.
std::string regions_that_differ_undisturbed(const explain::Explanation& found) {
  const double least_ns = kWorthNamingUndisturbed * std::max(found.baseline.plain, found.candidate.plain);
  std::vector<const explain::RegionDifference*> told;
  for (const explain::RegionDifference& region : found.regions) {
    const bool is_worth = region.is_told_undisturbed() && std::fabs(region.undisturbed->estimate) >= least_ns;
    if (is_worth) told.push_back(&region);
  }
  std::sort(told.begin(), told.end(), [](const auto* a, const auto* b) {
    return std::fabs(a->undisturbed->estimate) > std::fabs(b->undisturbed->estimate);
  });
  told.resize(std::min(told.size(), kNamedRegions));
  std::vector<std::string> parts;
  for (const auto* const region : told) {
    parts.push_back(fmt::format("{} by {}", region->label, signed_ms(region->undisturbed->estimate)));
  }
  return text::join(parts, ", ");
}

}  // namespace

std::string sentence_of(const ExplainedPair& pair) {
  if (!pair.explanation) return pair.why_not;
  const explain::Explanation& found = *pair.explanation;
  const auto& [baseline, candidate] = pair.names;
  if (found.is_same()) {
    if (const std::string undisturbed = regions_that_differ_undisturbed(found); !undisturbed.empty()) {
      return fmt::format(
          "{} and {} are not told apart by mean times ({} and {}); by the least times of their kernels, which other "
          "work on the machine hardly changes, these regions differ: {}",
          candidate, baseline, milliseconds(found.candidate.plain), milliseconds(found.baseline.plain), undisturbed);
    }
    return fmt::format("nothing is told to differ: {} takes {}, {} {}, and no region differs by more than chance",
                       baseline, milliseconds(found.baseline.plain), candidate, milliseconds(found.candidate.plain));
  }
  if (!is_plain_told(found.plain)) {
    return fmt::format("{} and {} are not told apart ({} and {}), but these regions differ: {}", candidate, baseline,
                       milliseconds(found.candidate.plain), milliseconds(found.baseline.plain),
                       regions_that_differ(found));
  }
  const bool is_faster = found.plain.estimate < 0;
  return fmt::format("{} is {}{} {} of {}: {}", candidate, milliseconds(std::fabs(found.plain.estimate)),
                     interval_ms(found.plain), is_faster ? "faster" : "slower", milliseconds(found.baseline.plain),
                     regions_behind(found));
}

std::string closing_line_of(const ExplainedPair& pair) {
  const explain::Explanation& found = *pair.explanation;
  const std::string sums = fmt::format("all regions together differ by {}, the plain times by {}",
                                       milliseconds(found.operators.estimate), milliseconds(found.plain.estimate));
  const std::string miss = fmt::format("{:.1f} % of the slower side's time", 100 * found.gap_ratio());
  return found.is_explained() ? fmt::format("explained: {}; they miss it by {}, at most {:.0f} % is wanted", sums, miss,
                                            100 * explain::kExplainedRatio)
                              : fmt::format("not explained: {}; they miss it by {}, more than {:.0f} %", sums, miss,
                                            100 * explain::kExplainedRatio);
}

}  // namespace ngb::report

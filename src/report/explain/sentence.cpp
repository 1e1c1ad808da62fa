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

std::string ms(double ns) {
  const double value = ns / 1e6;
  return fmt::format("{:.{}f} ms", value, decimals_of(value));
}

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

// Returns those that go in the direction of the whole: "1.40 ms of it in conv1+bn1+act1, 0.30 ms in maxpool".
std::string those_behind(const std::vector<explain::RegionDifference>& regions, double whole) {
  std::vector<std::string> parts;
  for (const explain::RegionDifference& region : regions) {
    const double share = region.difference.estimate / whole;
    if (share < kWorthNaming || parts.size() == kNamedRegions) continue;
    parts.push_back(fmt::format("{}{} in {}{}", ms(std::fabs(region.difference.estimate)),
                                parts.empty() ? " of it" : "", region.label,
                                region.is_told() ? "" : " (not told from chance)"));
  }
  return text::join(parts, ", ");
}

// What is spread over many regions is in none of them, but in all with the same operators.
std::string regions_behind(const explain::Explanation& found) {
  for (const auto* const regions : {&found.regions, &found.alike}) {
    if (std::string words = those_behind(*regions, found.plain.estimate); !words.empty()) return words;
  }
  return fmt::format("no region has {:.0f} % of it", 100 * kWorthNaming);
}

std::string regions_that_differ(const explain::Explanation& found) {
  std::vector<std::string> parts;
  for (const explain::RegionDifference& region : found.regions) {
    if (!region.is_told() || parts.size() == kNamedRegions) continue;
    parts.push_back(fmt::format("{} by {}{}", region.label, region.difference.estimate < 0 ? "-" : "+",
                                ms(std::fabs(region.difference.estimate))));
  }
  return text::join(parts, ", ");
}

}  // namespace

std::string sentence_of(const ExplainedPair& pair) {
  if (!pair.explanation) return pair.why_not;
  const explain::Explanation& found = *pair.explanation;
  const auto& [baseline, candidate] = pair.names;
  if (found.is_same()) {
    return fmt::format("nothing is told to differ: {} takes {}, {} {}, and no region differs by more than chance",
                       baseline, ms(found.baseline.plain), candidate, ms(found.candidate.plain));
  }
  if (!is_plain_told(found.plain)) {
    return fmt::format("{} and {} are not told apart ({} and {}), but these regions differ: {}", candidate, baseline,
                       ms(found.candidate.plain), ms(found.baseline.plain), regions_that_differ(found));
  }
  const bool is_faster = found.plain.estimate < 0;
  return fmt::format("{} is {}{} {} of {}: {}; {} are not explained", candidate, ms(std::fabs(found.plain.estimate)),
                     interval_ms(found.plain), is_faster ? "faster" : "slower", ms(found.baseline.plain),
                     regions_behind(found), ms(std::fabs(found.plain.estimate - found.operators.estimate)));
}

std::string closing_line_of(const ExplainedPair& pair) {
  const explain::Explanation& found = *pair.explanation;
  const std::string sums = fmt::format("all regions together differ by {}, the plain times by {}",
                                       ms(found.operators.estimate), ms(found.plain.estimate));
  const std::string miss = fmt::format("{:.1f} % of the slower side's time", 100 * found.gap_ratio());
  return found.is_explained() ? fmt::format("explained: {}; they miss it by {}, at most {:.0f} % is wanted", sums, miss,
                                            100 * explain::kExplainedRatio)
                              : fmt::format("not explained: {}; they miss it by {}, more than {:.0f} %", sums, miss,
                                            100 * explain::kExplainedRatio);
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "report/bisection.h"

#include <fmt/format.h>

#include <array>

#include "report/bisection_formats.h"
#include "report/named_format.h"

namespace ngb::report {
namespace {

using metrics::Fault;

// name, meaning, show
constexpr std::array kBisectionFormats{
    BisectionFormat{"text", "the answer, then a table of the versions that were tried", bisection_text},
    BisectionFormat{"json", "the same with every number unrounded", bisection_json},
};

// Returns what the last version is if it is bad: "slower than 1.27.0 by more than 3 %".
std::string fault_words(const Bisected& bisected) {
  const std::string& baseline = bisected.versions.front();
  switch (bisected.fault) {
    case Fault::slower:
      return fmt::format("slower than {} by more than {:g} %", baseline, 100 * bisected.threshold_ratio);
    case Fault::faster:
      return fmt::format("faster than {} by more than {:g} %", baseline, 100 * bisected.threshold_ratio);
    case Fault::fails:
      return fmt::format("failing where {} works", baseline);
    case Fault::inaccurate:
      break;
  }
  return fmt::format("inaccurate where {} is accurate", baseline);
}

}  // namespace

std::span<const BisectionFormat> bisection_formats() { return kBisectionFormats; }

Result<const BisectionFormat*> find_bisection_format(std::string_view name) {
  return find_named(bisection_formats(), name);
}

std::string_view word_of(Finding finding, Fault fault) {
  constexpr std::array<std::string_view, 4> kGood{"not slower", "works", "accurate", "not faster"};
  switch (finding) {
    case Finding::good:
      return kGood.at(static_cast<std::size_t>(fault));
    case Finding::bad:
      return metrics::name(fault);
    case Finding::undecided:
      return "undecided";
    case Finding::unusable:
      break;
  }
  return "stepped over";
}

std::string bisection_summary(const Bisected& bisected) {
  const std::string words = fault_words(bisected);
  if (!bisected.end) {
    const std::string last = fmt::format("{} {}", bisected.compiler, bisected.versions.back());
    if (bisected.tried.back().finding == Finding::undecided) {
      return fmt::format("It is undecided whether {} is {}: there is nothing to search for yet", last, words);
    }
    return fmt::format("{} is not {}: there is nothing to search for", last, words);
  }
  const std::string& first_bad = bisected.versions[bisected.end->first_bad];
  if (bisected.end->is_certain()) {
    return fmt::format("{} {} is the first version that is {}", bisected.compiler, first_bad, words);
  }
  return fmt::format("{} {} is the first version that was shown to be {}; undecided between {} and {}",
                     bisected.compiler, first_bad, words, bisected.versions[bisected.end->last_good], first_bad);
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/about_allocator.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "metrics/allocator.h"
#include "metrics/axis.h"
#include "metrics/outcome.h"
#include "metrics/series/relation.h"
#include "metrics/series/speed_words.h"

namespace ngb::metrics::series {
namespace {

std::string words_for(const Analysis& analysis, std::size_t cell) {
  const store::CellData& of = analysis.cell(cell);
  return fmt::format("{} on {} at batch {}", compiler_in_words(of), of.of.model.label, of.of.model.key.batch);
}

std::string and_others(std::size_t count, const char* what) {
  if (count < 2) return ".";
  return fmt::format(" ({} more {}{} likewise).", count - 1, what, count == 2 ? "" : "s");
}

std::string about_processes(const Analysis& analysis) {
  std::optional<FaultStates> most;
  std::size_t at = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const store::CellData& cell = analysis.cell(i);
    const auto states = states_of(with_page_faults(cell, analysis.steady(i)), cell.of.model.key.batch);
    if (!states) continue;
    ++count;
    if (most && most->times >= states->times) continue;
    most = states;
    at = i;
  }
  if (!most) return {};
  return fmt::format(
      "{} of {} processes of {} took {} times as long as the others, with {:.0f} page faults an inference instead "
      "of {:.0f}: the C library's allocator returned memory to the kernel. `allocator: steady` removes that{}",
      most->slower, most->slower + most->faster, words_for(analysis, at), three_digits(most->times),
      most->slower_faults, most->faster_faults, and_others(count, "cell"));
}

// A speed-up as it was measured and as it would be with the other setting of `allocator`.
struct Changed {
  std::size_t cell = 0;
  double speed_up = 1;
  double other = 1;
  bool keeps = false;  // the other setting keeps all memory
};

std::optional<Changed> changed_speed_up(const Analysis& analysis, std::size_t cell) {
  const std::optional<std::size_t> baseline = analysis.baseline_of(cell);
  if (!baseline || *baseline == cell) return std::nullopt;
  const auto own = other_allocator_of(analysis.cell(cell));
  const auto of_baseline = other_allocator_of(analysis.cell(*baseline));
  if (!own || !of_baseline || own->keeps != of_baseline->keeps) return std::nullopt;
  if (!analysis.steady(cell).doubt.empty() || !analysis.steady(*baseline).doubt.empty()) return std::nullopt;
  const Relation relation = log_speed_up(analysis, cell);
  const Value speed_up = ratio_value(analysis, relation);
  if (!has_enough_processes(relation) || !speed_up.low) return std::nullopt;
  const double factor = of_baseline->times / own->times;
  if (std::abs(std::log(factor)) <= std::log1p(kLeastAllocatorShare)) return std::nullopt;
  const double other = *speed_up.value * factor;
  if (other >= *speed_up.low && other <= *speed_up.high) return std::nullopt;
  return Changed{cell, *speed_up.value, other, own->keeps};
}

std::string about_speed_ups(const Analysis& analysis) {
  std::optional<Changed> most;
  std::size_t count = 0;
  const auto change = [](const Changed& of) { return std::abs(std::log(of.other / of.speed_up)); };
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const std::optional<Changed> changed = changed_speed_up(analysis, i);
    if (!changed) continue;
    ++count;
    if (!most || change(*changed) > change(*most)) most = changed;
  }
  if (!most) return {};
  const std::string words =
      fmt::format("{} would be about {} times as fast as {}, not {}", words_for(analysis, most->cell),
                  three_digits(most->other), analysis.baseline().in_a_sentence(), three_digits(most->speed_up));
  const std::string what =
      most->keeps
          ? words + ", if the C library's allocator kept its memory (`allocator: steady`)"
          : "By default, the C library's allocator may return memory in every inference, as chance has it: then " +
                words;
  return what + and_others(count, "speed-up");
}

}  // namespace

std::vector<std::string> about_allocator(const Analysis& analysis) {
  std::vector<std::string> sentences;
  for (std::string sentence : {about_processes(analysis), about_speed_ups(analysis)}) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace ngb::metrics::series

// SPDX-License-Identifier: Apache-2.0
#include "metrics/history/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>

#include "base/threads.h"
#include "metrics/baseline.h"

namespace ngb::metrics::history {
namespace {

using statistics::Contrast;
using statistics::Verdict;

// The points of a line that have a value, as contrasts are made of them: higher is better.
struct Levels {
  std::vector<std::size_t> points{};  // indices
  std::vector<double> values{};
};

double level_of(const Judged& by, double value) {
  const double sign = by.metric == nullptr || by.metric->is_higher_better() ? 1 : -1;
  return sign * (by.is_by_difference() ? value : std::log(value));
}

Levels levels_of(const Judged& by, const Line& line) {
  Levels levels;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    if (!line.points[i].value.value) continue;
    levels.points.push_back(i);
    levels.values.push_back(level_of(by, *line.points[i].value.value));
  }
  return levels;
}

// The levels from one change to the next but one, divided by the change between.
struct Sides {
  std::size_t begin = 0;
  std::size_t at = 0;
  std::size_t end = 0;
};

Contrast step_of(const std::vector<double>& values, const Sides& sides) {
  const auto from = [&](std::size_t index) { return values.begin() + static_cast<std::ptrdiff_t>(index); };
  return statistics::contrast(std::array{statistics::Part{{from(sides.at), from(sides.end)}, 1},
                                         statistics::Part{{from(sides.begin), from(sides.at)}, -1}});
}

bool is_told(const Contrast& contrast) {
  return contrast.interval && (contrast.interval->low > 0 || contrast.interval->high < 0);
}

Verdict verdict_on(const Contrast& step, double margin) {
  if (!step.interval) return Verdict::undecided;
  if (-margin < step.interval->low && step.interval->high < margin) return Verdict::same;
  if (!is_told(step)) return Verdict::undecided;
  return step.estimate > 0 ? Verdict::faster : Verdict::slower;
}

// The line and its identity at the results that have a value of both.
struct Beside {
  std::vector<double> line{};
  std::vector<double> identity{};
  std::vector<double> over{};            // line - identity
  std::vector<const Origin*> origins{};  // of the identity
  Sides sides{};
};

Beside beside_identity(const History& history, const Line& line, const Levels& levels, const Sides& sides) {
  std::map<std::uint32_t, const Point*> of_source;
  for (const Point& point : history.lines[*line.identity].points) {
    if (point.value.value) of_source.emplace(point.source, &point);
  }
  Beside beside;
  for (std::size_t i = sides.begin; i < sides.end; ++i) {
    if (i == sides.at) beside.sides.at = beside.line.size();
    const auto found = of_source.find(line.points[levels.points[i]].source);
    if (found == of_source.end()) continue;
    const double of_identity = level_of(history.by, *found->second->value.value);
    beside.line.push_back(levels.values[i]);
    beside.identity.push_back(of_identity);
    beside.over.push_back(levels.values[i] - of_identity);
    beside.origins.push_back(&history.origin(*found->second));
  }
  beside.sides.end = beside.line.size();
  return beside;
}

void not_known(Change& change, std::string why) { change.why_unknown = std::move(why); }

// A part of the step counts if it is told from 0 and is at least a quarter of the whole.
bool counts(const Contrast& part, double step) {
  constexpr double kLeastShare = 0.25;
  return is_told(part) && std::abs(part.estimate) >= kLeastShare * std::abs(step);
}

void conclude_cause(Change& change, const Beside& beside) {
  const double step = step_of(beside.line, beside.sides).estimate;
  const bool is_of_compiler = counts(*change.beside_identity, step);
  const bool is_of_machine = counts(*change.of_identity, step);
  const Origin& before = *beside.origins[beside.sides.at - 1];
  const Origin& after = *beside.origins[beside.sides.at];
  if (is_of_machine && before.version != after.version) {
    return not_known(change, fmt::format("the identity changed its version there too, from {} to {}", before.version,
                                         after.version));
  }
  if (!is_of_compiler && !is_of_machine) {
    return not_known(change, "neither the identity's step nor that beside it is told from 0");
  }
  change.cause = is_of_compiler && is_of_machine ? Cause::both : is_of_compiler ? Cause::compiler : Cause::machine;
}

// The identity's own step is the machine's, if its library stayed the same.
void find_cause_of_identity(const History& history, const Line& line, const Levels& levels, const Sides& sides,
                            Change& change) {
  const Origin& before = history.origin(line.points[levels.points[sides.at - 1]]);
  const Origin& after = history.origin(line.points[levels.points[sides.at]]);
  change.of_identity = change.step;
  if (before.version != after.version) return not_known(change, "its own version changed there");
  change.cause = Cause::machine;
}

void find_cause(const History& history, const Line& line, const Levels& levels, const Sides& sides, Change& change) {
  if (is_called_identity(line.cell)) return find_cause_of_identity(history, line, levels, sides, change);
  if (!line.identity) return not_known(change, line.why_no_identity);
  const Beside beside = beside_identity(history, line, levels, sides);
  constexpr std::size_t kLeast = 2;  // of a deviation
  if (beside.sides.at < kLeast || beside.sides.end - beside.sides.at < kLeast) {
    return not_known(change, "the identity has fewer than two values before or after it");
  }
  change.of_identity = step_of(beside.identity, beside.sides);
  change.beside_identity = step_of(beside.over, beside.sides);
  conclude_cause(change, beside);
}

std::vector<Change> changes_of(const History& history, const Line& line, const Levels& levels,
                               const std::vector<statistics::ChangePoint>& found) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Sides sides{i == 0 ? 0 : found[i - 1].at, found[i].at,
                      i + 1 < found.size() ? found[i + 1].at : levels.values.size()};
    Change change{
        .at = levels.points[sides.at],
        .statistic = found[i].statistic,
        .p_value = found[i].p_value,
        .step = step_of(levels.values, sides),
        .with = differences(history, line.points[levels.points[sides.at - 1]], line.points[levels.points[sides.at]])};
    change.verdict = verdict_on(change.step, history.by.limit());
    find_cause(history, line, levels, sides, change);
    changes.push_back(std::move(change));
  }
  return changes;
}

// Fills in what the line shows by itself, and returns what its last point is judged by.
statistics::LastValue show_alone(const History& history, const Line& line, Findings& findings) {
  const Levels levels = levels_of(history.by, line);
  findings.values = levels.values.size();
  const auto found = statistics::change_points(levels.values);
  if (findings.values < statistics::kLeastHistory) {
    findings.why_no_changes = fmt::format("a change needs {} points with a value", statistics::kLeastHistory);
  }
  findings.changes = changes_of(history, line, levels, found);
  if (const auto deviation = statistics::deviation_within(levels.values, found))
    findings.least_change = statistics::least_change(findings.values, *deviation);
  statistics::LastValue last{.is_exact =
                                 history.by.metric != nullptr && history.by.metric->better == Better::lower_exactly};
  if (levels.points.empty() || levels.points.back() + 1 != line.points.size()) return last;
  const std::size_t begin = found.empty() ? 0 : found.back().at;
  last.before.assign(levels.values.begin() + static_cast<std::ptrdiff_t>(begin), levels.values.end() - 1);
  last.last = levels.values.back();
  findings.window = last.before.size();
  return last;
}

std::string why_not_judged(const Line& line) {
  const std::string& why = line.points.back().value.reason;
  return fmt::format("the last point has no value: {}", why);
}

}  // namespace

std::string_view name(Cause cause) {
  constexpr std::array<std::string_view, 4> kNames{"compiler", "machine", "both", "unknown"};
  return kNames.at(static_cast<std::size_t>(cause));
}

std::vector<Findings> findings_of(const History& history, const statistics::VerdictRules& rules, int threads) {
  std::vector<Findings> all(history.lines.size());
  std::vector<statistics::LastValue> last(history.lines.size());
  std::atomic<std::size_t> next{0};
  run_side_by_side(static_cast<std::size_t>(std::max(1, threads)), [&](std::size_t /*thread*/) {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      if (history.lines[i].is_shown) last[i] = show_alone(history, history.lines[i], all[i]);
    }
  });
  statistics::VerdictRules by_metric = rules;
  by_metric.margin_ratio = history.by.margin_ratio;
  if (history.by.is_by_difference()) by_metric.margin_difference = history.by.margin_difference;
  std::vector<statistics::LastJudgement> judgements = statistics::judge_last(last, by_metric);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].last = std::move(judgements[i]);
    const Line& line = history.lines[i];
    if (line.is_shown && !line.points.back().value.value) all[i].last.reason = why_not_judged(line);
  }
  return all;
}

}  // namespace ngb::metrics::history

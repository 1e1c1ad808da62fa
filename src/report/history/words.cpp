// SPDX-License-Identifier: Apache-2.0
// The words of `ngb history`: names of points and lines, changes, remarks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <ratio>

#include "base/text.h"
#include "report/columns.h"
#include "report/compare/outcomes.h"
#include "report/history/lines.h"
#include "report/words.h"

namespace ngb::report {
namespace {

// Returns how many cells are expected to show a change by chance; "" if in none a change can be found.
std::string chance_remark(const ShownHistory& shown) {
  std::size_t lines = 0;
  each_line(shown, [&](const LineOf& of) {
    if (of.findings.values >= statistics::kLeastHistory) ++lines;
  });
  if (lines == 0) return {};
  return fmt::format(
      "Changes are found by E-divisive: of {} {} in which nothing changed, {:.2g} would show one by chance", lines,
      lines == 1 ? "cell" : "cells", statistics::kErrorRate * static_cast<double>(lines));
}

}  // namespace

std::string time_of_results(const history::Source& source) {
  constexpr std::size_t kLongest = 32;
  const auto seconds = static_cast<std::time_t>(source.recorded_unix_ns / std::nano::den);
  std::tm utc{};
  std::array<char, kLongest> text{};
  const bool is_known = source.recorded_unix_ns > 0 && ::gmtime_r(&seconds, &utc) != nullptr;
  if (!is_known) return "unknown date";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string_view word_of_change(statistics::Verdict verdict, const metrics::Judged& by) {
  if (by.metric != nullptr && verdict == statistics::Verdict::slower) return "worse";
  if (by.metric != nullptr && verdict == statistics::Verdict::faster) return "better";
  return name(verdict);
}

std::string name_of_point(const history::History& whole, const history::Point& point) {
  const history::Source& source = whole.sources[point.source];
  switch (whole.order) {
    case history::Order::version:
      return whole.origin(point).version;
    case history::Order::label:
      return whole.origin(point).label;
    case history::Order::commit:
      return history::commit_of(source.name);
    case history::Order::date:
      break;
  }
  constexpr std::size_t kThroughDay = 10;
  constexpr std::size_t kThroughMinutes = 16;
  if (source.recorded_unix_ns <= 0) return time_of_results(source);
  std::string time = time_of_results(source).substr(0, whole.share_days ? kThroughMinutes : kThroughDay);
  std::ranges::replace(time, 'T', ' ');
  return time;
}

std::string name_of_line(const history::History& whole, const history::Line& line) {
  store::CellData named = {.of = line.cell.of};
  for (const history::Point& point : line.points) {
    const history::Origin& origin = whole.origin(point);
    if (origin.label != line.cell.of.compiler.label) named.of.compiler.label = line.cell.of.compiler.name;
    if (origin.version != line.cell.of.compiler.version) named.of.compiler.version.clear();
  }
  const std::string threads = line.cell.of.threads == 1 ? "" : ", " + threads_of(line.cell);
  return fmt::format("{}: {}{}{}", workload_on_device(named), compiler_in_words(named), handed_after_name(named),
                     threads);
}

std::string words_of_change(const history::History& whole, const history::Line& line, const history::Change& change) {
  const Shown step = shown_entry(shown_contrast(change.step, whole.by), "ratio");
  std::string words = fmt::format("{} {}{} at {}", word_of_change(change.verdict, whole.by), step.main, step.tail,
                                  name_of_point(whole, line.points[change.at]));
  if (change.cause == history::Cause::unknown) return words;
  const bool is_both = change.cause == history::Cause::both;
  return fmt::format("{} ({})", words, is_both ? "compiler and machine" : name(change.cause));
}

std::string words_of(const std::vector<history::Difference>& differences) {
  std::vector<std::string> words;
  for (const auto& [entry, before, after] : differences)
    words.push_back(fmt::format("{} {} → {}", text::visible(entry), text::visible(before), text::visible(after)));
  return text::join(words, ", ");
}

std::string words_of_surroundings(const history::ChangeOfSurroundings& change) {
  return fmt::format("{}: {}", text::visible(change.of), words_of({change.difference}));
}

std::vector<std::string> history_remarks(const ShownHistory& shown) {
  constexpr std::size_t kMostChanges = 20;
  std::vector<std::string> found = history::remarks(*shown.lines);
  if (const std::string remark = chance_remark(shown); !remark.empty()) found.push_back(remark);
  const auto changes = history::changes_of_surroundings(*shown.lines);
  for (std::size_t i = 0; i < std::min(kMostChanges, changes.size()); ++i) {
    const std::string& results = shown.lines->sources[changes[i].source].name;
    found.push_back(fmt::format("From {} on, {}", text::visible(results), words_of_surroundings(changes[i])));
  }
  if (changes.size() > kMostChanges) {
    found.push_back(fmt::format("{} more changes of environments and versions: --format json has all",
                                changes.size() - kMostChanges));
  }
  return found;
}

}  // namespace ngb::report

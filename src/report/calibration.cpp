// SPDX-License-Identifier: Apache-2.0
#include "report/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "report/write/text.h"
#include "statistics/statistics.h"
#include "work/codec.h"

namespace ngb::report {
namespace {

using metrics::CalibratedThreads;
using metrics::Calibration;
using metrics::DeviceCalibration;
using metrics::EqualCell;
using nlohmann::json;

constexpr std::array kShownRounds{5, 15};
constexpr double kAskedDifference = 0.02;

std::string percent_text(double ratio) { return fmt::format("{:.2g} %", 100 * ratio); }

std::string minute_text(std::int64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm utc{};
  std::array<char, 32> text{};
  const std::size_t length =
      ::gmtime_r(&seconds, &utc) == nullptr ? 0 : std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &utc);
  return {text.data(), length};
}

std::string rounds_text(const Calibration& found) {
  return found.least_rounds == found.most_rounds ? fmt::format("{}", found.least_rounds)
                                                 : fmt::format("{} to {}", found.least_rounds, found.most_rounds);
}

// Differences of the median cell and of the cell that 80 % stay below, and the time that a cell's rounds take.
std::string told_text(const Calibration& found, int rounds) {
  return fmt::format("{}, {} in {}", percent_text(metrics::smallest_difference(found.median_deviation, rounds)),
                     percent_text(metrics::smallest_difference(found.high_deviation, rounds)),
                     text::human_duration(rounds * found.round_s));
}

std::string duration_text(const std::optional<double>& seconds) {
  return seconds ? text::human_duration(*seconds) : "–";
}

Row row_of_threads(const CalibratedThreads& measured) {
  const Calibration found = metrics::calibrate(measured.cells);
  Row row;
  row.entries.push_back(text_entry(fmt::format("{}", measured.threads)));
  row.entries.push_back(text_entry(fmt::format("{}", measured.turns)));
  if (found.cells == 0) {
    row.rest = text_entry("no cell has three rounds");
    return row;
  }
  row.entries.push_back(text_entry(fmt::format("{}", found.cells)));
  row.entries.push_back(text_entry(rounds_text(found)));
  row.entries.push_back(
      text_entry(fmt::format("{}, {}", percent_text(found.median_deviation), percent_text(found.high_deviation))));
  for (const int rounds : kShownRounds) row.entries.push_back(text_entry(told_text(found, rounds)));
  row.entries.push_back(text_entry(fmt::format("{} of {}", found.false_verdicts, found.cells)));
  row.entries.push_back(text_entry(found.lag_1 ? fmt::format("{:+.2f}", *found.lag_1) : "–"));
  return row;
}

Row row_of_cell(const CalibratedThreads& measured, const EqualCell& cell) {
  const auto deviation = statistics::standard_deviation(cell.differences);
  Row row;
  row.entries.push_back(text_entry(text::visible(cell.name)));
  row.entries.push_back(text_entry(fmt::format("{}", measured.threads)));
  row.entries.push_back(text_entry(fmt::format("{}", measured.turns)));
  row.entries.push_back(text_entry(duration_text(cell.inference_s)));
  row.entries.push_back(text_entry(duration_text(cell.process_s)));
  row.entries.push_back(text_entry(fmt::format("{}", cell.differences.size())));
  row.entries.push_back(text_entry(deviation ? percent_text(*deviation) : "–"));
  return row;
}

json smallest_json(const Calibration& found) {
  json all = json::array();
  for (const int rounds : kShownRounds) {
    all.push_back({{"rounds", rounds},
                   {"median_ratio", metrics::smallest_difference(found.median_deviation, rounds)},
                   {"high_ratio", metrics::smallest_difference(found.high_deviation, rounds)},
                   {"seconds", rounds * found.round_s}});
  }
  return all;
}

json equal_cell_json(const EqualCell& cell) {
  json made = work::write_json(cell);
  const auto deviation = statistics::standard_deviation(cell.differences);
  made["deviation"] = work::write_json(deviation);
  return made;
}

json threads_json(const CalibratedThreads& measured) {
  const Calibration found = metrics::calibrate(measured.cells);
  const bool has_cells = found.cells > 0;
  json made{{"threads", measured.threads},
            {"turns", measured.turns},
            {"compiler", measured.compiler},
            {"measured_unix_ns", measured.measured_unix_ns},
            {"cells", found.cells},
            {"unusable_cells", found.unusable},
            {"deviation", nullptr},
            {"round_s", has_cells ? json(found.round_s) : json(nullptr)},
            {"smallest_difference", has_cells ? smallest_json(found) : json(nullptr)},
            {"false_verdicts", has_cells ? json(found.false_verdicts) : json(nullptr)},
            {"lag_1", work::write_json(found.lag_1)},
            {"measured", json::array()}};
  if (has_cells) {
    made["deviation"] = {
        {"median", found.median_deviation}, {"high", found.high_deviation}, {"quiet", found.quiet_deviation}};
  }
  for (const EqualCell& cell : measured.cells) made["measured"].push_back(equal_cell_json(cell));
  return made;
}

// Returns what is known about such processes; empty if there is nothing.
std::optional<Calibration> known_about(const DeviceCalibration& device, Running running) {
  const CalibratedThreads* const measured = device.find(running.threads, running.turns);
  if (measured == nullptr) return std::nullopt;
  const Calibration found = metrics::calibrate(measured->cells);
  return found.cells > 0 ? std::optional(found) : std::nullopt;
}

// Returns "2 threads", or "2 threads in 20 turns".
std::string words_for(Running running) {
  std::string words = fmt::format("{} thread{}", running.threads, running.threads == 1 ? "" : "s");
  if (running.turns > 1) words += fmt::format(" in {} turns", running.turns);
  return words;
}

constexpr double kGiga = 1e9;

Entry in_giga(const metrics::Value& rate) {
  Entry entry = number_entry(rate.value, rate.reason);
  if (rate.value) entry.value = *rate.value / kGiga;
  if (rate.low) entry.low = *rate.low / kGiga;
  if (rate.high) entry.high = *rate.high / kGiga;
  return entry;
}

std::string needed_text(std::optional<int> rounds) {
  return rounds ? fmt::format("{}", *rounds) : fmt::format("more than {}", statistics::kMostRoundsForeseen);
}

}  // namespace

std::string calibration_text(const DeviceCalibration& device, int width, bool color) {
  Table threads;
  threads.columns = {text_column("threads"),
                     number_column("turns"),
                     number_column("cells"),
                     number_column("rounds", 3),
                     number_column("sd of a round [median, 80 %]"),
                     number_column("found in 5 rounds"),
                     number_column("found in 15 rounds", 1),
                     number_column("false verdicts", 2),
                     number_column("lag-1", 4)};
  Table cells;
  cells.columns = {text_column("cell"),           number_column("threads"),    number_column("turns"),
                   number_column("inference"),    number_column("process", 1), number_column("rounds"),
                   number_column("sd of a round")};
  Section all{.title = "two equal sides, by number of threads and of turns"};
  Section each{.title = "two equal sides, by cell"};
  for (const CalibratedThreads& measured : device.threads) {
    all.rows.push_back(row_of_threads(measured));
    for (const EqualCell& cell : measured.cells) each.rows.push_back(row_of_cell(measured, cell));
  }
  threads.sections.push_back(std::move(all));
  cells.sections.push_back(std::move(each));
  std::string text = render(threads, width, color).text;
  text +=
      "\n  Found in 5 rounds: the difference of two speeds that a single comparison shows with a probability of 95 %,\n"
      "  in half of the cells and in 80 % of them, and the time that these rounds of a cell take.\n\n";
  text += render(cells, width, color).text + "\n";
  for (const CalibratedThreads& measured : device.threads) {
    text += fmt::format("  {}: measured {} with {}\n", words_for({measured.threads, measured.turns}),
                        minute_text(measured.measured_unix_ns), text::visible(measured.compiler));
  }
  return text + fmt::format("  Environment: {}\n", text::visible(device.environment_hash));
}

std::string peak_text(const DeviceCalibration& device, int width, bool color) {
  Table table;
  table.columns = {text_column("threads"),
                   text_column("on"),
                   number_column("10⁹ multiply-adds/s [95 %]", 0, "10⁹/s"),
                   text_column("by", 2),
                   number_column("copy, GB/s [95 %]", 0, "GB/s"),
                   number_column("triad, GB/s [95 %]", 0, "GB/s"),
                   number_column("read, GB/s [95 %]", 0, "GB/s"),
                   number_column("rounds", 3),
                   text_column("measured", 1)};
  Section section{.title = "what this device can do at the most, in f32"};
  for (const metrics::Peak& peak : device.peaks) {
    section.rows.push_back({.entries = {text_entry(std::to_string(peak.threads)), text_entry(peak.compute_device),
                                        in_giga(peak.macs_per_s), text_entry(text::visible(peak.product)),
                                        in_giga(peak.copy_bytes_per_s), in_giga(peak.triad_bytes_per_s),
                                        peak.reads.empty() ? Entry{} : in_giga(peak.reads.back().bytes_per_s),
                                        Entry{peak.rounds}, text_entry(minute_text(peak.measured_unix_ns))}});
  }
  table.sections.push_back(std::move(section));
  std::string text = render(table, width, color).text;
  for (const metrics::Peak& peak : device.peaks) {
    text += fmt::format("  {}: with {}", words_for({.threads = peak.threads}), text::visible(peak.compiler));
    for (const metrics::ReadRate& read : peak.reads) {
      text += fmt::format("{}{} {:.1f} GB/s", &read == &peak.reads.front() ? "; reads arrays of " : ", ",
                          text::human_bytes(static_cast<std::uint64_t>(read.array_bytes)),
                          read.bytes_per_s.value.value_or(0) / kGiga);
    }
    text += '\n';
  }
  return text + fmt::format("  Environment: {}\n", text::visible(device.environment_hash));
}

json calibration_json(const DeviceCalibration& device) {
  json threads = json::array();
  for (const CalibratedThreads& measured : device.threads) threads.push_back(threads_json(measured));
  return {{"environment_hash", device.environment_hash},
          {"threads", std::move(threads)},
          {"peaks", work::write_json(device.peaks)}};
}

std::string decidable_text(const DeviceCalibration& device, Running running, int rounds) {
  const std::string who = words_for(running);
  const auto found = known_about(device, running);
  if (!found) {
    return fmt::format(
        "{}: how small a difference can be found here is unknown; `ngb calibrate --threads {} --turns {}` measures it",
        who, running.threads, running.turns);
  }
  const std::string needed = needed_text(metrics::rounds_to_tell(found->median_deviation, kAskedDifference));
  const std::string needed_high = needed_text(metrics::rounds_to_tell(found->high_deviation, kAskedDifference));
  const std::string rest =
      fmt::format("for {:.0f} %: {} rounds ({} in 80 %)", 100 * kAskedDifference, needed, needed_high);
  if (rounds < static_cast<int>(statistics::kLeastRounds)) {
    return fmt::format("{}: a verdict needs {} rounds; {}", who, statistics::kLeastRounds, rest);
  }
  return fmt::format(
      "{}: with {} rounds, differences of about {} and more are found in half of the cells, of {} in 80 %; {}", who,
      rounds, percent_text(metrics::smallest_difference(found->median_deviation, rounds)),
      percent_text(metrics::smallest_difference(found->high_deviation, rounds)), rest);
}

json decidable_json(const DeviceCalibration& device, Running running, int rounds) {
  json made{{"threads", running.threads},
            {"turns", running.turns},
            {"rounds", rounds},
            {"median_ratio", nullptr},
            {"high_ratio", nullptr},
            {"rounds_for_2_percent", nullptr},
            {"rounds_for_2_percent_high", nullptr}};
  const auto found = known_about(device, running);
  if (!found) return made;
  if (rounds >= static_cast<int>(statistics::kLeastRounds)) {
    made["median_ratio"] = metrics::smallest_difference(found->median_deviation, rounds);
    made["high_ratio"] = metrics::smallest_difference(found->high_deviation, rounds);
  }
  const auto needed = metrics::rounds_to_tell(found->median_deviation, kAskedDifference);
  const auto needed_high = metrics::rounds_to_tell(found->high_deviation, kAskedDifference);
  if (needed) made["rounds_for_2_percent"] = *needed;
  if (needed_high) made["rounds_for_2_percent_high"] = *needed_high;
  return made;
}

}  // namespace ngb::report

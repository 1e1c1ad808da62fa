// SPDX-License-Identifier: Apache-2.0
#include "campaign/judge_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/processors.h"
#include "base/text.h"
#include "campaign/kept_calibrations.h"
#include "metrics/metric.h"
#include "metrics/protocols.h"

namespace ngb::campaign {
namespace {

using metrics::Axis;

// Adds the flags among the values of a cell.
void add_flags(metrics::Measured& measured, const std::vector<store::DerivedValue>& values) {
  for (const store::DerivedValue& value : values) {
    if (const auto raised = metrics::raised_flag(value)) measured.flags.push_back(*raised);
  }
}

// Reads families one after the other, and keeps of each cell what a comparison needs.
Result<std::unique_ptr<LoadedResults>> load_results(const std::vector<store::Source>& sources,
                                                    const std::vector<metrics::Judged>& judged) {
  std::vector<std::string> folders;
  for (const store::Source& source : sources) folders.push_back(source.file.parent_path().string());
  const std::string folder = text::join(folders, ", ");
  auto reader = metrics::FamilyReader::open(sources);
  if (!reader) return error_of(reader);
  const std::size_t count = reader->cell_count();
  if (count == 0) return fail("these results have no cells", folder);
  auto results = std::make_unique<LoadedResults>(
      LoadedResults{folder, *std::move(reader), std::vector<store::CellData>(count), {}});
  results->measured.resize(count);
  const Status read = results->reader.derive(
      results->reader.families(), {}, processor_count(), [&results, &judged](metrics::DerivedFamily family) {
        for (std::size_t i = 0; i < family.cells.size(); ++i) {
          const std::size_t position = family.family->cells[i].position;
          auto measured = metrics::measured(family.cells[i], std::move(family.steady[i]), judged);
          add_flags(measured, family.values[i]);
          metrics::keep_outcome(family.cells[i]);
          results->measured[position] = std::make_shared<const metrics::Measured>(std::move(measured));
          results->cells[position] = std::move(family.cells[i]);
        }
      });
  if (!read) return error_of(read);
  return results;
}

// Returns the cells that `words` name on the axis; all if it is empty. Returns an error if there are none.
Result<metrics::Side> side_of(const LoadedResults& results, Axis axis, const std::string& words) {
  metrics::Side side{.origin = &results};
  std::set<std::string> places;
  for (std::size_t i = 0; i < results.cells.size(); ++i) {
    const store::CellData& cell = results.cells[i];
    places.insert(metrics::place_on(axis, cell));
    if (!words.empty() && !metrics::is_called(words, axis, cell)) continue;
    side.cells.push_back(&cell);
    side.measured.emplace(&cell, results.measured[i]);
  }
  if (!side.cells.empty()) return side;
  const std::vector<std::string> there(places.begin(), places.end());
  return fail(fmt::format("no cell with the {} \"{}\"", name(axis), words), results.folder,
              "expected one of: " + text::join(there, ", "));
}

// Returns an error if the two results were measured under protocols whose numbers mean different things.
Status check_protocols(LoadedResults& baseline, LoadedResults& candidate) {
  auto old_one = baseline.reader.results().protocol();
  if (!old_one) return error_of(old_one);
  auto new_one = candidate.reader.results().protocol();
  if (!new_one) return error_of(new_one);
  const std::string unlike = metrics::unlike_protocols(*std::move(old_one), *std::move(new_one));
  if (unlike.empty()) return Done{};
  return fail("the two sides were measured under different protocols: " + unlike,
              fmt::format("{} and {}", baseline.folder, candidate.folder), "to compare anyway, add --across-protocols");
}

int turns_of(const std::map<std::string, std::string>& protocol) {
  int turns = 1;  // results of processes one after the other do not say so
  if (const auto stored = protocol.find("turns"); stored != protocol.end()) {
    std::from_chars(stored->second.data(), stored->second.data() + stored->second.size(), turns);
  }
  return turns;
}

// Returns the deviation of quiet cells that a calibration found for as many turns as both sides had; nothing if they
// had unlike ones.
Result<std::optional<double>> calibrated_deviation(LoadedResults& baseline, LoadedResults& candidate,
                                                   const metrics::Comparison& comparison, const CacheFolder& cache) {
  std::set<int> turns;
  for (LoadedResults* const side : {&baseline, &candidate}) {
    const auto protocol = side->reader.results().protocol();
    if (!protocol) return error_of(protocol);
    turns.insert(turns_of(*protocol));
  }
  return turns.size() == 1 ? quiet_deviation_for(comparison, *turns.begin(), cache) : std::nullopt;
}

Result<std::map<std::string, std::string>> relevant_entries(LoadedResults& results, const std::string& hash) {
  const auto environment = results.reader.results().environment(hash);
  if (!environment) return error_of(environment);
  std::map<std::string, std::string> entries;
  for (const samples::EnvironmentEntry& entry : environment->entries) {
    if (entry.is_identity) entries.emplace(entry.name, entry.value.value.value_or("unknown"));
  }
  return entries;
}

std::string environment_of(const store::CellData& cell) {
  return cell.processes.empty() ? std::string() : cell.processes.front().environment_hash;
}

// Returns an error that names the differences if the sides of a pair were measured in different environments of one
// device.
Status check_environments(const metrics::Comparison& comparison, LoadedResults& baseline, LoadedResults& candidate) {
  for (const metrics::ComparedPair& pair : comparison.pairs) {
    const std::string before = environment_of(*pair.baseline);
    const std::string now = environment_of(*pair.candidate);
    if (pair.baseline->of.device != pair.candidate->of.device || before.empty() || now.empty() || before == now)
      continue;
    const auto old_one = relevant_entries(baseline, before);
    if (!old_one) return error_of(old_one);
    const auto new_one = relevant_entries(candidate, now);
    if (!new_one) return error_of(new_one);
    return fail(fmt::format("{} was not the same on both sides: {}", pair.candidate->of.device,
                            metrics::differing_entries(*old_one, *new_one)),
                {}, "to compare anyway, add --across-environments");
  }
  return Done{};
}

}  // namespace

Answer<JudgedResults> judge_results(const JudgementOrder& order, const CacheFolder& cache) {
  const Axis axis = order.axis;
  JudgedResults made{.loaded = {}, .comparison = {}, .axis = axis};
  for (const std::vector<store::Source>& together : order.sides) {
    auto loaded = load_results(together, order.judged);
    if (!loaded) return cannot_go_on(loaded.error());
    made.loaded.push_back(*std::move(loaded));
  }
  LoadedResults& first = *made.loaded.front();
  LoadedResults& second = *made.loaded.back();
  const auto baseline = side_of(first, axis, order.baseline);
  if (!baseline) return wrong_usage(baseline.error());
  const auto candidate = side_of(second, axis, order.candidate);
  if (!candidate) return wrong_usage(candidate.error());
  if (!order.across_protocols && &first != &second) {
    const Status alike = check_protocols(first, second);
    if (!alike) return cannot_go_on(alike.error());
  }
  statistics::VerdictRules rules{.margin_ratio = order.margin_ratio, .adjustment = order.adjustment};
  auto comparison = metrics::compare(*baseline, *candidate, axis, rules, order.judged);
  if (!comparison) return cannot_go_on(comparison.error());
  const auto quiet = calibrated_deviation(first, second, *comparison, cache);
  if (!quiet) return cannot_go_on(quiet.error());
  if (*quiet) {
    rules.quiet_deviation = *quiet;
    comparison = metrics::compare(*baseline, *candidate, axis, rules, order.judged);
    if (!comparison) return cannot_go_on(comparison.error());
  }
  if (!order.across_environments) {
    const Status alike = check_environments(*comparison, first, second);
    if (!alike) return cannot_go_on(alike.error());
  }
  made.comparison = *std::move(comparison);
  return made;
}

}  // namespace ngb::campaign

// SPDX-License-Identifier: Apache-2.0
#include "report/explain/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "metrics/comparison.h"
#include "metrics/outcome.h"
#include "report/compare/outcomes.h"
#include "report/results.h"

namespace ngb::report {
namespace {

using metrics::Axis;
using store::CellData;

std::string folders_of(const std::vector<store::Source>& sources) {
  std::vector<std::string> folders;
  for (const store::Source& source : sources) folders.push_back(source.file.parent_path().string());
  return text::join(folders, ", ");
}

Result<std::vector<std::unique_ptr<CellData>>> load_profiled(const ExplainOrder& order) {
  auto store = store::open_sources(order.sources);
  if (!store) return error_of(store);
  const auto outlines = store->load_cells(store::Detail::planned);
  if (!outlines) return error_of(outlines);
  CellFilter filter(order.wanted);
  std::vector<std::unique_ptr<CellData>> cells;
  for (const CellData& outline : *outlines) {
    if (!filter.add(outline)) continue;
    auto cell = store->load_cell(outline.cell_id, store::Detail::profiles);
    if (!cell) return error_of(cell);
    if (*cell) cells.push_back(std::make_unique<CellData>(**std::move(cell)));
  }
  if (const ngb::Status chosen = filter.check(); !chosen) return error_of(chosen);
  return cells;
}

bool has_profile(const CellData& cell) {
  return std::any_of(cell.processes.begin(), cell.processes.end(),
                     [](const store::RecordedProcess& each) { return each.profile.has_value(); });
}

Result<metrics::Side> profiled_side(const Profiles& profiles, Axis axis, const std::string& words,
                                    const std::string& where) {
  metrics::Side side{.origin = &profiles};
  std::set<std::string> there;
  for (const auto& cell : profiles.cells) {
    there.insert(metrics::place_on(axis, *cell));
    if (metrics::is_called(words, axis, *cell)) side.cells.push_back(cell.get());
  }
  if (!side.cells.empty()) return side;
  return fail(fmt::format("no cell with the {} \"{}\"", name(axis), words), where,
              "expected one of: " + text::join(std::vector<std::string>(there.begin(), there.end()), ", "),
              ErrorCode::not_found);
}

const store::RecordedProcess* process_of(const CellData& cell, const store::RecordedProcess& like, bool same_run) {
  const auto found = std::find_if(cell.processes.begin(), cell.processes.end(), [&](const auto& each) {
    return each.profile && each.process_index == like.process_index && (!same_run || each.run_key == like.run_key);
  });
  return found == cell.processes.end() ? nullptr : &*found;
}

std::vector<explain::Round> rounds_of(const CellData& baseline, const CellData& candidate, bool same_run) {
  std::vector<explain::Round> rounds;
  for (const store::RecordedProcess& each : candidate.processes) {
    if (!each.profile) continue;
    const store::RecordedProcess* const other = process_of(baseline, each, same_run);
    if (other != nullptr) rounds.push_back({&*other->profile, &*each.profile});
  }
  return rounds;
}

// Returns why the cell has no profile; "" if it has one.
std::string why_no_profile(const CellData& cell, const std::string& side) {
  if (has_profile(cell)) return {};
  if (const samples::ProcessResult* const failed = metrics::decisive_failure(cell)) {
    return fmt::format("{} has no profile: {} in {}: {}", side, samples::name(failed->failure->kind),
                       samples::name(failed->failure->phase), failed->failure->message);
  }
  return fmt::format("{} has no profile: it is not measured yet", side);
}

std::string side_name(Axis axis, const CellData& cell) {
  return axis == Axis::compiler || axis == Axis::version ? metrics::compiler_of(cell) : metrics::place_on(axis, cell);
}

Known<metrics::Peak> peak_for(const CellData& cell, const metrics::PeakOf& peak_of) {
  return peak_of ? peak_of(cell) : Known<metrics::Peak>::unknown("peaks are not looked up here; ngb explain does it");
}

ExplainedPair explain_pair(const metrics::ComparedPair& compared, Axis axis, const metrics::PeakOf& peak_of) {
  ExplainedPair pair{.baseline = compared.baseline,
                     .candidate = compared.candidate,
                     .names = {side_name(axis, *compared.baseline), side_name(axis, *compared.candidate)},
                     .label = name_of(compared),
                     .baseline_peak = peak_for(*compared.baseline, peak_of),
                     .candidate_peak = peak_for(*compared.candidate, peak_of)};
  pair.why_not = why_no_profile(*pair.baseline, pair.names.baseline);
  if (pair.why_not.empty()) pair.why_not = why_no_profile(*pair.candidate, pair.names.candidate);
  if (!pair.why_not.empty()) return pair;
  std::vector<explain::Round> rounds = rounds_of(*pair.baseline, *pair.candidate, true);
  const bool share_a_group = axis != Axis::model && axis != Axis::device;  // whose processes take turns
  pair.are_in_turns = !rounds.empty() && share_a_group;
  if (rounds.empty()) rounds = rounds_of(*pair.baseline, *pair.candidate, false);
  auto explanation = explain::explain(rounds, pair.names);
  if (explanation)
    pair.explanation = *std::move(explanation);
  else
    pair.why_not = explanation.error().text();
  return pair;
}

}  // namespace

Result<Profiles> explain_results(const ExplainOrder& order) {
  const std::string where = folders_of(order.sources);
  auto cells = load_profiled(order);
  if (!cells) return error_of(cells);
  Profiles profiles{.cells = *std::move(cells), .peak_of = order.peak_of};
  const bool is_any_profile =
      std::any_of(profiles.cells.begin(), profiles.cells.end(), [](const auto& cell) { return cell->is_profile; });
  if (!is_any_profile) {
    return fail("these results have no profiles: processes that are timed for a speed are never profiled", where,
                "profile the study: ngb explain STUDY --baseline A --candidate B");
  }
  if (order.baseline.empty() && order.candidate.empty()) return profiles;
  const auto baseline = profiled_side(profiles, order.axis, order.baseline, where);
  if (!baseline) return error_of(baseline);
  const auto candidate = profiled_side(profiles, order.axis, order.candidate, where);
  if (!candidate) return error_of(candidate);
  const auto compared = metrics::compare(*baseline, *candidate, order.axis, {});
  if (!compared) return error_of(compared);
  for (const metrics::ComparedPair& each : compared->pairs) {
    profiles.pairs.push_back(explain_pair(each, order.axis, order.peak_of));
  }
  return profiles;
}

void explain_each(Profiles& profiles, const std::vector<std::string>& labels) {
  for (std::size_t i = 1; i < labels.size(); ++i) {
    const auto baseline = profiled_side(profiles, Axis::compiler, labels.front(), {});
    const auto candidate = profiled_side(profiles, Axis::compiler, labels[i], {});
    if (!baseline || !candidate) continue;
    const auto compared = metrics::compare(*baseline, *candidate, Axis::compiler, {});
    if (!compared) continue;
    for (const metrics::ComparedPair& each : compared->pairs)
      profiles.pairs.push_back(explain_pair(each, Axis::compiler, profiles.peak_of));
  }
}

std::vector<ProfiledCell> profiled_cells(const Profiles& profiles) {
  std::vector<ProfiledCell> cells;
  for (const auto& cell : profiles.cells) {
    const auto first = std::find_if(cell->processes.begin(), cell->processes.end(),
                                    [](const auto& process) { return process.profile.has_value(); });
    if (first == cell->processes.end()) continue;
    cells.push_back({cell.get(), metrics::compiler_of(*cell), &*first->profile, peak_for(*cell, profiles.peak_of)});
  }
  return cells;
}

}  // namespace ngb::report

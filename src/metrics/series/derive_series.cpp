// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/derive_series.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/hash.h"
#include "metrics/metric.h"
#include "metrics/series/conclusions.h"
#include "metrics/series/findings.h"
#include "metrics/series/series.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;
using store::SeriesPart;

// Raise this when the code of a formula, a sentence or a claim changes but its text does not.
constexpr int kRevision = 7;

// Adds everything about a cell that its values depend on, apart from what a recorded process never changes.
void add_to(std::string& text, const CellData& cell) {
  text += fmt::format("{} {} {} {} {}\n", cell.cell_id, cell.has_ended_rounds, cell.of.model.group, cell.of.model.style,
                      cell.of.model.size.value_or(0));
  for (const auto* list : {&cell.processes, &cell.set_aside, &cell.failed}) {
    for (const store::RecordedProcess& process : *list) {
      text += fmt::format("{} {} {} {} {}\n", process.run_key, process.process_index, process.attempt,
                          process.environment_hash, process.started_unix_ns);
    }
    text += '\n';
  }
}

// Returns what each part, and last all cells together, are made of, without their values.
std::vector<SeriesPart> empty_parts(const std::vector<const CellData*>& cells, const std::vector<Part>& parts,
                                    const std::string& version) {
  std::vector<SeriesPart> made;
  std::string all = version;
  for (const Part& part : parts) {
    std::string text = version;
    for (const std::size_t i : part.cells) add_to(text, *cells[i]);
    made.push_back({part.name, hash::sha256(text), {}, {}});
    all += made.back().made_of;
  }
  made.push_back({"", hash::sha256(all), {}, {}});
  return made;
}

// Fills in the parts that were kept. Returns the indices of the others.
std::vector<std::size_t> fill_in_kept(std::vector<SeriesPart>& parts, std::vector<SeriesPart> kept) {
  std::map<std::string, SeriesPart*> by_name;
  for (SeriesPart& part : kept) by_name.emplace(part.part, &part);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto found = by_name.find(parts[i].part);
    if (found == by_name.end() || found->second->made_of != parts[i].made_of)
      missing.push_back(i);
    else
      parts[i] = std::move(*found->second);
  }
  return missing;
}

void compute(const Derived& derived, const std::vector<Part>& parts, const std::vector<std::size_t>& missing,
             std::span<const Claim> claims, std::vector<SeriesPart>& made) {
  std::vector<const Steady*> of_exact;
  for (std::size_t i = 0; i < derived.cells.size(); ++i) {
    if (!derived.cells[i].of.model.is_variant()) of_exact.push_back(&derived.steady[i]);
  }
  const Analysis analysis(of_exact_models(derived.cells), derived.baseline, std::move(of_exact));
  Part of_all{"", {}};
  for (std::size_t i = 0; i < analysis.size(); ++i) of_all.cells.push_back(i);
  for (const std::size_t i : missing) {
    if (i < parts.size()) {
      made[i].values = values_of(analysis, parts[i]);
    } else {
      made[i].values = values_of(analysis, of_all);
      made[i].conclusions = conclusions_of(analysis, claims, derived.size_factor);
    }
  }
}

// Ignores errors: a file that cannot be written can still be shown.
void keep_series(const std::filesystem::path& results_file, const store::FileState& state,
                 const std::vector<SeriesPart>& made, const std::vector<std::size_t>& computed) {
  std::vector<SeriesPart> changed;
  std::vector<std::string> names;
  for (const std::size_t i : computed) changed.push_back(made[i]);
  for (const SeriesPart& part : made) names.push_back(part.part);
  auto store = store::Store::open(results_file, store::Mode::write_if_free);
  if (store) (void)store->save_series(state, changed, names);
}

}  // namespace

std::string series_version(std::span<const Claim> claims) {
  std::string text = fmt::format("{} {}", kRevision, formulas_version());
  for (const Series& series : all_series()) text += fmt::format("\n{}: {}", series.name, series.formula);
  for (const FindingKind& kind : finding_kinds()) text += fmt::format("\n{}: {}", kind.name, kind.question);
  for (const Claim& claim : claims) text += fmt::format("\n{}: {}", claim.name, claim.quantity);
  return hash::sha256(text).substr(0, 16);
}

Result<DerivedSeries> derive_series(const std::vector<store::Source>& sources, Derived& derived,
                                    std::span<const Claim> claims, int threads) {
  const std::string version =
      fmt::format("{} {} {}\n", series_version(claims), derived.baseline.words(), derived.size_factor);
  DerivedSeries found;
  const std::vector<const CellData*> cells = of_exact_models(derived.cells);
  const std::vector<Part> parts = parts_of(cells);
  found.parts = empty_parts(cells, parts, version);
  auto store = store::open_sources(sources);
  if (!store) return error_of(store);
  const auto state = store->state();
  if (!state) return error_of(state);
  std::vector<std::size_t> missing(found.parts.size());
  for (std::size_t i = 0; i < missing.size(); ++i) missing[i] = i;
  bool may_keep = derived.is_whole && derived.refers_to_the_studys_baseline &&
                  state->revision == derived.state.revision && store::is_one_file(sources);
  if (may_keep) {
    auto kept = store->load_series();
    if (!kept) return error_of(kept);
    may_keep = kept->has_value();  // else another program has changed the file since its cells were derived
    if (*kept) missing = fill_in_kept(found.parts, std::move(**kept));
  }
  found.computed = missing.size();
  if (missing.empty()) return found;
  const bool is_older = store->is_older();
  {
    const store::Store closed = std::move(*store);
  }  // closes the store: an open reader would make the writer wait
  if (const Status done = add_steady(sources, threads, derived); !done) return error_of(done);
  compute(derived, parts, missing, claims, found.parts);
  if (may_keep && !is_older) keep_series(sources.front().file, *state, found.parts, missing);
  return found;
}

}  // namespace ngb::metrics::series

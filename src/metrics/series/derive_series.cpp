// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/derive_series.h"

#include <fmt/format.h>

#include <utility>

#include "base/hash.h"
#include "metrics/metric.h"
#include "metrics/series/conclusions.h"
#include "metrics/series/findings.h"
#include "metrics/series/series.h"

namespace ngb::metrics::series {
namespace {

// Raise this when the code of a formula, a sentence or a claim changes but its text does not.
constexpr int kRevision = 7;

}  // namespace

std::string series_version(std::span<const Claim> claims) {
  std::string text = fmt::format("{} {}", kRevision, formulas_version());
  for (const Series& series : all_series()) text += fmt::format("\n{}: {}", series.name, series.formula);
  for (const FindingKind& kind : finding_kinds()) text += fmt::format("\n{}: {}", kind.name, kind.question);
  for (const Claim& claim : claims) text += fmt::format("\n{}: {}", claim.name, claim.quantity);
  return hash::sha256(text).substr(0, 16);
}

std::vector<store::SeriesPart> derive_series(const Derived& derived, std::span<const Claim> claims) {
  std::vector<const Steady*> of_exact;
  for (std::size_t i = 0; i < derived.cells.size(); ++i) {
    if (!derived.cells[i].of.model.is_variant()) of_exact.push_back(&derived.steady[i]);
  }
  const std::vector<const store::CellData*> cells = of_exact_models(derived.cells);
  const Analysis analysis(cells, derived.baseline, std::move(of_exact));
  std::vector<store::SeriesPart> made;
  for (const Part& part : parts_of(cells)) made.push_back({part.name, values_of(analysis, part), {}});
  Part of_all{"", {}};
  for (std::size_t i = 0; i < analysis.size(); ++i) of_all.cells.push_back(i);
  made.push_back({"", values_of(analysis, of_all), conclusions_of(analysis, claims, derived.size_factor, derived.by)});
  return made;
}

Result<Derived> derive_and_keep(const std::filesystem::path& results_file, std::span<const Claim> claims, int threads) {
  auto derived = derive({{results_file, {}}}, threads);
  if (!derived) return derived;
  auto store = store::Store::open(results_file, store::Mode::write_if_free);
  if (!store) return error_of(store);
  const Status kept = store->keep_values(derived->revision, derived->values, derive_series(*derived, claims));
  if (!kept) return error_of(kept);
  return derived;
}

}  // namespace ngb::metrics::series

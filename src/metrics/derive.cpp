// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "metrics/compute_family.h"

namespace ngb::metrics {
namespace {

// Identifies the formulas and the baseline that values were made with, for Store::save_derived.
std::string made_by(const std::string& baseline) {
  return baseline == kIdentity ? formulas_version() : formulas_version() + " baseline " + baseline;
}

// Ignores errors: a file that cannot be written can still be shown.
void keep(const std::filesystem::path& results_file, std::int64_t revision, const Derived& derived) {
  auto store = store::Store::open(results_file, store::Mode::write_if_free);
  if (store) (void)store->save_derived(revision, derived.values, made_by(derived.baseline.words()));
}

}  // namespace

Result<Derived> derive(const std::filesystem::path& results_file, int threads,
                       const std::optional<std::string>& baseline) {
  return derive(std::vector<store::Source>{{results_file, {}}}, threads, baseline);
}

Result<Derived> derive(const std::vector<store::Source>& sources, int threads,
                       const std::optional<std::string>& baseline) {
  auto reader = FamilyReader::open(sources, baseline);
  if (!reader) return error_of(reader);
  return derive(*std::move(reader), threads);
}

Result<Derived> derive(FamilyReader reader, int threads, store::Detail detail) {
  const Heading& heading = reader.heading();
  if (heading.refers_to_the_studys_baseline) {
    auto kept = reader.results().load_derived(heading.revision, made_by(heading.baseline.words()));
    if (!kept) return error_of(kept);
    if (*kept) {
      auto outlines = reader.results().load_cells(detail);
      if (!outlines) return error_of(outlines);
      return Derived{heading, *std::move(outlines), **std::move(kept), {}, /*were_kept=*/true, /*is_whole=*/true};
    }
  }
  auto derived = derive_part(reader, reader.families(), threads);
  if (!derived) return error_of(derived);
  derived->is_whole = true;
  // Showing a file does not change its version.
  const bool may_keep =
      heading.refers_to_the_studys_baseline && !reader.results().is_older() && store::is_one_file(reader.sources());
  const std::filesystem::path file = reader.sources().front().file;
  {
    const FamilyReader closed = std::move(reader);
  }  // closes the store: an open reader would make the writer wait
  if (may_keep) keep(file, derived->revision, *derived);
  return derived;
}

Result<Derived> derive_part(FamilyReader& reader, const std::vector<store::Family>& families, int threads) {
  // A position among all cells becomes one among the cells of these families.
  std::vector<std::size_t> positions;
  for (const store::Family& family : families) {
    for (const store::Family::Member& member : family.cells) positions.push_back(member.position);
  }
  std::sort(positions.begin(), positions.end());
  Derived derived{reader.heading(), {}, {}, {}, /*were_kept=*/false, /*is_whole=*/false};
  derived.cells.resize(positions.size());
  derived.steady.resize(positions.size());
  std::vector<std::vector<store::DerivedValue>> values(positions.size());
  const Status done = reader.derive(families, all_metrics(), threads, [&](DerivedFamily family) {
    for (std::size_t i = 0; i < family.cells.size(); ++i) {
      const auto place = std::lower_bound(positions.begin(), positions.end(), family.family->cells[i].position);
      const auto at = static_cast<std::size_t>(place - positions.begin());
      drop_details(family.cells[i]);
      derived.cells[at] = std::move(family.cells[i]);
      derived.steady[at] = std::move(family.steady[i]);
      values[at] = std::move(family.values[i]);
    }
  });
  if (!done) return error_of(done);
  std::size_t count = 0;
  for (const auto& of_cell : values) count += of_cell.size();
  derived.values.reserve(count);
  for (auto& of_cell : values) {
    std::move(of_cell.begin(), of_cell.end(), std::back_inserter(derived.values));
    of_cell = std::vector<store::DerivedValue>();  // frees it: the values are never in memory twice
  }
  return derived;
}

}  // namespace ngb::metrics

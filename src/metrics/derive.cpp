// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <nlohmann/json.hpp>

namespace ngb::metrics {
namespace {

// Ignores errors: a file that cannot be written can still be shown.
void keep(const std::filesystem::path& results_file, std::int64_t revision,
          const std::vector<store::DerivedValue>& values) {
  auto store = store::Store::open(results_file, store::Mode::write_if_free);
  if (store) (void)store->save_derived(revision, values, formulas_version());
}

bool asks_best_options(const std::vector<store::RunState>& runs) {
  if (runs.empty()) return false;
  const nlohmann::json study = nlohmann::json::parse(runs.back().study_json, nullptr, false);
  return study.is_object() && study.value("best_options", nlohmann::json()) == true;
}

}  // namespace

Result<Derived> derive(const std::filesystem::path& results_file, int threads) {
  auto store = store::Store::open(results_file, store::Mode::read_only);
  if (!store) return error_of(store);
  const auto revision = store->revision();
  if (!revision) return error_of(revision);
  const auto runs = store->runs();
  if (!runs) return error_of(runs);
  auto kept = store->load_derived(*revision, formulas_version());
  if (!kept) return error_of(kept);
  if (*kept) {
    auto outlines = store->load_cells(store::Detail::outline);
    if (!outlines) return error_of(outlines);
    return Derived{std::move(*outlines), std::move(**kept), true, asks_best_options(*runs)};
  }
  auto cells = store->load_cells();
  if (!cells) return error_of(cells);
  Derived derived{std::move(*cells), {}, false, asks_best_options(*runs)};
  derived.values = compute_all(derived.cells, threads);
  const bool is_older = store->is_older();  // showing a file does not change its version
  {
    const store::Store closed = std::move(*store);
  }  // closes the store: an open reader would make the writer wait
  if (!is_older) keep(results_file, *revision, derived.values);
  return derived;
}

}  // namespace ngb::metrics

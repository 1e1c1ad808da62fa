// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <nlohmann/json.hpp>

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

// What the last study that wrote to the file asks of its results.
struct Wishes {
  bool best_options = false;
  std::string baseline = kIdentity;
  std::string allocator{};  // "" for the defaults
};

Wishes wishes_of(const std::vector<store::RunState>& runs) {
  Wishes wishes;
  if (runs.empty()) return wishes;
  const nlohmann::json study = nlohmann::json::parse(runs.back().study_json, nullptr, false);
  if (!study.is_object()) return wishes;
  wishes.best_options = study.value("best_options", nlohmann::json()) == true;
  const nlohmann::json baseline = study.value("baseline", nlohmann::json());
  if (baseline.is_string()) wishes.baseline = baseline.get<std::string>();
  const nlohmann::json allocator = study.value("allocator", nlohmann::json());
  if (allocator == "steady") wishes.allocator = allocator.get<std::string>();
  return wishes;
}

}  // namespace

Result<Derived> derive(const std::filesystem::path& results_file, int threads,
                       const std::optional<std::string>& baseline) {
  return derive(std::vector<store::Source>{{results_file, {}}}, threads, baseline);
}

Result<Derived> derive(const std::vector<store::Source>& sources, int threads,
                       const std::optional<std::string>& baseline) {
  auto store = store::open_sources(sources);
  if (!store) return error_of(store);
  const auto revision = store->revision();
  if (!revision) return error_of(revision);
  const auto runs = store->runs();
  if (!runs) return error_of(runs);
  auto environments = store->measured_environments();
  if (!environments) return error_of(environments);
  const Wishes wishes = wishes_of(*runs);
  const bool is_the_studys = !baseline || *baseline == wishes.baseline;
  if (is_the_studys) {
    auto kept = store->load_derived(*revision, made_by(wishes.baseline));
    if (!kept) return error_of(kept);
    if (*kept) {
      auto outlines = store->load_cells(store::Detail::outline);
      if (!outlines) return error_of(outlines);
      Baseline own = Baseline::find_or_none(wishes.baseline, *outlines);
      return Derived{std::move(*outlines),     std::move(**kept), true,     wishes.best_options, std::move(own),
                     std::move(*environments), wishes.allocator,  *revision};
    }
  }
  auto cells = store->load_cells();
  if (!cells) return error_of(cells);
  Derived derived{std::move(*cells), {},        false,        wishes.best_options, {}, std::move(*environments),
                  wishes.allocator,  *revision, is_the_studys};
  if (baseline) {
    auto asked_for = Baseline::find(*baseline, derived.cells);
    if (!asked_for) return error_of(asked_for);
    derived.baseline = *std::move(asked_for);
  } else {
    derived.baseline = Baseline::find_or_none(wishes.baseline, derived.cells);
  }
  derived.values = compute_all(derived.cells, threads, derived.baseline);
  const bool is_older = store->is_older();  // showing a file does not change its version
  {
    const store::Store closed = std::move(*store);
  }  // closes the store: an open reader would make the writer wait
  if (is_the_studys && !is_older && store::is_one_file(sources)) keep(sources.front().file, *revision, derived);
  return derived;
}

}  // namespace ngb::metrics

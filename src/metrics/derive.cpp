// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "metrics/families.h"
#include "metrics/metric.h"
#include "work/property.h"

namespace ngb::metrics {

namespace {

using store::CellData;

// Adds a text so that no two lists of texts give the same one.
void add_field(std::string& text, std::string_view field) { text += fmt::format("{} {}\n", field.size(), field); }

void add_processes(std::string& text, const std::vector<store::RecordedProcess>& processes) {
  text += fmt::format("{} processes\n", processes.size());
  for (const store::RecordedProcess& process : processes) {
    text += fmt::format("{} {} {} {} {} {} ", process.run_key, process.process_index, process.attempt,
                        process.started_unix_ns, process.wall_ns, process.is_steady);
    add_field(text, process.environment_hash);
  }
}

void add_cell_to(std::string& text, const CellData& cell) {
  add_field(text, cell.cell_id);
  for (const work::Property& each : work::properties()) {
    if (each.role != work::Role::model_fact) add_field(text, each.text(cell.of));
  }
  add_field(text, cell.of.compute_device.reason);
  text += fmt::format("{} {} {} {} {} {}\n", cell.planned_processes, cell.has_ended_rounds,
                      cell.device_cpus.value_or(0), cell.rounds ? cell.rounds->max : 0,
                      cell.of.model.raw_bytes.value_or(0), cell.of.model.encoded_bytes.value_or(0));
  for (const auto* processes : {&cell.processes, &cell.set_aside, &cell.failed}) add_processes(text, *processes);
}

}  // namespace

std::string made_of(std::span<const CellData* const> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz) {
  static const std::string version = formulas_version();
  std::string text = version + '\n';
  add_field(text, baseline.key());
  if (!cells.empty()) {
    const auto highest = highest_hz.find(cells.front()->of.device);
    if (highest != highest_hz.end()) text += fmt::format("{} Hz\n", highest->second);
  }
  for (const CellData* cell : cells) add_cell_to(text, *cell);
  return hash::sha256(text);
}

std::string made_of(std::span<const CellData> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz) {
  std::vector<const CellData*> members;
  for (const CellData& cell : cells) members.push_back(&cell);
  return made_of(members, baseline, highest_hz);
}

namespace {

// The cells of some families, in the order of the study, while their values are loaded or computed. It is not copied,
// because its values point to its families.
class Collection {
 public:
  explicit Collection(const std::vector<store::ValueFamily>& families) : families_(families) {
    for (const store::ValueFamily& family : families_) {
      values_.push_back({&family, {}, {}});
      for (const store::ValueFamily::Member& member : family.cells) positions_.push_back(member.position);
    }
    std::sort(positions_.begin(), positions_.end());
    cells_.resize(positions_.size());
    steady_.resize(positions_.size());
  }
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;
  ~Collection() = default;

  // Loads the values that the results keep and that are up to date, with outlines of their cells. The families are all
  // of the results.
  Status load_kept(FamilyReader& reader, store::Detail detail) {
    const auto keeps_some = reader.results().keeps_derived();
    if (!keeps_some) return error_of(keeps_some);
    if (!*keeps_some) return Done{};
    auto outlines = reader.results().load_cells(detail);
    if (!outlines) return error_of(outlines);
    outlines->resize(cells_.size());  // a run may have added some meanwhile
    cells_ = *std::move(outlines);
    const auto highest_hz = reader.highest_frequencies_hz();
    if (!highest_hz) return error_of(highest_hz);
    for (store::FamilyValues& each : values_) {
      std::vector<const store::CellData*> members;
      for (const store::ValueFamily::Member& member : each.family->cells) members.push_back(&cells_[place_of(member)]);
      each.made_of = made_of(members, reader.heading().baseline, *highest_hz);
    }
    return reader.results().load_derived(values_);
  }

  // Computes the values of the families that have none.
  Status compute_others(FamilyReader& reader, int threads) {
    const auto highest_hz = reader.highest_frequencies_hz();
    if (!highest_hz) return error_of(highest_hz);
    std::vector<store::ValueFamily> missing;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i].by_cell.empty()) continue;
      computed_.push_back(i);
      missing.push_back(families_[i]);
    }
    return reader.derive(missing, all_metrics(), threads, [&](DerivedFamily family) {
      const auto index = computed_[static_cast<std::size_t>(family.family - missing.data())];
      values_[index].made_of = made_of(family.cells, reader.heading().baseline, *highest_hz);
      values_[index].by_cell = std::move(family.values);
      for (std::size_t i = 0; i < family.cells.size(); ++i) {
        const std::size_t place = place_of(family.family->cells[i]);
        drop_details(family.cells[i]);
        cells_[place] = std::move(family.cells[i]);
        steady_[place] = std::move(family.steady[i]);
      }
    });
  }

  // Ignores errors: a file that cannot be written can still be shown.
  void keep(const std::filesystem::path& results_file, const store::FileState& state) {
    if (computed_.empty()) return;
    std::vector<store::FamilyValues> changed;
    for (const std::size_t i : computed_) changed.push_back(std::move(values_[i]));
    auto store = store::Store::open(results_file, store::Mode::write_if_free);
    if (store) (void)store->save_derived(state, changed);
    for (std::size_t i = 0; i < changed.size(); ++i) values_[computed_[i]] = std::move(changed[i]);
  }

  // Returns everything; the collection is empty afterwards.
  Derived finish(Heading heading, bool is_whole) {
    Derived derived{std::move(heading), std::move(cells_), {}, std::move(steady_), computed_.size(), is_whole};
    if (computed_.size() < values_.size()) derived.steady.clear();
    std::vector<std::vector<store::DerivedValue>*> of_cells(positions_.size());
    std::size_t count = 0;
    for (store::FamilyValues& each : values_) {
      for (std::size_t i = 0; i < each.by_cell.size(); ++i) {
        of_cells[place_of(each.family->cells[i])] = &each.by_cell[i];
        count += each.by_cell[i].size();
      }
    }
    derived.values.reserve(count);
    for (auto* of_cell : of_cells) {
      if (of_cell == nullptr) continue;
      std::move(of_cell->begin(), of_cell->end(), std::back_inserter(derived.values));
      *of_cell = std::vector<store::DerivedValue>();  // frees it: the values are never in memory twice
    }
    return derived;
  }

 private:
  // A position among all cells becomes one among the cells of these families.
  [[nodiscard]] std::size_t place_of(const store::ValueFamily::Member& member) const {
    const auto place = std::lower_bound(positions_.begin(), positions_.end(), member.position);
    return static_cast<std::size_t>(place - positions_.begin());
  }

  std::vector<store::ValueFamily> families_;
  std::vector<store::FamilyValues> values_{};  // of each family
  std::vector<std::size_t> positions_{};       // of their cells among all cells, sorted
  std::vector<store::CellData> cells_{};
  std::vector<Steady> steady_{};
  std::vector<std::size_t> computed_{};  // families whose values were computed, not loaded
};

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
  // Showing a file does not change its version.
  const bool may_keep = reader.heading().refers_to_the_studys_baseline && !reader.results().is_older() &&
                        store::is_one_file(reader.sources());
  Collection all(reader.families());
  if (may_keep) {
    if (const Status loaded = all.load_kept(reader, detail); !loaded) return error_of(loaded);
  }
  if (const Status done = all.compute_others(reader, threads); !done) return error_of(done);
  Heading heading = reader.heading();
  const std::filesystem::path file = reader.sources().front().file;
  {
    const FamilyReader closed = std::move(reader);
  }  // closes the store: an open reader would make the writer wait
  if (may_keep) all.keep(file, heading.state);
  return all.finish(std::move(heading), true);
}

Status derive_and_keep(store::Store& results, const Baseline& baseline, const store::ValueFamily& family,
                       const std::map<std::string, double>& highest_hz) {
  const auto state = results.state();
  if (!state) return error_of(state);
  auto cells = results.load_family(family);
  if (!cells) return error_of(cells);
  std::string made = made_of(*cells, baseline, highest_hz);
  DerivedFamily derived = derived_family(family, *std::move(cells), baseline, all_metrics(), highest_hz);
  return results.save_derived(*state, {{&family, std::move(made), std::move(derived.values)}});
}

Status add_steady(const std::vector<store::Source>& sources, int threads, Derived& derived) {
  if (derived.steady.size() == derived.cells.size()) return Done{};
  auto reader = FamilyReader::open(sources);
  if (!reader) return error_of(reader);
  derived.steady.resize(derived.cells.size());
  return reader->each(reader->families(), threads, [&](const auto& family, std::vector<store::CellData> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t at = family.cells[i].position;
      if (at >= derived.cells.size()) continue;
      derived.steady[at] = steady(cells[i]);
      drop_details(cells[i]);
      derived.cells[at] = std::move(cells[i]);
    }
  });
}

Result<Derived> derive_part(FamilyReader& reader, const std::vector<store::ValueFamily>& families, int threads) {
  Collection part(families);
  if (const Status done = part.compute_others(reader, threads); !done) return error_of(done);
  return part.finish(reader.heading(), false);
}

}  // namespace ngb::metrics

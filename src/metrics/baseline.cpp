// SPDX-License-Identifier: Apache-2.0
#include "metrics/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"

namespace ngb::metrics {
namespace {

using store::CellData;

std::string with_version(const CellData& cell) { return cell.of.compiler.name + "@" + cell.of.compiler.version; }

// Finds candidates by what a cell's baseline must have in common with it. A results file may have any number of cells,
// so no list of candidates is searched.
class Candidates {
 public:
  // Keeps the first candidate of each kind.
  void add(const CellData& cell, std::size_t index) {
    std::vector<std::string> devices{kAny, device_of(cell)};
    if (!cell.of.compute_device.value && cell.processes.empty()) devices.emplace_back(kSilent);
    for (const std::string& threads : {std::string(kAny), cell.of.threads_there()}) {
      for (const std::string& device : devices) {
        for (const std::string& instances : {std::string(kAny), std::to_string(cell.of.compiler.instances)}) {
          first_.emplace(key(cell, threads, instances, cell.of.compiler.precision, device), index);
        }
      }
    }
  }

  [[nodiscard]] bool are_none() const { return first_.empty(); }

  // Returns the candidate that fits best: in f32, then with the same compute device, then with as many instances.
  [[nodiscard]] std::optional<std::size_t> best_for(const CellData& cell, const std::string& threads) const {
    for (const std::string& precision : precisions_of(cell)) {
      for (const std::string& device : devices_beside(cell)) {
        if (const auto found = find(cell, threads, std::to_string(cell.of.compiler.instances), precision, device))
          return found;
        if (const auto found = find(cell, threads, kAny, precision, device)) return found;
      }
    }
    return std::nullopt;
  }

  // Returns whether there is a candidate that differs from a baseline of the cell in the compute device only.
  [[nodiscard]] bool has_on_any_device(const CellData& cell) const {
    const std::vector<std::string> precisions = precisions_of(cell);
    return std::any_of(precisions.begin(), precisions.end(), [&](const std::string& precision) {
      return find(cell, cell.of.threads_there(), kAny, precision, kAny).has_value();
    });
  }

  static constexpr const char* kAny = "*";

 private:
  static constexpr const char* kUnknown = "?";
  static constexpr const char* kSilent = "? without processes";

  static std::string key(const CellData& cell, const std::string& threads, const std::string& instances,
                         const std::string& precision, const std::string& device) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", cell.of.device, cell.of.model.key.hash,
                       cell.of.model.key.batch, cell.of.load, threads, instances, precision, device);
  }
  static std::string device_of(const CellData& cell) { return cell.of.compute_device.value.value_or(kUnknown); }
  static std::vector<std::string> precisions_of(const CellData& cell) {
    if (cell.of.compiler.precision == kFullPrecision) return {kFullPrecision};
    return {kFullPrecision, cell.of.compiler.precision};
  }
  // As may_share_compute_device.
  static std::vector<std::string> devices_beside(const CellData& cell) {
    if (cell.of.compute_device.value) return {device_of(cell), kSilent};
    return cell.processes.empty() ? std::vector<std::string>{kUnknown, kAny} : std::vector<std::string>{kUnknown};
  }
  [[nodiscard]] std::optional<std::size_t> find(const CellData& cell, const std::string& threads,
                                                const std::string& instances, const std::string& precision,
                                                const std::string& device) const {
    const auto found = first_.find(key(cell, threads, instances, precision, device));
    return found == first_.end() ? std::nullopt : std::optional(found->second);
  }

  std::unordered_map<std::string, std::size_t> first_;
};

std::string why_there_is_none(const CellData& cell, const Candidates& candidates, const Baseline& baseline) {
  if (candidates.are_none() || !candidates.has_on_any_device(cell)) return baseline.role() + " was not measured here";
  if (!cell.of.compute_device.value) {
    return fmt::format("unknown whether {} computed on the same device: {}", baseline.role(),
                       cell.of.compute_device.reason);
  }
  return fmt::format("{} was not measured on the {}", baseline.role(), *cell.of.compute_device.value);
}

}  // namespace

bool Baseline::is_called(Kind kind, std::string_view words, const CellData& cell) {
  switch (kind) {
    case Kind::name:
      return words == cell.of.compiler.name;
    case Kind::version:
      return words == with_version(cell);
    case Kind::label:
      return words == cell.of.compiler.label;
  }
  return false;
}

bool Baseline::fits(const CellData& cell) const { return is_called(kind_, words_, cell); }

std::string Baseline::key() const {
  const char* const kind = kind_ == Kind::label ? "label" : kind_ == Kind::version ? "version" : "name";
  return fmt::format("{} {}", kind, words_);
}

std::string Baseline::role() const { return is_identity() ? "the identity" : "the baseline " + words_; }

Baseline Baseline::find_or_none(const std::string& words, std::span<const CellData> cells) {
  Baseline found;
  if (words == kIdentity) return found;
  found.words_ = words;
  for (const Kind kind : {Kind::label, Kind::version, Kind::name}) {
    found.kind_ = kind;
    if (std::any_of(cells.begin(), cells.end(), [&](const CellData& cell) { return found.fits(cell); })) break;
  }
  return found;
}

Result<Baseline> Baseline::find(const std::string& words, std::span<const CellData> cells) {
  Baseline found = find_or_none(words, cells);
  const auto fits = [&](const CellData& cell) { return found.fits(cell); };
  if (found.is_identity() || std::any_of(cells.begin(), cells.end(), fits)) return found;
  std::set<std::string> known;
  std::set<std::string> labels;
  for (const CellData& cell : cells) {
    labels.insert(cell.of.compiler.label);
    for (const std::string& word : {cell.of.compiler.name, with_version(cell), cell.of.compiler.label})
      known.insert(word);
  }
  const auto near = text::nearest(words, std::vector<std::string>(known.begin(), known.end()));
  const std::vector<std::string> offered(labels.begin(), labels.end());
  return fail(near ? fmt::format("these results have no such compiler, did you mean {}?", *near)
                   : fmt::format("these results have no such compiler, expected one of: {}", text::join(offered, ", ")),
              words, {}, ErrorCode::not_found);
}

bool may_share_compute_device(const CellData& a, const CellData& b) {
  if (a.of.compute_device.value && b.of.compute_device.value)
    return a.of.compute_device.value == b.of.compute_device.value;
  if (!a.of.compute_device.value && !b.of.compute_device.value) return true;
  return (a.of.compute_device.value ? b : a).processes.empty();
}

BaselineCells::BaselineCells(std::span<const CellData* const> cells, const Baseline& baseline) : found_(cells.size()) {
  Candidates candidates;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (baseline.fits(*cells[i])) candidates.add(*cells[i], i);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellData& cell = *cells[i];
    Found& found = found_[i];
    if (candidates.are_none()) {
      found.why_none = why_there_is_none(cell, candidates, baseline);
      continue;
    }
    found.index = candidates.best_for(cell, cell.of.threads_there());
    if (!found.index && baseline.is_one_setting()) found.index = candidates.best_for(cell, Candidates::kAny);
    if (!found.index) found.why_none = why_there_is_none(cell, candidates, baseline);
  }
}

}  // namespace ngb::metrics

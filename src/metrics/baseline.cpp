// SPDX-License-Identifier: Apache-2.0
#include "metrics/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "metrics/axis.h"

namespace ngb::metrics {
namespace {

using store::CellData;
using work::BaselineCandidates;

std::string with_version(const CellData& cell) { return cell.of.compiler.name + "@" + cell.of.compiler.version; }

constexpr const char* kUnknown = "?";
constexpr const char* kSilent = "? without processes";

std::string device_of(const CellData& cell) { return cell.of.compute_device.value.value_or(kUnknown); }

// Both follow may_share_compute_device: the first returns what a candidate computes on, the second what the baseline of
// a cell may compute on, the likeliest first.
std::vector<std::string> devices_of_candidate(const CellData& cell) {
  if (!cell.of.compute_device.value && cell.processes.empty()) return {kUnknown, kSilent};
  return {device_of(cell)};
}
std::vector<std::string> devices_of_baseline(const CellData& cell) {
  if (cell.of.compute_device.value) return {device_of(cell), kSilent};
  return cell.processes.empty() ? std::vector<std::string>{kUnknown, BaselineCandidates::kAnyComputeDevice}
                                : std::vector<std::string>{kUnknown};
}

std::string why_there_is_none(const CellData& cell, const BaselineCandidates& candidates, const Baseline& baseline) {
  const std::string any_device = BaselineCandidates::kAnyComputeDevice;
  if (!candidates.best_for(cell.of, {&any_device, 1}, false)) return baseline.role() + " was not measured here";
  if (!cell.of.compute_device.value) {
    return fmt::format("unknown whether {} computed on the same device: {}", baseline.role(),
                       cell.of.compute_device.reason);
  }
  return fmt::format("{} was not measured on the {}", baseline.role(), *cell.of.compute_device.value);
}

}  // namespace

bool is_called_identity(const CellData& cell) {
  return cell.of.compiler.label == kIdentity && cell.of.compiler.name == kIdentity;
}

std::string known_as(const std::string& name) { return fmt::format("PyTorch eager ({})", name); }

std::string compiler_in_words(const CellData& cell) {
  return is_called_identity(cell) ? known_as(compiler_of(cell)) : compiler_of(cell);
}

bool Baseline::fits(const CellData& cell) const { return work::is_called(kind_, words_, cell.of.compiler); }

std::string Baseline::in_a_sentence() const { return is_identity() ? known_as(words_) : words_; }

std::string Baseline::role() const { return is_identity() ? in_a_sentence() : "the baseline " + words_; }

Baseline Baseline::find_or_none(const std::string& words, std::span<const CellData> cells) {
  Baseline found;
  const bool has_identity =
      std::any_of(cells.begin(), cells.end(), [](const CellData& cell) { return cell.of.compiler.name == kIdentity; });
  if (words == kIdentity && has_identity) return found;
  found.words_ = words;
  found.kind_ = work::kind_of_baseline(words, cells,
                                       [](const CellData& cell) -> const work::Compiler& { return cell.of.compiler; });
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

std::string why_emulation(const CellData& cell) {
  for (const samples::ProcessResult& process : cell.processes) {  // one that loads an artifact may not know
    const auto fact = process.facts.find("emulated");
    if (fact != process.facts.end()) return fmt::format("emulates {}, so its speed is no compiler's", fact->second);
  }
  return {};
}

bool may_share_compute_device(const CellData& a, const CellData& b) {
  if (a.of.compute_device.value && b.of.compute_device.value)
    return a.of.compute_device.value == b.of.compute_device.value;
  if (!a.of.compute_device.value && !b.of.compute_device.value) return true;
  return (a.of.compute_device.value ? b : a).processes.empty();
}

BaselineCells::BaselineCells(std::span<const CellData* const> cells, const Baseline& baseline) : found_(cells.size()) {
  BaselineCandidates candidates;
  BaselineCandidates emulations;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!baseline.fits(*cells[i])) continue;
    (why_emulation(*cells[i]).empty() ? candidates : emulations).add(cells[i]->of, devices_of_candidate(*cells[i]), i);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellData& cell = *cells[i];
    Found& found = found_[i];
    if (!candidates.are_none()) {
      found.index = candidates.best_for(cell.of, devices_of_baseline(cell), baseline.is_one_setting());
    }
    if (found.index) continue;
    const auto emulation = emulations.best_for(cell.of, devices_of_baseline(cell), baseline.is_one_setting());
    found.why_none = emulation ? baseline.role() + ": " + why_emulation(*cells[*emulation])
                               : why_there_is_none(cell, candidates, baseline);
  }
}

}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
// Says what a study's `baseline` means: which compilers, and with which of their cells a cell is compared. The plan
// asks this of cells that will be measured, and metrics ask it of cells that were.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "work/configuration.h"

namespace ngb::work {

inline constexpr const char* kFullPrecision = "f32";

// What the words of a baseline are of a compiler: its label in the study, NAME@VERSION, or its name.
enum class BaselineKind { label, version, name };
inline constexpr std::array kBaselineKinds{BaselineKind::label, BaselineKind::version, BaselineKind::name};
bool is_called(BaselineKind kind, std::string_view words, const Compiler& compiler);

// Returns the first kind by which some of the `items` are called so; name if there is none. `compiler_of` returns an
// item's compiler.
template <class Items, class CompilerOf>
BaselineKind kind_of_baseline(std::string_view words, const Items& items, CompilerOf compiler_of) {
  const auto* const kind = std::find_if(kBaselineKinds.begin(), kBaselineKinds.end(), [&](BaselineKind each) {
    return std::any_of(std::begin(items), std::end(items),
                       [&](const auto& item) { return is_called(each, words, compiler_of(item)); });
  });
  return kind == kBaselineKinds.end() ? BaselineKind::name : *kind;
}

// The cells that the baseline's words mean. A search takes the same time for any number of them.
class BaselineCandidates {
 public:
  // A compute device on which every candidate is.
  static constexpr const char* kAnyComputeDevice = "*";

  // Adds the candidate `index`, which is on each of `compute_devices`. Of candidates that fit equally well, the first
  // one counts.
  void add(const Configuration& candidate, std::span<const std::string> compute_devices, std::size_t index);

  // Returns the candidate that a cell is compared with. It has the cell's device, model (of a variant: the exact
  // model), batch size and load. It has the cell's threads; only if the baseline is one setting and no candidate has
  // them, it may have others. Of several such candidates, one of f32 comes before one of the cell's own precision, then
  // one on an earlier one of `compute_devices`, then one with as many instances as the cell, on
  // the same processors.
  [[nodiscard]] std::optional<std::size_t> best_for(const Configuration& cell,
                                                    std::span<const std::string> compute_devices,
                                                    bool is_one_setting) const;
  [[nodiscard]] bool are_none() const { return first_.empty(); }

 private:
  std::unordered_map<std::string, std::size_t> first_{};  // by what a candidate and a cell must have in common
};

}  // namespace ngb::work

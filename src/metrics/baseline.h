// SPDX-License-Identifier: Apache-2.0
// Finds the cell to which a cell's speed-up refers: its baseline.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"
#include "work/baseline.h"

namespace ngb::metrics {

inline constexpr const char* kIdentity = "identity";
// The identity's operators, called from C++: what lies between the two is what leaving Python gains.
inline constexpr const char* kWithoutPython = "eager-cpp";

// Returns whether the cell's compiler is the identity and is called so.
bool is_called_identity(const store::CellData& cell);
// Returns the name by which people know the identity, before its own: "PyTorch eager (identity 2.15.0)".
std::string known_as(const std::string& name);
// Returns what sentences, figures and the page call the cell's compiler: "openvino 2026.4.1", "PyTorch eager
// (identity 2.15.0)".
std::string compiler_in_words(const store::CellData& cell);

// The compiler, version or setting to which speed-ups refer.
class Baseline {
 public:
  // The identity: every cell of the compiler of this name.
  Baseline() = default;
  // Returns the baseline that `words` name among these cells: a label, else NAME@VERSION, else NAME. The identity is
  // always found. Returns an error with the nearest words if no cell is called so.
  static Result<Baseline> find(const std::string& words, std::span<const store::CellData> cells);
  // Does the same as `find`, but returns a baseline that was not measured if no cell is called so.
  static Baseline find_or_none(const std::string& words, std::span<const store::CellData> cells);
  // Returns the baseline of every cell of the compiler of this name.
  static Baseline of_compiler(std::string name) {
    Baseline found;
    found.words_ = std::move(name);
    return found;
  }

  [[nodiscard]] const std::string& words() const { return words_; }
  // Returns false for another compiler that the study labels so.
  [[nodiscard]] bool is_identity() const { return words_ == kIdentity && kind_ == work::BaselineKind::name; }
  // "PyTorch eager (identity)", "onnxruntime@1.30.0"
  [[nodiscard]] std::string in_a_sentence() const;
  // "PyTorch eager (identity)", "the baseline onnxruntime@1.30.0"
  [[nodiscard]] std::string role() const;
  [[nodiscard]] bool fits(const store::CellData& cell) const;
  // Returns true for a label, which names a setting together with its number of threads.
  [[nodiscard]] bool is_one_setting() const { return kind_ == work::BaselineKind::label; }

 private:
  std::string words_ = kIdentity;
  work::BaselineKind kind_ = work::BaselineKind::name;
};

// Returns "emulates QLinearConv 20 of 57 nodes, …" if the cell's compiler reports (its fact `emulated`) that it does
// not have these operators and computes them for their value alone; else "". Such a cell judges outputs. Its speed is
// no compiler's, so it is nobody's baseline and in no verdict.
std::string why_emulation(const store::CellData& cell);

// Returns whether the two cells are not known to compute on different kinds of processors. Cells of which neither
// reports its kind count as alike, because results from before the kind was reported are all from CPUs. If one of them
// reports it, the other may only be a cell without completed processes.
bool may_share_compute_device(const store::CellData& a, const store::CellData& b);

// The baseline of each of several cells.
class BaselineCells {
 public:
  // The cells must outlive this object. A cell's baseline is the candidate that fits best (work::BaselineCandidates) of
  // those that may share its compute device and emulate nothing.
  BaselineCells(std::span<const store::CellData* const> cells, const Baseline& baseline);

  // Returns the index of the cell's baseline, which may be the cell itself.
  [[nodiscard]] std::optional<std::size_t> of(std::size_t cell) const { return found_[cell].index; }
  // Returns why there is none: "the identity was not measured on the gpu"; "" if there is one.
  [[nodiscard]] const std::string& why_none(std::size_t cell) const { return found_[cell].why_none; }

 private:
  struct Found {
    std::optional<std::size_t> index{};
    std::string why_none{};
  };
  std::vector<Found> found_;
};

}  // namespace ngb::metrics

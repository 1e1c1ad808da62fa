// SPDX-License-Identifier: Apache-2.0
// Compares two sides of results cell by cell: finds the cells that belong together and judges each pair.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/verdict.h"
#include "store/store.h"

namespace ngb::metrics {

// The property in which the two cells of a pair differ. All their other properties are equal.
enum class Axis { results, compiler, version, options, device, threads, precision, model };
std::string_view name(Axis axis);                // "results", "compiler", …
Result<Axis> parse_axis(std::string_view name);  // The Error lists the axes

// Returns a cell's value on an axis: "onnxruntime", "1.31.1", "hint=latency", "local", "2", "f32", "resnet18"; "" for
// results.
std::string place_on(Axis axis, const store::CellData& cell);

// Returns whether `words` name the cell's value on the axis. A compiler may also be named by its label or as
// NAME@VERSION.
bool is_called(std::string_view words, Axis axis, const store::CellData& cell);

enum class PairStatus {
  judged,          // both sides have a speed: `judgement` holds
  newly_failed,    // the baseline has a speed, the candidate failed
  newly_measured,  // the baseline failed, the candidate has a speed
  both_failed,
  not_measured_yet  // one side or both have no processes yet
};
std::string_view name(PairStatus status);  // "judged", "newly_failed", …

struct ComparedPair {
  const store::CellData* baseline = nullptr;
  const store::CellData* candidate = nullptr;
  PairStatus status = PairStatus::judged;
  Judgement judgement{};
  bool is_paired = false;  // both sides were measured in the same rounds
};

struct Comparison {
  std::vector<ComparedPair> pairs{};  // in the order of the candidate's cells
  std::size_t baseline_only = 0;      // cells of the baseline without a partner
  std::size_t candidate_only = 0;
  VerdictRules rules{};
};

struct Side {
  std::vector<const store::CellData*> cells{};  // must outlive the comparison
  const void* origin = nullptr;                 // equal for two sides from the same results file
};

// Judges every pair of cells that differ in nothing but the axis. Returns an error if there is no such pair, or if a
// cell has several partners (named in the error).
Result<Comparison> compare(const Side& baseline, const Side& candidate, Axis axis, const VerdictRules& rules);

}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
// Explains the difference of two times of an inference by the regions of the model in which it arises. A round has a
// profile of either side, which were measured in turns: their difference is free of what changes from round to round.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "explain/graph.h"
#include "metrics/limit.h"
#include "samples/kernel_profile.h"
#include "statistics/contrast.h"

namespace ngb::explain {

// The regions explain the difference of the plain times if they miss it by no more than this share of the slower side.
inline constexpr double kExplainedRatio = 0.03;
// A table is refused if a region of more than so many nodes has more than this share of a side's time.
inline constexpr std::size_t kMostNodes = 20;
inline constexpr double kMostShare = 0.5;

struct Round {
  const samples::KernelProfile* baseline = nullptr;
  const samples::KernelProfile* candidate = nullptr;
};

// A kernel name of one side within a region.
struct KernelUse {
  std::string name{};
  std::string kind{};
  int calls = 0;  // in an inference
  double ns = 0;  // of all its calls, mean over rounds
};

// Of a region, or of several regions together.
struct RegionDifference {
  std::string label{};
  std::vector<std::string> nodes{};
  double baseline_ns = 0;  // mean over rounds
  double candidate_ns = 0;
  statistics::Contrast difference{};  // candidate - baseline, in nanoseconds
  std::optional<double> p{};          // Holm's, over all of its list; nothing: fewer than two rounds
  // The same of the least times of its kernels (samples::KernelProfile::least_ns), which other work on the machine
  // hardly changes. Nothing: a profile has none.
  std::optional<statistics::Contrast> undisturbed{};
  std::optional<double> undisturbed_p{};
  std::vector<KernelUse> baseline_kernels{};
  std::vector<KernelUse> candidate_kernels{};
  Known<metrics::LeastWork> work{};  // of its nodes

  // Returns whether the difference is told from 0.
  [[nodiscard]] bool is_told() const { return p && *p < statistics::kErrorRate; }
  [[nodiscard]] bool is_told_undisturbed() const { return undisturbed_p && *undisturbed_p < statistics::kErrorRate; }
};

// One side, in nanoseconds of an inference; means over rounds.
struct SideTimes {
  double plain = 0;     // without a profile
  double profiled = 0;  // with one
  double operators = 0;
  std::size_t kernels = 0;  // calls in an inference
  [[nodiscard]] double outside() const { return profiled - operators; }
  [[nodiscard]] double cost() const { return profiled - plain; }
};

struct Explanation {
  std::size_t rounds = 0;
  std::size_t nodes = 0;                    // in regions
  std::vector<RegionDifference> regions{};  // the largest difference first
  // Regions with the same operators in the same order, together, where there are two or more: "LayerNormalization ×25".
  // What is spread over many places of a model is told here, though no region has much of it. The largest first.
  std::vector<RegionDifference> alike{};
  SideTimes baseline{};
  SideTimes candidate{};
  Known<metrics::LeastWork> work{};  // of the whole model
  // Differences in nanoseconds, candidate - baseline.
  statistics::Contrast plain{};
  statistics::Contrast operators{};  // the sum over regions
  statistics::Contrast outside{};
  statistics::Contrast cost{};

  // Returns by how much the regions miss the difference of the plain times, as a share of the slower side's.
  [[nodiscard]] double gap_ratio() const;
  [[nodiscard]] bool is_explained() const { return gap_ratio() <= kExplainedRatio; }
  // Returns whether neither the plain times nor any region is told to differ.
  [[nodiscard]] bool is_same() const;
};

// Returns an error with the reason if there is no round, if the sides are not of one graph, if the kernels of a side
// have no node, or if so much time is in one region that the table would say nothing. `names` are those of the two
// sides, for errors.
struct SideNames {
  std::string baseline{};
  std::string candidate{};
};
Result<Explanation> explain(std::span<const Round> rounds, const SideNames& names);

// Returns the graph of a profile: the graph of the model's file, or a graph of the paths that its kernels name.
Graph graph_of(const samples::KernelProfile& profile);

}  // namespace ngb::explain

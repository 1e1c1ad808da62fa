// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "paper/claim_cells.h"

namespace ngb::paper {
namespace {

using store::CellData;

// weight · the logarithms of the seconds that each process took to compile, as a part of its own.
Relation log_compile_time(const Analysis& analysis, std::size_t cell, double weight) {
  std::vector<double> logs;
  for (const store::RecordedProcess& process : analysis.cell(cell).processes) {
    for (const samples::PhaseUse& phase : process.phases) {
      if (phase.phase == samples::Phase::compile && phase.wall_ns > 0)
        logs.push_back(std::log(static_cast<double>(phase.wall_ns)));
    }
  }
  if (logs.empty()) return {{}, "no process compiled"};
  return {{{std::move(logs), weight}}, {}, {{cell}}};
}

// How ASE changes from a model's next smaller batch size to this cell's: T / T there, over the ratio of the batches.
struct AseStep {
  std::size_t cell = 0;
  std::size_t smaller = 0;
  Relation change{};
};
std::vector<AseStep> ase_steps(const Analysis& analysis, const Setting& setting) {
  const auto batch_of = [&](std::size_t i) { return analysis.cell(i).of.model.key.batch; };
  std::map<std::string, std::map<int, std::size_t>> models;
  for (const std::size_t i : setting) {
    if (log_speed(analysis, i).reason.empty()) models[analysis.cell(i).of.model.key.hash].emplace(batch_of(i), i);
  }
  std::vector<AseStep> steps;
  for (const auto& [hash, batches] : models) {
    for (auto next = batches.begin(); next != batches.end(); ++next) {
      if (next == batches.begin()) continue;
      const std::size_t smaller = std::prev(next)->second;
      Relation ratio = log_ratio(analysis, next->second, smaller);
      if (!ratio.reason.empty()) continue;
      steps.push_back({next->second, smaller,
                       times(std::move(ratio), static_cast<double>(batch_of(smaller)) / batch_of(next->second))});
    }
  }
  return steps;
}

// Moves the largest step to the front.
void largest_first(std::vector<AseStep>& steps) {
  const auto estimate = [](const AseStep& step) { return statistics::contrast(step.change.parts).estimate; };
  std::iter_swap(steps.begin(), std::ranges::max_element(steps, {}, estimate));
}

Cells cells_of(const std::vector<AseStep>& steps) {
  Cells cells;
  for (const AseStep& step : steps) cells.insert(cells.end(), {step.cell, step.smaller});
  return cells;
}

}  // namespace

ClaimTest small_batches_gain_two_to_six(const Analysis& analysis, const Setting& setting) {
  const Cells cells = cells_with(analysis, setting, speed_ups(analysis),
                                 [](const CellData& cell) { return cell.of.model.key.batch <= 2; });
  if (cells.empty()) return not_measured("no speed-up at batch 1 or 2");
  ClaimTest test = claimed_above(sum_of(mean_over(cells, 1, speed_ups(analysis))), 2, cells);
  test.ratios.push_back(metrics::series::below(test.quantity, 6));
  return test;
}

ClaimTest only_vendors_gain_at_16(const Analysis& analysis, const Setting& setting) {
  const Cells cells = cells_with(analysis, setting, speed_ups(analysis),
                                 [](const CellData& cell) { return cell.of.model.key.batch == 16; });
  if (cells.empty()) return not_measured("no speed-up at batch 16");
  Relation gain = sum_of(mean_over(cells, 1, speed_ups(analysis)));
  return (is_of_a_vendor(analysis.cell(cells.front())) ? claimed_above : claimed_below)(std::move(gain), 1, cells);
}

ClaimTest torchscript_gains_little(const Analysis& analysis, const Setting& setting) {
  const Cells cells = cells_with(analysis, setting, speed_ups(analysis), [](const CellData& /*cell*/) { return true; });
  if (cells.empty()) return not_measured("torchscript has no speed-up");
  return claimed_below(sum_of(mean_over(cells, 1, speed_ups(analysis))), 1.25, cells);
}

ClaimTest openvino_gains_five_times(const Analysis& analysis, const Setting& setting) {
  const Cells cells = cells_with(analysis, setting, speed_ups(analysis), [](const CellData& /*cell*/) { return true; });
  if (cells.empty()) return not_measured("openvino has no speed-up");
  const auto estimate = [&](std::size_t i) { return statistics::contrast(log_speed_up(analysis, i).parts).estimate; };
  const std::size_t best = *std::max_element(cells.begin(), cells.end(),
                                             [&](std::size_t a, std::size_t b) { return estimate(a) < estimate(b); });
  ClaimTest test = claimed_above(log_speed_up(analysis, best), 5, cells);
  for (const std::size_t i : cells) test.largest_of.push_back(log_speed_up(analysis, i));
  return test;
}

ClaimTest batching_raises_throughput(const Analysis& analysis, const Setting& setting) {
  const Cells cells = at_largest_batch(analysis, setting, rtrs(analysis));
  if (cells.empty()) return not_measured("no model has a speed at batch 1 and at a larger batch size");
  return claimed_above(sum_of(mean_over(cells, 1, rtrs(analysis))), 1, cells);
}

ClaimTest vendors_ase_falls(const Analysis& analysis, const Setting& setting) {
  if (!is_of_a_vendor(analysis.cell(setting.front()))) return not_measured("the claim is about vendors' compilers");
  std::vector<AseStep> steps = ase_steps(analysis, setting);
  if (steps.empty()) return not_measured("no model has a speed at two batch sizes");
  largest_first(steps);
  ClaimTest test = claimed_below(steps.front().change, 1, cells_of(steps));
  for (auto step = std::next(steps.begin()); step != steps.end(); ++step) {
    test.ratios.push_back(metrics::series::below(step->change, 1));
  }
  return test;
}

ClaimTest tvm_ase_rises(const Analysis& analysis, const Setting& setting) {
  std::vector<AseStep> steps = ase_steps(analysis, setting);
  if (steps.empty()) return not_measured("no model has a speed at two batch sizes");
  largest_first(steps);
  ClaimTest test = claimed_above(steps.front().change, 1, cells_of(steps));
  for (const AseStep& step : steps) test.largest_of.push_back(step.change);
  return test;
}

// The models of each family that gain most and least from batches, at the family's largest batch size.
ClaimTest families_scale_alike(const Analysis& analysis, const Setting& setting) {
  const LogOf gains = rtrs(analysis);
  const auto estimate = [&](std::size_t i) { return statistics::contrast(log_rtr(analysis, i).parts).estimate; };
  std::map<std::string, std::map<int, Cells>> families;  // by batch size
  for (const std::size_t i : cells_with(analysis, setting, gains, [](const CellData& cell) {
         return cell.of.model.key.batch > 1 && !is_of_blocks(cell);
       })) {
    families[model_group_of(analysis.cell(i))][analysis.cell(i).of.model.key.batch].push_back(i);
  }
  Cells best;
  Cells worst;
  for (const auto& [family, batches] : families) {
    const Cells& cells = batches.rbegin()->second;
    if (cells.size() < 2) continue;
    const auto [least, most] = std::minmax_element(
        cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) { return estimate(a) < estimate(b); });
    best.push_back(*most);
    worst.push_back(*least);
  }
  if (best.empty()) return not_measured("no family has two models with a speed at batch 1 and at a larger batch size");
  Relation apart = sum_of_all(mean_over(best, 1, gains), mean_over(worst, -1, gains));
  Cells cells = best;
  cells.insert(cells.end(), worst.begin(), worst.end());
  return claimed_below(std::move(apart), 1.25, std::move(cells));
}

ClaimTest throughput_saturates(const Analysis& analysis, const Setting& setting) {
  std::map<std::string, std::map<int, std::size_t>> models;
  for (const std::size_t i : setting) {
    const CellData& cell = analysis.cell(i);
    if (metrics::series::why_no_speed(analysis, i).empty())
      models[cell.of.model.key.hash].emplace(cell.of.model.key.batch, i);
  }
  std::map<std::size_t, std::size_t> before;  // the cell of the largest batch size -> that of the next smaller one
  Cells largest;
  for (const auto& [hash, batches] : models) {
    if (batches.size() < 2) continue;
    largest.push_back(batches.rbegin()->second);
    before.emplace(largest.back(), std::next(batches.rbegin())->second);
  }
  if (largest.empty()) return not_measured("no model has a speed at two batch sizes");
  const LogOf gains = [&](std::size_t i, double weight) { return log_ratio(analysis, i, before.at(i), weight); };
  Cells cells = largest;
  for (const std::size_t i : largest) cells.push_back(before.at(i));
  return claimed_below(sum_of(mean_over(largest, 1, gains)), 1.1, std::move(cells));
}

ClaimTest bsr_above_one(const Analysis& analysis, const Setting& setting) {
  const Cells cells = at_largest_batch(analysis, setting, bsrs(analysis));
  if (cells.empty()) return not_measured("no model has a speed-up at batch 1 and at a larger batch size");
  return claimed_above(sum_of(mean_over(cells, 1, bsrs(analysis))), 1, cells);
}

ClaimTest depth_raises_bsr(const Analysis& analysis, const Setting& setting) {
  std::map<std::string, std::map<int, std::size_t>> stacks;  // by name and batch size: depth -> cell
  for (const std::size_t i : cells_with(analysis, setting, bsrs(analysis),
                                        [](const CellData& cell) { return cell.of.model.key.batch > 1; })) {
    const auto block = block_of(analysis.cell(i));
    if (!block) continue;
    stacks[fmt::format("{}\n{}", block->name, analysis.cell(i).of.model.key.batch)].emplace(block->depth, i);
  }
  Cells single;
  Cells deepest;
  for (const auto& [key, depths] : stacks) {
    if (depths.size() < 2 || depths.begin()->first != 1) continue;
    single.push_back(depths.begin()->second);
    deepest.push_back(depths.rbegin()->second);
  }
  if (single.empty()) return not_measured("no stack of depth 1 and of a larger one has a BSR");
  Cells cells = single;
  cells.insert(cells.end(), deepest.begin(), deepest.end());
  return claimed_above(sum_of_all(mean_over(deepest, 1, bsrs(analysis)), mean_over(single, -1, bsrs(analysis))), 1,
                       std::move(cells));
}

ClaimTest only_tvm_compiles_longer(const Analysis& analysis, const Setting& setting) {
  const LogOf growths = [&](std::size_t i, double weight) -> Relation {
    const auto single = analysis.single_of(i);
    if (!single) return {{}, "batch 1 was not measured here"};
    return sum_of({log_compile_time(analysis, i, weight), log_compile_time(analysis, *single, -weight)});
  };
  const Cells cells = at_largest_batch(analysis, setting, growths);
  if (cells.empty()) return not_measured("no model was compiled at batch 1 and at a larger batch size");
  const bool is_tvm = analysis.cell(cells.front()).of.compiler.name == "tvm";
  Relation growth = sum_of(mean_over(cells, 1, growths));
  return is_tvm ? claimed_above(std::move(growth), 1, cells) : claimed_below(std::move(growth), 1.1, cells);
}

ClaimTest cpu_use_rises_on_cpu(const Analysis& analysis, const Setting& setting) {
  const LogOf cpu_ratios = [&](std::size_t i, double weight) { return log_cpu_ratio(analysis, i, weight); };
  const Cells cells = cells_with(analysis, setting, cpu_ratios, [](const CellData& cell) {
    return cell.of.compute_device.value.value_or("cpu") == "cpu";
  });
  if (cells.empty()) return not_measured("no cell's use of the processor is known on a device without an accelerator");
  return claimed_above(sum_of(mean_over(cells, 1, cpu_ratios)), 1, cells);
}

}  // namespace ngb::paper

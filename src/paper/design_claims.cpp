// SPDX-License-Identifier: Apache-2.0
// The tests of what the paper says to designers of networks: about styles, depth, width, devices and what else runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "metrics/ratios.h"
#include "paper/claim_cells.h"

namespace ngb::paper {
namespace {

using store::CellData;

constexpr const char* kConvolution = "conv_block";
constexpr const char* kAttentionBlock = "mha_block";

// Two ends of something that varies, each a cell, and all such pairs of a setting.
struct Pairs {
  Cells low{};   // narrow, shallow, small
  Cells high{};  // wide, deep, large

  [[nodiscard]] Cells all() const {
    Cells cells = high;
    cells.insert(cells.end(), low.begin(), low.end());
    return cells;
  }
  // The geometric mean over pairs of high / low.
  [[nodiscard]] Relation ratio(const LogOf& log_of) const {
    return sum_of_all(mean_over(high, 1, log_of), mean_over(low, -1, log_of));
  }
};

// Returns the ends of each group that has two cells of different value: `value_of` and `group_of` are of a cell.
template <class Group, class Number>
Pairs ends_of(const Analysis& analysis, const Cells& cells, const Group& group_of, const Number& value_of) {
  std::map<std::string, std::map<double, std::size_t>> groups;
  for (const std::size_t i : cells) groups[group_of(analysis.cell(i))].emplace(value_of(analysis.cell(i)), i);
  Pairs pairs;
  for (const auto& [group, by_value] : groups) {
    if (by_value.size() < 2) continue;
    pairs.low.push_back(by_value.begin()->second);
    pairs.high.push_back(by_value.rbegin()->second);
  }
  return pairs;
}

bool has_width(const CellData& cell) {
  const auto block = block_of(cell);
  return block && block->width;
}

double width_of_stack(const CellData& cell) { return *block_of(cell)->width; }

// Stacks that differ in their width only.
std::string widths_of(const CellData& cell) {
  const Block block = *block_of(cell);
  return fmt::format("{}\n{}\n{}", block.name_sans_width, block.depth, cell.of.model.key.batch);
}

Cells of_style_at_small_batches(const Analysis& analysis, const Setting& setting, Style style) {
  Cells cells = of_style(analysis, setting, style);
  std::erase_if(cells, [&](std::size_t i) { return analysis.cell(i).of.model.key.batch > 2; });
  return cells;
}

// weight · log(processor time per wall time of the cell / that of the same compiler at batch 1).
LogOf cpu_over_single(const Analysis& analysis) {
  return [&analysis](std::size_t i, double weight) -> Relation {
    const auto single = analysis.single_of(i);
    if (!single) return {{}, "batch 1 was not measured here"};
    for (const std::size_t each : {i, *single}) {
      const auto& busy = analysis.busy_cpus(each);
      if (!busy.value) return {{}, busy.reason};
      if (!metrics::are_above_zero(*busy.value))
        return {{}, "a process used less processor time than the clock resolves"};
    }
    Relation found;
    metrics::add_log_ratio(found.parts, *analysis.busy_cpus(i).value, *analysis.busy_cpus(*single).value,
                           metrics::share_rounds(analysis.cell(i), analysis.cell(*single)), weight);
    found.cells = found.parts.size() == 1 ? std::vector<Cells>{{i, *single}} : std::vector<Cells>{{i}, {*single}};
    return found;
  };
}

std::string same_elsewhere(const Analysis& analysis, std::size_t cell) {
  const CellData& of = analysis.cell(cell);
  return fmt::format("{}\n{}\n{}\n{}", of.of.model.key.hash, of.of.model.key.batch, of.of.load,
                     analysis.settings().of(of));
}

// Returns each device's cells of the same model, batch size, load and compiler as `cells`, in their order. A device
// that lacks one of them is left out.
std::map<std::string, Cells> elsewhere(const Analysis& analysis, const Cells& cells) {
  std::map<std::string, std::size_t> wanted;
  for (std::size_t at = 0; at < cells.size(); ++at) wanted.emplace(same_elsewhere(analysis, cells[at]), at);
  std::map<std::string, std::map<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    if (analysis.cell(i).of.device == analysis.cell(cells.front()).of.device) continue;
    const auto at = wanted.find(same_elsewhere(analysis, i));
    if (at != wanted.end()) found[analysis.cell(i).of.device].emplace(at->second, i);
  }
  std::map<std::string, Cells> devices;
  for (const auto& [device, by_place] : found) {
    if (by_place.size() != cells.size()) continue;
    for (const auto& [at, cell] : by_place) devices[device].push_back(cell);
  }
  return devices;
}

// The geometric mean of the speeds of the cells' baselines, as a logarithm; nothing if one has none.
std::optional<double> log_of_baselines(const Analysis& analysis, const Cells& cells) {
  double sum = 0;
  for (const std::size_t cell : cells) {
    const auto baseline = analysis.baseline_of(cell);
    if (!baseline) return std::nullopt;
    const Relation speed = log_speed(analysis, *baseline);
    if (!speed.reason.empty()) return std::nullopt;
    sum += statistics::contrast(speed.parts).estimate;
  }
  return sum / static_cast<double>(cells.size());
}

}  // namespace

ClaimTest convolutions_gain(const Analysis& analysis, const Setting& setting) {
  const Cells cells = of_style_at_small_batches(analysis, setting, Style::convolutional);
  if (cells.empty()) return not_measured("no convolutional model has a speed-up at batch 1 or 2");
  return claimed_above(sum_of(mean_over(cells, 1, speed_ups(analysis))), 1, cells);
}

ClaimTest transformers_gain_less(const Analysis& analysis, const Setting& setting) {
  if (is_of_a_vendor(analysis.cell(setting.front()))) return not_measured("the claim is about compilers of no vendor");
  const Pairs styles{.low = of_style_at_small_batches(analysis, setting, Style::convolutional),
                     .high = of_style_at_small_batches(analysis, setting, Style::transformer)};
  if (styles.low.empty() || styles.high.empty()) {
    return not_measured("needs speed-ups of a convolutional model and of a transformer at batch 1 or 2");
  }
  return claimed_below(styles.ratio(speed_ups(analysis)), 1, styles.all());
}

ClaimTest vendors_gain_over_depth(const Analysis& analysis, const Setting& setting) {
  const CellData& first = analysis.cell(setting.front());
  if (!is_of_a_vendor(first) && first.of.compiler.name != "onnxruntime") {
    return not_measured("the claim is about vendors' compilers and onnxruntime");
  }
  const Cells blocks = cells_with(analysis, setting, speed_ups(analysis), [](const CellData& cell) {
    return cell.of.model.family == kConvolution && block_of(cell).has_value();
  });
  const Pairs depths = ends_of(
      analysis, blocks,
      [](const CellData& cell) { return fmt::format("{}\n{}", block_of(cell)->name, cell.of.model.key.batch); },
      [](const CellData& cell) { return block_of(cell)->depth; });
  if (depths.low.empty()) return not_measured("no stack of conv_block was measured at two depths");
  Relation retention = depths.ratio(speed_ups(analysis));
  return is_of_a_vendor(first) ? claimed_above(std::move(retention), 1, depths.all())
                               : claimed_below(std::move(retention), 1.1, depths.all());
}

ClaimTest width_costs_efficiency(const Analysis& analysis, const Setting& setting) {
  const Cells batches = at_largest_batch(analysis, setting, rtrs(analysis));
  Cells blocks;
  std::copy_if(batches.begin(), batches.end(), std::back_inserter(blocks),
               [&](std::size_t i) { return has_width(analysis.cell(i)); });
  const Pairs widths = ends_of(analysis, blocks, widths_of, width_of_stack);
  if (widths.low.empty()) return not_measured("no stack of blocks has an RTR at two widths");
  return claimed_below(widths.ratio(rtrs(analysis)), 1, widths.all());
}

ClaimTest width_is_mitigated(const Analysis& analysis, const Setting& setting) {
  const Pairs widths =
      ends_of(analysis, cells_with(analysis, setting, speed_ups(analysis), has_width), widths_of, width_of_stack);
  if (widths.low.empty()) return not_measured("no stack of blocks has a speed-up at two widths");
  return claimed_above(widths.ratio(speed_ups(analysis)), 1, widths.all());
}

ClaimTest convolutions_keep_efficiency(const Analysis& analysis, const Setting& setting) {
  Pairs kinds;
  for (const std::size_t i : at_largest_batch(analysis, setting, bsrs(analysis))) {
    const std::string& family = analysis.cell(i).of.model.family;
    if (family == kConvolution) kinds.high.push_back(i);
    if (family == kAttentionBlock) kinds.low.push_back(i);
  }
  if (kinds.low.empty() || kinds.high.empty()) return not_measured("needs a BSR of a conv_block and of an mha_block");
  return claimed_above(kinds.ratio(bsrs(analysis)), 1, kinds.all());
}

// Every configuration has to be above 1, so each is a ratio of the test; the lowest is its quantity.
ClaimTest bsr_consistently_above_one(const Analysis& analysis, const Setting& setting) {
  const Cells cells =
      cells_with(analysis, setting, bsrs(analysis), [](const CellData& cell) { return cell.of.model.key.batch > 1; });
  if (cells.empty()) return not_measured("no model has a speed-up at batch 1 and at a larger batch size");
  const LogOf bsr = bsrs(analysis);
  const auto estimate = [&](std::size_t i) { return statistics::contrast(bsr(i, 1).parts).estimate; };
  const auto lowest = std::min_element(cells.begin(), cells.end(),
                                       [&](std::size_t a, std::size_t b) { return estimate(a) < estimate(b); });
  ClaimTest test = claimed_above(bsr(*lowest, 1), 1, cells);
  for (const std::size_t i : cells) {
    if (i != *lowest) test.ratios.push_back(metrics::series::above(bsr(i, 1), 1));
  }
  return test;
}

ClaimTest scarce_devices_keep_efficiency(const Analysis& analysis, const Setting& setting) {
  const LogOf bsr = bsrs(analysis);
  Pairs devices{.high = at_largest_batch(analysis, setting, bsr)};
  if (devices.high.empty()) return not_measured("no model has a speed-up at batch 1 and at a larger batch size");
  const std::optional<double> here = log_of_baselines(analysis, devices.high);
  std::optional<double> fastest = here;
  for (const auto& [device, cells] : elsewhere(analysis, devices.high)) {
    const auto there = log_of_baselines(analysis, cells);
    const bool have_bsr =
        std::all_of(cells.begin(), cells.end(), [&](std::size_t i) { return bsr(i, 1).reason.empty(); });
    if (!have_bsr || !there || !fastest || *there <= *fastest) continue;
    fastest = there;
    devices.low = cells;
  }
  if (devices.low.empty())
    return not_measured("no device whose baseline is faster has the same models and batch sizes");
  return claimed_above(devices.ratio(bsr), 1, devices.all());
}

ClaimTest cpu_use_falls_with_batch(const Analysis& analysis, const Setting& setting) {
  const LogOf uses = cpu_over_single(analysis);
  Cells cells = at_largest_batch(analysis, setting, uses);
  std::erase_if(cells,
                [&](std::size_t i) { return analysis.cell(i).of.compute_device.value.value_or("cpu") == "cpu"; });
  if (cells.empty()) {
    return not_measured("no model's use of the processor is known at batch 1 and at a larger one on an accelerator");
  }
  return claimed_below(sum_of(mean_over(cells, 1, uses)), 1, cells);
}

ClaimTest load_hurts_larger_models(const Analysis& analysis, const Setting& setting) {
  const LogOf retentions = [&](std::size_t i, double weight) -> Relation {
    const auto alone = analysis.without_load(i);
    if (!alone || *alone == i) return {{}, "it was not measured under a load and alone"};
    return log_ratio(analysis, i, *alone, weight);
  };
  const Cells loaded = cells_with(analysis, setting, retentions,
                                  [](const CellData& cell) { return cell.of.model.parameters.has_value(); });
  const Pairs sizes = ends_of(
      analysis, loaded,
      [](const CellData& cell) { return fmt::format("{}\n{}", model_group_of(cell), cell.of.model.key.batch); },
      [](const CellData& cell) { return static_cast<double>(*cell.of.model.parameters); });
  if (sizes.low.empty()) return not_measured("no group has two sizes that were measured under a load and alone");
  return claimed_below(sizes.ratio(retentions), 1, sizes.all());
}

}  // namespace ngb::paper

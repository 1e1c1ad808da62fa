// SPDX-License-Identifier: Apache-2.0
#include "paper/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "paper/claim_cells.h"

namespace ngb::paper {
namespace {

using metrics::series::Claim;
using store::CellData;

void append(Cells& all, const Cells& more) { all.insert(all.end(), more.begin(), more.end()); }

ClaimTest small_batch_gains(const Analysis& analysis, const Setting& setting) {
  std::map<std::string, std::size_t> largest;
  for (const std::size_t i : setting) {
    const auto single = analysis.single_of(i);
    if (!single || *single == i || !log_speed_up(analysis, i).reason.empty() ||
        !log_speed_up(analysis, *single).reason.empty()) {
      continue;
    }
    std::size_t& known = largest.emplace(analysis.cell(i).of.model.key.hash, i).first->second;
    if (analysis.cell(known).of.model.key.batch < analysis.cell(i).of.model.key.batch) known = i;
  }
  Cells cells;
  for (const auto& [hash, cell] : largest) cells.push_back(cell);
  if (cells.empty()) return {.reason = "no model has a speed-up at batch 1 and at a larger batch size"};
  Cells singles;
  for (const std::size_t i : cells) singles.push_back(*analysis.single_of(i));
  const LogOf log_of = speed_ups(analysis);
  Relation change = sum_of_all(mean_over(cells, 1, log_of), mean_over(singles, -1, log_of));
  append(cells, singles);
  return claimed_below(std::move(change), 1, std::move(cells));
}

// The hybrid's speed-up, relative to the middle between the two styles; the sign of their difference is part of the
// claim, so it is tested too.
ClaimTest convnext_among_transformers(const Analysis& analysis, const Setting& setting) {
  const Cells convolutional = of_style(analysis, setting, Style::convolutional);
  const Cells transformer = of_style(analysis, setting, Style::transformer);
  const Cells hybrid = of_style(analysis, setting, Style::hybrid);
  if (convolutional.empty() || transformer.empty() || hybrid.empty()) {
    return {.reason = "needs speed-ups of a convolutional model, a transformer and a hybrid"};
  }
  const LogOf log_of = speed_ups(analysis);
  const Relation apart = sum_of_all(mean_over(transformer, 1, log_of), mean_over(convolutional, -1, log_of));
  const bool gain_less = statistics::contrast(apart.parts).estimate < 0;
  Cells cells = hybrid;
  append(cells, convolutional);
  append(cells, transformer);
  const double sign = gain_less ? 1 : -1;
  ClaimTest test =
      claimed_below(sum_of_all(mean_over(hybrid, sign, log_of), mean_over(convolutional, -sign / 2, log_of),
                               mean_over(transformer, -sign / 2, log_of)),
                    1, std::move(cells));
  test.ratios.push_back(gain_less ? metrics::series::below(apart, 1) : metrics::series::above(apart, 1));
  test.has_premise = true;
  return test;
}

ClaimTest tvm_weak_on_transformers(const Analysis& analysis, const Setting& setting) {
  const Cells convolutional = of_style(analysis, setting, Style::convolutional);
  const Cells transformer = of_style(analysis, setting, Style::transformer);
  if (convolutional.empty() || transformer.empty()) {
    return {.reason = "needs speed-ups of a convolutional model and of a transformer"};
  }
  const LogOf log_of = speed_ups(analysis);
  Cells cells = transformer;
  append(cells, convolutional);
  return claimed_below(sum_of_all(mean_over(transformer, 1, log_of), mean_over(convolutional, -1, log_of)), 1,
                       std::move(cells));
}

// Returns the deepest cell of each stack of this family whose single block has a speed-up too, with that.
std::vector<std::pair<std::size_t, std::size_t>> stacks_of(const Analysis& analysis, const Setting& setting,
                                                           std::string_view family) {
  struct Ends {
    std::optional<std::size_t> single{};
    std::optional<std::size_t> deepest{};
  };
  std::map<std::string, Ends> stacks;
  for (const std::size_t i : cells_with(analysis, setting, speed_ups(analysis), [&](const CellData& cell) {
         return cell.of.model.family == family && block_of(cell).has_value();
       })) {
    const Block block = *block_of(analysis.cell(i));
    Ends& ends = stacks[fmt::format("{}\n{}", block.name, analysis.cell(i).of.model.key.batch)];
    if (block.depth == 1)
      ends.single = i;
    else if (!ends.deepest || block_of(analysis.cell(*ends.deepest))->depth < block.depth)
      ends.deepest = i;
  }
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const auto& [key, ends] : stacks) {
    if (ends.single && ends.deepest) found.emplace_back(*ends.deepest, *ends.single);
  }
  return found;
}

ClaimTest mha_retains_less_than_conv(const Analysis& analysis, const Setting& setting) {
  const auto mha = stacks_of(analysis, setting, "mha_block");
  const auto conv = stacks_of(analysis, setting, "conv_block");
  if (mha.empty() || conv.empty()) {
    return {.reason = "needs stacks of mha_block and of conv_block, each of depth 1 and of a larger one"};
  }
  Cells cells;
  std::vector<Relation> all;
  const auto add = [&](const std::vector<std::pair<std::size_t, std::size_t>>& stacks, double sign) {
    const double weight = sign / static_cast<double>(stacks.size());
    for (const auto& [deepest, single] : stacks) {
      all.push_back(log_speed_up(analysis, deepest, weight));
      all.push_back(log_speed_up(analysis, single, -weight));
      append(cells, {deepest, single});
    }
  };
  add(mha, 1);
  add(conv, -1);
  return claimed_below(sum_of(std::move(all)), 1, std::move(cells));
}

ClaimTest cpu_relief(const Analysis& analysis, const Setting& setting) {
  const LogOf log_of = [&](std::size_t i, double weight) { return log_cpu_ratio(analysis, i, weight); };
  const Cells cells = cells_with(analysis, setting, log_of, [](const CellData& cell) {
    return cell.of.compute_device.value.value_or("cpu") != "cpu";
  });
  if (cells.empty()) return {.reason = "no cell's use of the processor is known on a device with an accelerator"};
  return claimed_below(sum_of(mean_over(cells, 1, log_of)), 1, cells);
}

// name, sentence, quantity, source, test, compiler, whether it is about blocks
constexpr std::array kClaims{
    Claim{"small_batch_gains", "Compiling gains most at small batch sizes.",
          "speed-up at the largest batch size / speed-up at batch 1, geometric mean over models; claimed to be below 1",
          "paper, V-C", small_batch_gains},
    Claim{"convnext_among_transformers", "ConvNeXt behaves as the transformers do, not as the convolutional models.",
          "speed-up of the hybrids / geometric mean of the speed-ups of the two styles, inverted if transformers gain "
          "more; claimed to be below 1, which is the transformers' side",
          "paper, V-B", convnext_among_transformers},
    Claim{"tvm_weak_on_transformers", "TVM is weak on transformers.",
          "tvm's speed-up of transformers / its speed-up of convolutional models; claimed to be below 1",
          "paper, table VI", tvm_weak_on_transformers, "tvm"},
    Claim{
        "mha_retains_less_than_conv", "Attention blocks retain less of their speed-up over depth than convolutions.",
        "retention of mha_block / retention of conv_block, geometric means over widths and batch sizes; claimed to be "
        "below 1",
        "paper, tables VII and VIII", mha_retains_less_than_conv, nullptr, true},
    Claim{"cpu_relief", "With an accelerator, compiling relieves the processor.",
          "cpu_c / cpu_baseline, geometric mean over workloads that compute on an accelerator; claimed to be below 1",
          "paper, V-F", cpu_relief},
    Claim{"small_batches_gain_two_to_six", "At batch sizes of at most 2 compilers gain 2 to 6 times.",
          "speed-up at batch 1 and 2, geometric mean over workloads; claimed to be above 2 and below 6", "paper, V-B",
          small_batches_gain_two_to_six},
    Claim{"only_vendors_gain_at_16", "At batch 16 only the vendors' compilers (OpenVINO, TensorRT) keep an advantage.",
          "speed-up at batch 16, geometric mean over models; claimed to be above 1 of a vendor's compiler, below 1 of "
          "others",
          "paper, V-B", only_vendors_gain_at_16},
    Claim{"torchscript_gains_little",
          "TorchScript improves throughput only marginally: by at most a quarter (our reading).",
          "speed-up of torchscript, geometric mean over workloads; claimed to be below 1.25", "paper, V-B",
          torchscript_gains_little, "torchscript"},
    Claim{"openvino_gains_five_times", "OpenVINO gains up to five to six times.",
          "highest speed-up of openvino over workloads; claimed to be above 5", "paper, V-B", openvino_gains_five_times,
          "openvino"},
    Claim{"batching_raises_throughput", "Batching raises throughput: RTR is above 1.",
          "RTR at the largest batch size, geometric mean over models; claimed to be above 1", "paper, V-A4",
          batching_raises_throughput},
    Claim{
        "families_scale_alike",
        "The models of a family gain alike from batches: their RTRs differ by at most a quarter (our reading).",
        "RTR of the model that gains most / of the one that gains least at the family's largest batch size, geometric "
        "mean over families, without stacks of blocks; claimed to be below 1.25",
        "paper, V-B", families_scale_alike},
    Claim{
        "throughput_saturates",
        "Throughput saturates: the last step of the batch size gains at most a tenth (our reading).",
        "T at the largest batch size / T at the next smaller one, geometric mean over models; claimed to be below 1.1",
        "paper, figures 5 and 12", throughput_saturates},
    Claim{"bsr_above_one", "Compiling keeps more of its speed in batches than the baseline does: BSR is above 1.",
          "BSR at the largest batch size, geometric mean over models; claimed to be above 1", "paper, V-A4 and V-D",
          bsr_above_one},
    Claim{"depth_raises_bsr", "Increasing the depth improves BSR.",
          "BSR of the deepest stack / BSR of a single block, geometric mean over stacks and batch sizes; claimed to be "
          "above 1",
          "paper, V-E", depth_raises_bsr, nullptr, true},
    Claim{"only_tvm_compiles_longer",
          "For larger batches only TVM compiles longer; others at most a tenth (our reading).",
          "time of the compile phase at the largest batch size / at batch 1, geometric mean over models; claimed to be "
          "above 1 of tvm, below 1.1 of others",
          "paper, table III", only_tvm_compiles_longer},
    Claim{"cpu_use_rises_on_cpu", "Where there is no accelerator, compiling raises the use of the processor.",
          "cpu_c / cpu_baseline, geometric mean over workloads that compute on the CPU; claimed to be above 1",
          "paper, V-F", cpu_use_rises_on_cpu},
    Claim{"convolutions_gain", "Convolutional networks gain from every compiler at small batch sizes.",
          "speed-up of convolutional models at batch 1 and 2, geometric mean; claimed to be above 1", "paper, V-B",
          convolutions_gain},
    Claim{
        "transformers_gain_less", "Transformers gain less than convolutional networks from compilers of no vendor.",
        "speed-up of transformers / of convolutional models at batch 1 and 2, of compilers of no vendor; claimed to be "
        "below 1",
        "paper, V-B", transformers_gain_less},
    Claim{"vendors_gain_over_depth",
          "On convolutions a vendor's speed-up grows with depth, ONNX Runtime's by at most a tenth (our reading).",
          "speed-up of the deepest conv_block / of the shallowest, geometric mean over widths and batch sizes; claimed "
          "to be above 1 of a vendor's compiler, below 1.1 of onnxruntime",
          "paper, V-C", vendors_gain_over_depth, nullptr, true},
    Claim{
        "width_costs_efficiency", "Wider blocks lose more efficiency in batches: batch-width friction.",
        "RTR at the largest batch size of the widest stack / of the narrowest, geometric mean over stacks; claimed to "
        "be below 1",
        "paper, V-E, figure 10", width_costs_efficiency, nullptr, true},
    Claim{"width_is_mitigated", "Compilers make up for a part of what width costs.",
          "speed-up of the widest stack / of the narrowest, geometric mean over stacks and batch sizes; claimed to be "
          "above 1",
          "paper, IV-B2", width_is_mitigated, nullptr, true},
    Claim{
        "convolutions_keep_efficiency", "OpenVINO mitigates friction best on convolution blocks.",
        "BSR of conv_block / of mha_block at the largest batch size, geometric means over stacks; claimed to be above "
        "1",
        "paper, V-E, figure 11", convolutions_keep_efficiency, "openvino", true},
    Claim{"bsr_consistently_above_one", "BSR is above 1 in every configuration.",
          "the lowest BSR over models and batch sizes; each is claimed to be above 1", "paper, V-A4",
          bsr_consistently_above_one},
    Claim{"scarce_devices_keep_efficiency", "Compilers keep more efficiency in batches where resources are scarce.",
          "BSR / BSR on the device with the fastest baseline, geometric mean over models at their largest batch size; "
          "claimed to be above 1 on each slower device",
          "paper, V-D", scarce_devices_keep_efficiency},
    Claim{"vendors_ase_falls",
          "A vendor's ASE decays predictably: it falls with every larger batch size (our reading).",
          "the largest ASE / ASE at the next smaller batch size, over models and batch sizes; each is claimed to be "
          "below "
          "1",
          "paper, V-D", vendors_ase_falls},
    Claim{"tvm_ase_rises", "TVM's ASE decays erratically: it rises with some larger batch size (our reading).",
          "the largest ASE / ASE at the next smaller batch size, over models and batch sizes; claimed to be above 1",
          "paper, V-D", tvm_ase_rises, "tvm"},
    Claim{"cpu_use_falls_with_batch", "With an accelerator, a larger batch relieves the processor.",
          "cpu at the largest batch size / cpu at batch 1, geometric mean over models that compute on an accelerator; "
          "claimed to be below 1",
          "paper, V-F, figure 12", cpu_use_falls_with_batch},
    Claim{
        "load_hurts_larger_models", "What runs beside a network hurts its larger sizes more.",
        "load retention of the largest model of a group / of its smallest, geometric mean over groups and batch sizes; "
        "claimed to be below 1",
        "paper, V-F", load_hurts_larger_models},
};

}  // namespace

report::Claims claims() { return {.of = "paper", .rows = kClaims, .test_stacks = test_stacks}; }

}  // namespace ngb::paper

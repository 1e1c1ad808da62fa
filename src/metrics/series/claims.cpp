// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "metrics/series/claim_test.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"
#include "statistics/verdict.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;
// Returns the cells of the setting that fit and have a speed-up.
template <class Fits>
Cells those_that(const Analysis& analysis, const Setting& setting, const Fits& fits) {
  Cells found;
  std::copy_if(setting.begin(), setting.end(), std::back_inserter(found),
               [&](std::size_t i) { return fits(analysis.cell(i)) && log_speed_up(analysis, i).reason.empty(); });
  return found;
}

// Leaves out stacks of blocks: claims about styles are about whole models.
Cells of_style(const Analysis& analysis, const Setting& setting, Style style) {
  return those_that(analysis, setting,
                    [&](const CellData& cell) { return style_of(cell) == style && !is_of_blocks(cell); });
}

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
  const auto log_of = [&](std::size_t i, double weight) { return log_speed_up(analysis, i, weight); };
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
  const auto log_of = [&](std::size_t i, double weight) { return log_speed_up(analysis, i, weight); };
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
  test.ratios.push_back(gain_less ? below(apart, 1) : above(apart, 1));
  test.has_premise = true;
  return test;
}

ClaimTest weak_on_transformers(const Analysis& analysis, const Setting& setting) {
  const Cells convolutional = of_style(analysis, setting, Style::convolutional);
  const Cells transformer = of_style(analysis, setting, Style::transformer);
  if (convolutional.empty() || transformer.empty()) {
    return {.reason = "needs speed-ups of a convolutional model and of a transformer"};
  }
  const auto log_of = [&](std::size_t i, double weight) { return log_speed_up(analysis, i, weight); };
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
  for (const std::size_t i : those_that(analysis, setting, [&](const CellData& cell) {
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
  Cells cells;
  std::copy_if(setting.begin(), setting.end(), std::back_inserter(cells), [&](std::size_t i) {
    const bool is_accelerated = analysis.cell(i).of.compute_device.value.value_or("cpu") != "cpu";
    return is_accelerated && log_cpu_ratio(analysis, i).reason.empty();
  });
  if (cells.empty()) return {.reason = "no cell's use of the processor is known on a device with an accelerator"};
  const auto log_of = [&](std::size_t i, double weight) { return log_cpu_ratio(analysis, i, weight); };
  return claimed_below(sum_of(mean_over(cells, 1, log_of)), 1, cells);
}

// name, sentence, quantity, source, compiler
constexpr std::array kClaims{
    Claim{"small_batch_gains", "Compiling gains most at small batch sizes.",
          "speed-up at the largest batch size / speed-up at batch 1, geometric mean over models; claimed to be below 1",
          "paper, V-C"},
    Claim{"convnext_among_transformers", "ConvNeXt behaves as the transformers do, not as the convolutional models.",
          "speed-up of the hybrids / geometric mean of the speed-ups of the two styles, inverted if transformers gain "
          "more; claimed to be below 1, which is the transformers' side",
          "paper, V-B"},
    Claim{"tvm_weak_on_transformers", "TVM is weak on transformers.",
          "tvm's speed-up of transformers / its speed-up of convolutional models; claimed to be below 1",
          "paper, table VI", "tvm"},
    Claim{
        "mha_retains_less_than_conv", "Attention blocks retain less of their speed-up over depth than convolutions.",
        "retention of mha_block / retention of conv_block, geometric means over widths and batch sizes; claimed to be "
        "below 1",
        "paper, tables VII and VIII", nullptr, true},
    Claim{"cpu_relief", "With an accelerator, compiling relieves the processor.",
          "cpu_c / cpu_baseline, geometric mean over workloads that compute on an accelerator; claimed to be below 1",
          "paper, V-F"},
    Claim{"small_batches_gain_two_to_six", "At batch sizes of at most 2 compilers gain 2 to 6 times.",
          "speed-up at batch 1 and 2, geometric mean over workloads; claimed to be above 2 and below 6", "paper, V-B"},
    Claim{"only_vendors_gain_at_16", "At batch 16 only the vendors' compilers (OpenVINO, TensorRT) keep an advantage.",
          "speed-up at batch 16, geometric mean over models; claimed to be above 1 of a vendor's compiler, below 1 of "
          "others",
          "paper, V-B"},
    Claim{"torchscript_gains_little",
          "TorchScript improves throughput only marginally: by at most a quarter (our reading).",
          "speed-up of torchscript, geometric mean over workloads; claimed to be below 1.25", "paper, V-B",
          "torchscript"},
    Claim{"openvino_gains_five_times", "OpenVINO gains up to five to six times.",
          "highest speed-up of openvino over workloads; claimed to be above 5", "paper, V-B", "openvino"},
    Claim{"batching_raises_throughput", "Batching raises throughput: RTR is above 1.",
          "RTR at the largest batch size, geometric mean over models; claimed to be above 1", "paper, V-A4"},
    Claim{
        "families_scale_alike",
        "The models of a family gain alike from batches: their RTRs differ by at most a quarter (our reading).",
        "RTR of the model that gains most / of the one that gains least at the family's largest batch size, geometric "
        "mean over families, without stacks of blocks; claimed to be below 1.25",
        "paper, V-B"},
    Claim{
        "throughput_saturates",
        "Throughput saturates: the last step of the batch size gains at most a tenth (our reading).",
        "T at the largest batch size / T at the next smaller one, geometric mean over models; claimed to be below 1.1",
        "paper, figures 5 and 12"},
    Claim{"bsr_above_one", "Compiling keeps more of its speed in batches than the baseline does: BSR is above 1.",
          "BSR at the largest batch size, geometric mean over models; claimed to be above 1", "paper, V-A4 and V-D"},
    Claim{"depth_raises_bsr", "Increasing the depth improves BSR.",
          "BSR of the deepest stack / BSR of a single block, geometric mean over stacks and batch sizes; claimed to be "
          "above 1",
          "paper, V-E", nullptr, true},
    Claim{"only_tvm_compiles_longer",
          "For larger batches only TVM compiles longer; others at most a tenth (our reading).",
          "time of the compile phase at the largest batch size / at batch 1, geometric mean over models; claimed to be "
          "above 1 of tvm, below 1.1 of others",
          "paper, table III"},
    Claim{"cpu_use_rises_on_cpu", "Where there is no accelerator, compiling raises the use of the processor.",
          "cpu_c / cpu_baseline, geometric mean over workloads that compute on the CPU; claimed to be above 1",
          "paper, V-F"},
};

constexpr std::array kProfileClaims{
    Claim{
        "blocks_fuse_alone",
        "Compilers fuse convolution, normalisation and activation within a block, and no attention blocks with each "
        "other.",
        "blocks of the deepest conv_block whose Conv+BatchNormalization+Relu are one kernel / all; claimed to be all, "
        "while no kernel of the deepest mha_block stands for two blocks",
        "paper, V-E, tables VII and VIII"},
    Claim{"overhead_falls", "The overhead of a block falls with depth.",
          "time outside of kernels for a block of the deepest stack / of the shallowest one, geometric mean over "
          "stacks; claimed to be below 1",
          "paper, V-E, tables VII and VIII"},
};

using TestOf = ClaimTest (*)(const Analysis&, const Setting&);
constexpr auto kTests = std::to_array<TestOf>(
    {small_batch_gains, convnext_among_transformers, weak_on_transformers, mha_retains_less_than_conv, cpu_relief,
     small_batches_gain_two_to_six, only_vendors_gain_at_16, torchscript_gains_little, openvino_gains_five_times,
     batching_raises_throughput, families_scale_alike, throughput_saturates, bsr_above_one, depth_raises_bsr,
     only_tvm_compiles_longer, cpu_use_rises_on_cpu});
static_assert(kTests.size() == kClaims.size());

// Returns the cells of whole networks, or all if there are none.
Setting networks_of(const Analysis& analysis, const Setting& setting) {
  Setting networks;
  std::copy_if(setting.begin(), setting.end(), std::back_inserter(networks),
               [&](std::size_t i) { return !is_of_blocks(analysis.cell(i)); });
  return networks.empty() ? setting : networks;
}

std::vector<Setting> settings_of(const Analysis& analysis) {
  std::map<std::string, std::size_t> known;
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    if (!analysis.baseline_of(i) || *analysis.baseline_of(i) == i) continue;
    const CellData& cell = analysis.cell(i);
    const auto [place, is_new] = known.emplace(place_of(cell) + '\n' + analysis.settings().of(cell), settings.size());
    if (is_new) settings.emplace_back();
    settings[place->second].push_back(i);
  }
  return settings;
}

// A difference from 1 that is smaller than the margin supports no claim: a processor that is 0.3 % less busy is not
// relieved.
bool is_within(const statistics::Interval& interval, double margin_ratio) {
  const double margin = std::log1p(margin_ratio);
  return interval.low > -margin && interval.high < margin;
}

// A row whose status waits for the judgements from `first` on.
struct Waiting {
  std::size_t row = 0;
  std::size_t first = 0;
  std::vector<double> bounds{};  // of each ratio
  bool has_premise = false;
  bool may_be_reached = false;  // the bound, by another workload than that of the largest value
};

// Returns the quantity; the largest of several with an interval that holds the truly largest: the highest ends of their
// simultaneous intervals (Bonferroni).
Value value_of(const Analysis& analysis, const ClaimTest& test) {
  Value value = ratio_value(analysis, test.quantity);
  if (test.largest_of.empty()) return value;
  value.low = value.high = 0;
  for (const Relation& each : test.largest_of) {
    const Value of = ratio_value(analysis, each, test.largest_of.size());
    value.low = of.low && value.low ? std::optional(std::max(*of.low, *value.low)) : std::nullopt;
    value.high = of.high && value.high ? std::optional(std::max(*of.high, *value.high)) : std::nullopt;
  }
  return value;
}

// Returns why the ratio is undecided. Its judgement speaks of 1, which is the claim's bound or stands for it.
std::string why_undecided_claim(const Judgement& judgement, double bound) {
  return bound == 1 || !judgement.adjusted_p ? judgement.reason : fmt::format("not told apart from {:g}", bound);
}

void decide_row(ClaimRow& row, const Waiting& waiting, std::span<const Judgement> judgements,
                const VerdictRules& rules) {
  row.status = status_of(judgements.front(), rules);
  row.adjusted_p = judgements.front().adjusted_p;
  if (row.status == ClaimStatus::undecided)
    row.value.reason = why_undecided_claim(judgements.front(), waiting.bounds[0]);
  if (row.status == ClaimStatus::does_not && waiting.may_be_reached) {
    row.status = ClaimStatus::undecided;
    row.value.reason = "another workload may reach it";
  }
  for (std::size_t i = 1; i < waiting.bounds.size(); ++i) {
    const Judgement& each = judgements[i];
    const ClaimStatus status = status_of(each, rules);
    if (status == ClaimStatus::holds) continue;
    if (!waiting.has_premise && status == ClaimStatus::does_not) {
      row.status = status;
      row.adjusted_p = each.adjusted_p;
    } else if (waiting.has_premise || row.status == ClaimStatus::holds) {
      row.status = ClaimStatus::undecided;
      row.value.reason =
          waiting.has_premise ? "what the claim presupposes is not told" : why_undecided_claim(each, waiting.bounds[i]);
    }
  }
}

}  // namespace

std::string_view name(ClaimStatus status) {
  constexpr std::array<std::string_view, 4> kNames{"holds", "does_not", "undecided", "not_measured"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view words(ClaimStatus status) {
  constexpr std::array<std::string_view, 4> kWords{"holds here", "does not hold here", "undecided", "not measured"};
  return kWords.at(static_cast<std::size_t>(status));
}

std::span<const Claim> claims() { return kClaims; }
std::span<const Claim> profile_claims() { return kProfileClaims; }

ClaimStatus status_of(const Judgement& judgement, const VerdictRules& rules) {
  const auto& interval = judgement.contrast.interval;
  if (judgement.verdict == Verdict::slower && interval && is_within(*interval, rules.margin_ratio)) {
    return ClaimStatus::does_not;
  }
  switch (judgement.verdict) {
    case Verdict::slower:
      return ClaimStatus::holds;
    case Verdict::faster:
    case Verdict::same:
      return ClaimStatus::does_not;
    case Verdict::undecided:
      break;
  }
  return ClaimStatus::undecided;
}

std::vector<ClaimRow> test_claims(const Analysis& analysis) {
  const std::vector<Setting> settings = settings_of(analysis);
  std::vector<ClaimRow> rows;
  std::vector<Waiting> waiting;
  std::vector<Question> questions;
  std::vector<statistics::Context> contexts;
  const VerdictRules rules;
  for (std::size_t claim = 0; claim < kClaims.size(); ++claim) {
    const char* const compiler = kClaims.at(claim).compiler;
    std::string reason = compiler == nullptr ? "no compiler was measured beside a baseline"
                                             : fmt::format("{} was not measured beside a baseline", compiler);
    const std::size_t before = rows.size();
    for (const Setting& setting : settings) {
      const CellData& cell = analysis.cell(setting.front());
      if (compiler != nullptr && cell.of.compiler.name != compiler) continue;
      const Setting tested = kClaims.at(claim).is_of_blocks ? setting : networks_of(analysis, setting);
      ClaimTest test = kTests.at(claim)(analysis, tested);
      if (!test.reason.empty()) {
        reason = std::move(test.reason);
        continue;
      }
      ClaimRow row{.claim = &kClaims.at(claim), .device = name_of_place(cell), .compiler = compiler_of(cell)};
      row.value = value_of(analysis, test);
      Waiting& waits = waiting.emplace_back(Waiting{.row = rows.size(), .first = questions.size()});
      waits.has_premise = test.has_premise;
      waits.may_be_reached = !test.largest_of.empty() && (!row.value.high || *row.value.high >= test.ratios[0].bound);
      for (const std::size_t i : test.cells) row.cell_ids.push_back(analysis.cell(i).cell_id);
      for (Bounded& each : test.ratios) {
        waits.bounds.push_back(each.bound);
        contexts.push_back({.weight = std::max<double>(1, static_cast<double>(test.largest_of.size())),
                            .sides = context_of(analysis, setting.front()).sides});
        questions.push_back(std::move(each.ratio.parts));
      }
      rows.push_back(std::move(row));
    }
    if (rows.size() == before) rows.push_back({.claim = &kClaims.at(claim), .value = {.reason = reason}});
  }
  const std::vector<Judgement> judgements = judge(questions, rules, contexts);
  for (const Waiting& each : waiting) {
    decide_row(rows[each.row], each, std::span(judgements).subspan(each.first, each.bounds.size()), rules);
  }
  return rows;
}

}  // namespace ngb::metrics::series

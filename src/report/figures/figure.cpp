// SPDX-License-Identifier: Apache-2.0
#include "report/figures/figure.h"

#include <array>

#include "ase_by_batch.vl.json.h"
#include "batch_width_friction.vl.json.h"
#include "break_even.vl.json.h"
#include "compile_time.vl.json.h"
#include "cpu_relief.vl.json.h"
#include "cpu_use.vl.json.h"
#include "depth_conv.vl.json.h"
#include "depth_mha.vl.json.h"
#include "figure1.vl.json.h"
#include "figure10.vl.json.h"
#include "figure11.vl.json.h"
#include "figure12.vl.json.h"
#include "figure5.vl.json.h"
#include "figure6.vl.json.h"
#include "figure7.vl.json.h"
#include "figure8.vl.json.h"
#include "figure9.vl.json.h"
#include "operator_times.vl.json.h"
#include "pareto_compile.vl.json.h"
#include "pareto_cpu.vl.json.h"
#include "rank_reversals.vl.json.h"
#include "ratio_to_best.vl.json.h"
#include "region_differences.vl.json.h"
#include "report/figures/paper_rows.h"
#include "report/figures/rows.h"
#include "rtr_by_batch.vl.json.h"
#include "samples.vl.json.h"
#include "speed_up_by_family.vl.json.h"
#include "speed_up_by_style.vl.json.h"
#include "tcr_by_model.vl.json.h"
#include "throughput_by_batch.vl.json.h"
#include "tuning_curve.vl.json.h"

namespace ngb::report::figures {
namespace {

constexpr std::array kFigures{
    Figure{"rank_reversals", "Reversed orders",
           "Two sides of each reversal, the clearest first: the first is faster on one side of 1, the second on the "
           "other. "
           "Beside each side, the samples/s of both. Lines are 95 % intervals.",
           "answers the question of figure 1", "one side of a reversed order: two models or two compilers",
           "panel ranked a b side device model batch compiler throughput_ratio low high state reason adjusted_p",
           kText_rank_reversals_vl_json, rank_reversals},
    Figure{"throughput_by_batch", "Throughput by batch size",
           "Lines are 95 % intervals. A cross at the axis is a cell without a speed.",
           "answers the question of figure 5", "one cell",
           "panel device model model_group model_style batch compiler throughput_per_s low high state reason",
           kText_throughput_by_batch_vl_json, throughput_by_batch},
    Figure{"speed_up_by_family", "Speed-up of groups of models",
           "Geometric mean over the group's models and batch sizes; lines are 95 % intervals. A cross at the axis is a "
           "group with a cell that has no speed-up.",
           "answers the question of figure 6", "one compiler on one group of models and batch sizes",
           "panel device model_group model_style batch_sizes first_batch compiler family_speed_up_ratio low high state "
           "reason",
           kText_speed_up_by_family_vl_json, speed_up_by_family},
    Figure{
        "speed_up_by_style", "Speed-up of styles of models",
        "Geometric mean over the style's groups; lines are 95 % intervals that take the errors of groups as "
        "independent. A cross at the axis is a style with a cell that has no speed-up.",
        "answers the question of figure 6", "one compiler on one style of models and group of batch sizes",
        "panel device model_style batch_sizes first_batch compiler groups style_speed_up_ratio low high state reason",
        kText_speed_up_by_style_vl_json, speed_up_by_style},
    Figure{
        "cpu_use", "Use of the processor",
        "Mean over the group's models and batch sizes; lines are ± one standard deviation between processes. A cross "
        "at the axis is a group with a cell that has no number.",
        "answers the question of figure 12", "one compiler on one group of models and batch sizes",
        "panel device model_group model_style batch_sizes first_batch compiler family_cpu_percent low high state "
        "reason",
        kText_cpu_use_vl_json, cpu_use},
    Figure{"cpu_relief", "Relief of the processor",
           "1 - geometric mean of cpu / cpu of the baseline: above 0, the processor is less busy. Lines are 95 % "
           "intervals. A cross at the axis is a group with a cell that has no number.",
           "answers the question of figure 12", "one compiler on one group of models and batch sizes",
           "panel device model_group model_style batch_sizes first_batch compiler family_cpu_reduction_ratio low high "
           "state reason",
           kText_cpu_relief_vl_json, cpu_relief},
    Figure{"rtr_by_batch", "Relative throughput of batches (RTR)",
           "Throughput over that of the same compiler at batch 1. Lines are 95 % intervals. A cross at the axis is a "
           "cell without this number.",
           "answers the question of figure 8", "one cell",
           "panel device model model_group model_style batch compiler rtr_ratio low high state reason",
           kText_rtr_by_batch_vl_json, rtr_by_batch},
    Figure{"ase_by_batch", "Efficiency of batches (ASE)",
           "RTR over the batch size: at 1, a sample of a batch costs no less than a single one. Lines are 95 % "
           "intervals. A cross at the axis is a cell without this number.",
           "answers the question of figure 8", "one cell",
           "panel device model model_group model_style batch compiler ase_ratio low high state reason",
           kText_ase_by_batch_vl_json, ase_by_batch},
    Figure{"depth_conv", "Speed-up over the depth of convolutional blocks",
           "A column for each width (channels). Lines are 95 % intervals. A cross at the axis is a cell without a "
           "speed-up.",
           "answers the question of figure 7", "one cell",
           "panel device model model_group model_style width depth batch compiler speed_up_ratio low high state reason",
           kText_depth_conv_vl_json, depth_conv},
    Figure{"depth_mha", "Speed-up over the depth of attention blocks",
           "A column for each width (embedding). Lines are 95 % intervals. A cross at the axis is a cell without a "
           "speed-up.",
           "answers the question of figure 7", "one cell",
           "panel device model model_group model_style width depth batch compiler speed_up_ratio low high state reason",
           kText_depth_mha_vl_json, depth_mha},
    Figure{"batch_width_friction", "Batch-width friction",
           "RTR at each larger width over RTR at the smallest: below 1, batching gains less in wider blocks. Lines are "
           "95 % intervals. A cross at the axis is a pair of cells without this number.",
           "answers the question of figure 10", "one compiler on the narrowest and a wider stack of one depth",
           "panel device model model_group model_style narrow_width width depth batch compiler "
           "batch_width_friction_ratio low high state reason",
           kText_batch_width_friction_vl_json, batch_width_friction},
    Figure{
        "tcr_by_model", "What compressing saves (TCR/s)",
        "Throughput times the bits that compressing a sample saves, of each model that has both sizes. Lines are 95 % "
        "intervals. A cross at the axis is a cell without a speed.",
        "answers the question of section IV-B", "one cell of a model with raw_bytes and encoded_bytes",
        "panel device model model_group model_style batch compiler tcr_bits_per_s low high state reason",
        kText_tcr_by_model_vl_json, tcr_by_model},
    Figure{
        "compile_time", "Compile time",
        "Compiling and tuning together. Lines reach from the fastest to the slowest process that compiled. A cross at "
        "the axis is a cell without a compile time.",
        "answers the question of table III", "one cell",
        "panel device model model_group model_style batch compiler tuning_s compile_total_s low high state reason",
        kText_compile_time_vl_json, compile_time},
    Figure{"break_even", "When compiling pays",
           "Inferences after which the time that they save equals what compiling took longer than for the baseline. "
           "Fewer than 1 are drawn at 1. Lines are 95 % intervals. A cross at the axis is a cell for which compiling "
           "is not "
           "told to pay.",
           "", "one cell",
           "panel device model model_group model_style batch compiler break_even_inferences low high state reason",
           kText_break_even_vl_json, break_even},
    Figure{"tuning_curve", "What tuning gains",
           "The compiler's own estimate of an inference with the best kernels so far, on a logarithmic axis; the first "
           "point is the untuned model's. Each cell's line ends where its tuning ended.",
           "", "one improvement during the tuning of a cell, and its end",
           "panel device model model_group model_style batch compiler trials best_ms", kText_tuning_curve_vl_json,
           tuning_curve},
    Figure{"pareto_compile", "Speed against compile time",
           "Throughput over that of the fastest cell of the same model; lines are 95 % intervals. Filled, with the "
           "model's name: no other "
           "setting is told to be faster with no longer compile time and no more memory. Crosses at the axis count the "
           "cells of each compiler without both numbers.",
           "", "one cell",
           "panel device model model_group model_style batch compiler compile_total_s ratio_to_best low high on_front "
           "state reason",
           kText_pareto_compile_vl_json, pareto_compile},
    Figure{
        "pareto_cpu", "Speed against use of the processor",
        "Throughput over that of the fastest cell of the same model; lines are 95 % intervals. Filled, with the "
        "model's name: no other "
        "setting is certainly faster with no more use of the processor. Crosses at the axis count the cells of each "
        "compiler without both numbers.",
        "", "one cell",
        "panel device model model_group model_style batch compiler cpu_percent ratio_to_best low high on_front state "
        "reason",
        kText_pareto_cpu_vl_json, pareto_cpu},
    Figure{"ratio_to_best", "Each cell beside the fastest",
           "Throughput over that of the fastest compiler of the same model and batch size, with its 95 % interval. A "
           "cross is a cell without a speed.",
           "", "one cell",
           "panel device model model_group model_style batch compiler ratio_to_best low high state reason",
           kText_ratio_to_best_vl_json, ratio_to_best},
    Figure{"samples", "Every repetition in the order of time",
           "Warm-up is left out. Horizontal lines are means of processes; vertical lines separate processes. Crosses "
           "belong to processes that do not count. Flags are in brackets.",
           "", "one repetition; of a cell with very many, every n-th (column `every`)",
           "panel device model model_group model_style batch compiler flags process attempt state reason repetition "
           "every throughput_per_s",
           kText_samples_vl_json, sample_strips},
    Figure{"operator_times", "Time of an inference by kind of operator",
           "From profiles of the kernels. A kernel that stands for several nodes counts as the first one that is not "
           "light. Outside operators is the time in no kernel.",
           "", "one kind of operator of one cell",
           "panel device model model_group model_style batch compiler operator drawn_as rank time_ms",
           kText_operator_times_vl_json, operator_times},
    Figure{"region_differences", "Where the difference of two compilers arises",
           "From the plain time of the first compiler to that of another one, region by region: each bar begins where "
           "the one above it ends. Pale bars are not told from 0.",
           "", "one region of one pair of cells, or what is in none of these regions",
           "panel device model model_group model_style batch compiler baseline step region label from_ms to_ms "
           "difference_ms low high adjusted_p direction told",
           kText_region_differences_vl_json, region_differences},
    Figure{"figure1", "Figure 1: an order that compiling reverses",
           "Throughput of two models that are alike in size, with two pairs of device and compiler. Lines are 95 % "
           "intervals.",
           "figure 1", "one bar", "panel side device model batch compiler throughput_per_s low high state reason",
           kText_figure1_vl_json, paper_figure1, true},
    Figure{"figure5", "Figure 5: throughput of the vendor's compiler and of the baseline",
           "A row of panels for each device and size, a column for each family, with axes of their own. Lines are 95 % "
           "intervals; of published means, ± one standard deviation.",
           "figure 5", "one cell, or one published mean of a family",
           "panel column device model model_group model_style batch batch_sizes compiler throughput_per_s low high "
           "state reason",
           kText_figure5_vl_json, paper_figure5, true},
    Figure{"figure6", "Figure 6: speed-up of families",
           "Geometric mean over the models of a family at a batch size. Lines are 95 % intervals.", "figure 6",
           "one compiler on one family at one batch size",
           "panel column device model_group model_style models batch batch_sizes compiler family_batch_speed_up_ratio "
           "low high state reason",
           kText_figure6_vl_json, paper_figure6, true},
    Figure{"figure7", "Figure 7: speed-up over the depth of a stack of blocks",
           "A row of panels for each batch size, a column for each kind and width of block, with axes of their own. "
           "Lines are 95 % intervals. A cross at the axis is a cell without this number.",
           "figure 7", "one cell",
           "panel column device model model_group model_style width depth batch compiler speed_up_ratio low high state "
           "reason",
           kText_figure7_vl_json, paper_figure7, true},
    Figure{"figure8", "Figure 8: efficiency of batches (ASE) by style",
           "RTR over the batch size, geometric mean over the models of a style: at 1, a sample of a batch costs no "
           "less than a single one. Lines are 95 % intervals.",
           "figure 8", "one compiler on one style at one batch size",
           "panel column device model_style models batch compiler style_batch_ase_ratio low high state reason",
           kText_figure8_vl_json, paper_figure8, true},
    Figure{"figure9", "Figure 9: batch scaling resilience (BSR) of models",
           "ASE over that of the baseline: above 1, the compiler keeps more of its speed in batches. Lines are 95 % "
           "intervals.",
           "figure 9", "one cell",
           "panel column device model model_group model_style batch compiler bsr_ratio low high state reason",
           kText_figure9_vl_json, paper_figure9, true},
    Figure{
        "figure10", "Figure 10: efficiency of batches (ASE) over width and batch size",
        "A row of panels for each kind of block at its smallest depth, a column for each compiler; a panel has a row "
        "for each width. A cross is a cell without this number.",
        "figure 10", "one cell",
        "panel column device model model_group model_style width depth batch compiler ase_ratio low high state reason",
        kText_figure10_vl_json, paper_figure10, true},
    Figure{
        "figure11", "Figure 11: batch scaling resilience (BSR) of blocks",
        "A row of panels for each kind and width of block, a column for each of three depths. Lines are 95 % "
        "intervals. A cross at the axis is a cell without this number.",
        "figure 11", "one cell",
        "panel column device model model_group model_style width depth batch compiler bsr_ratio low high state reason",
        kText_figure11_vl_json, paper_figure11, true},
    Figure{
        "figure12", "Figure 12: use of the processor and its reduction",
        "Two rows of panels for each device: the mean use of the processor over a family, and 1 - geometric mean of "
        "use / use of the baseline, with its 95 % interval; of published means, ± one standard deviation.",
        "figure 12", "one number of one compiler on one family at one batch size",
        "panel column quantity device model_group model_style batch batch_sizes compiler percent low high state reason",
        kText_figure12_vl_json, paper_figure12, true},
};

}  // namespace

std::span<const Figure> all_figures() { return kFigures; }

}  // namespace ngb::report::figures

// SPDX-License-Identifier: Apache-2.0
// Defines the table of metrics and the function of each row. A value that is unknown has a reason, never 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "metrics/agreement.h"
#include "metrics/analysis.h"
#include "metrics/costs.h"
#include "metrics/decoding.h"
#include "metrics/machine_use.h"
#include "metrics/memory_growth.h"
#include "metrics/metric.h"
#include "metrics/phases.h"
#include "metrics/ratios.h"
#include "statistics/binomial_intervals.h"
#include "statistics/statistics.h"

namespace ngb::metrics {
namespace {

// Applies `compute` to the steady repetitions, or returns why there are none.
template <class Compute>
Value of_steady(const Analysis& analysis, std::size_t cell, const Compute& compute) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty()) return unknown(steady.reason);
  return compute(steady);
}

Value throughput_mean(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell, [](const Steady& steady) -> Value { return {steady.throughput_mean}; });
}

Value throughput_std(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell, [](const Steady& steady) -> Value {
    return steady.throughput_deviation ? Value{steady.throughput_deviation} : unknown("needs 2 repetitions");
  });
}

Value throughput(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell, [&](const Steady& steady) {
    return geometric_mean(steady.throughput_by_process, analysis.error_rate());
  });
}

Value throughput_median(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell, [&](const Steady& steady) {
    return geometric_mean(steady.median_by_process, analysis.error_rate());
  });
}

// Returns one of kLatencyPercentiles if there are enough latencies. Above the median it is unknown if a repetition
// holds several inferences, because the latency of a single one was not measured.
template <std::size_t percentile>
Value latency(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell, [](const Steady& steady) -> Value {
    if (percentile > 0 && steady.is_grouped) {
      return unknown("a repetition holds several inferences; measure with min_repetition_ms: 0");
    }
    if (constexpr std::size_t kNeeded = needed_latencies(percentile); steady.latencies < kNeeded) {
      return unknown(fmt::format("needs {} repetitions, has {}", kNeeded, steady.latencies));
    }
    const statistics::PercentileInterval& found = steady.latency_percentiles_s.at(percentile);
    if (percentile == 0 || !found.low || !found.high) return {found.value};
    return {found.value, found.low, found.high};
  });
}

Value spread(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell, [](const Steady& steady) -> Value {
    return steady.spread_ratio ? Value{steady.spread_ratio}
                               : unknown(fmt::format("needs 4 repetitions, has {}", steady.repetitions));
  });
}

Value repetition_count(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell,
                   [](const Steady& steady) -> Value { return {static_cast<double>(steady.repetitions)}; });
}

Value process_count(const Analysis& analysis, std::size_t cell) {
  return of_steady(analysis, cell, [](const Steady& steady) -> Value {
    return {static_cast<double>(steady.throughput_by_process.size())};
  });
}

constexpr const char* kPaper = "paper V-A4, V-C, V-F";
constexpr const char* kProtocol = "measurement protocol";
constexpr const char* kPercentiles = "MLPerf Inference rules: n ≥ 64, 130, 662 for p90, p95, p99";

constexpr const char* kOfVariants = "docs/variants.md: ours";

// Cases of tests/truth.
constexpr const char* kTruthOfRates = "the_papers_mean_is_that_of_each_repetitions_rate";
constexpr const char* kTruthOfPercentiles = "so_many_answers_came_within_a_percentile";
constexpr const char* kTruthOfSessions = "sessions_leave_behind_what_they_keep";
constexpr const char* kTruthOfCompiling = "the_process_in_the_middle_says_what_compiling_takes";
constexpr const char* kTruthOfLargest = "the_largest_of_all_processes_has_to_fit";
constexpr const char* kTruthOfMeters = "a_meter_divided_by_the_inferences_of_its_minute";
constexpr const char* kTruthOfProcessors = "processors_kept_busy_are_a_share_of_those_there";
constexpr const char* kTruthOfRatios = "ratios_are_counts_of_the_same_minute";
constexpr const char* kTruthOfInputs = "inputs_that_agree_are_counted";
constexpr const char* kTruthOfCounts = "what_counts_is_counted";
constexpr const char* kTruthOfTokens = "a_token_takes_what_a_step_of_a_later_pass_takes";
constexpr const char* kTruthOfPrompts = "a_prompts_tokens_are_read_together";
constexpr const char* kTruthOfLoads = "a_load_works_while_the_cell_is_timed";

constexpr const char* kOfTokens = "docs/decoding.md: ours";

constexpr const char* kRapl = "RAPL: counters of the packages; timed phases of 0.1 s and more";
constexpr const char* kBoardMeter = "INA3221 at the board's input, read each second; 5 readings and more";

// name, heading, unit, formula, source, has_interval, rank, compute, truth, deviation, about, better,
// margin_difference, needs
constexpr std::array kMetrics{
    Metric{
        "throughput_per_s", "samples/s", "samples/s",
        "T_c(b): geometric mean over processes of each one's b·Σk / Σt over its repetitions, which is what a clock on "
        "the wall says; of several instances, of the sum of theirs while all of them run",
        kProtocol, true, 2, throughput, "speed_is_what_a_clock_on_the_wall_counts", nullptr, About::every_cell,
        Better::higher},
    Metric{"throughput_mean_per_s", "mean of rates", "samples/s",
           "mean over repetitions of b·k / t: the paper's number, in no verdict, because a slow repetition counts in "
           "it as if it took no time",
           kPaper, false, 0, throughput_mean, kTruthOfRates, "throughput_std_per_s"},
    Metric{"throughput_std_per_s", "± std", "samples/s", "sample standard deviation (n - 1) of b·k / t", kPaper, false,
           0, throughput_std, kTruthOfRates},
    Metric{"throughput_median_per_s", "median", "samples/s",
           "geometric mean over processes of each process's median of b·k / t", kProtocol, true, 0, throughput_median,
           "half_of_the_repetitions_are_at_least_as_fast_as_the_median", nullptr, About::every_cell, Better::higher},
    Metric{"speed_up_ratio", "speed-up", "ratio", "T_c(b) / T_baseline(b)", kPaper, true, 1, speed_up, kTruthOfRatios,
           nullptr, About::baseline},
    Metric{"tcr_bits_per_s", "TCR/s", "bits/s",
           "T_c(b) · 8 · (raw_bytes - encoded_bytes): what compressing saves, where the study gives both sizes of a "
           "sample",
           "paper, which gives no formula: ours", true, 0, saved_bits, "bits_saved_are_those_of_the_samples_counted",
           nullptr, About::every_cell, Better::higher},
    Metric{"samples_in_window", "in the window", "samples",
           "geometric mean over processes of T · (w - s): w is the goal's `window_s`, s what the process took from its "
           "start to its warm-up, by compiling or by loading; 0 if one took longer than w",
           "paper IV-B1, which gives no formula: ours", true, 0, samples_in_window,
           "a_window_holds_what_is_left_after_the_start", nullptr, About::every_cell, Better::higher},
    Metric{"bits_in_window", "bits in the window", "bits", "samples_in_window · 8 · (raw_bytes - encoded_bytes)",
           "paper IV-B1, which gives no formula: ours", true, 0, bits_in_window,
           "a_window_holds_what_is_left_after_the_start", nullptr, About::every_cell, Better::higher},
    Metric{
        "latency_p50_s", "p50", "s",
        "median over repetitions of t / k; over latencies, where several inferences are in flight or requests arrive",
        kProtocol, false, 4, latency<0>, kTruthOfPercentiles, nullptr, About::every_cell, Better::lower},
    Metric{"latency_p90_s", "p90", "s",
           "90th percentile over repetitions of t, where k = 1; over latencies, where several inferences are in flight "
           "or requests arrive",
           kPercentiles, true, 0, latency<1>, kTruthOfPercentiles, nullptr, About::every_cell, Better::lower},
    Metric{"latency_p95_s", "p95", "s",
           "95th percentile over repetitions of t, where k = 1; over latencies, where several inferences are in flight "
           "or requests arrive",
           kPercentiles, true, 0, latency<2>, kTruthOfPercentiles, nullptr, About::every_cell, Better::lower},
    Metric{"latency_p99_s", "p99", "s",
           "99th percentile over repetitions of t, where k = 1; over latencies, where several inferences are in flight "
           "or requests arrive",
           kPercentiles, true, 0, latency<3>, kTruthOfPercentiles, nullptr, About::every_cell, Better::lower},
    Metric{"compile_s", "compile", "s",
           "median over the processes that compiled of the compile phase's wall time, without what tuning took of it",
           "paper, table III", false, 5, compile_time, kTruthOfCompiling, nullptr, About::every_cell, Better::lower},
    Metric{"compile_count", "compilations", "1", "processes that compiled: the compile times behind `compile_s`",
           kProtocol, false, 0, compile_count, kTruthOfCompiling},
    Metric{"tuning_s", "tuning", "s", "time that tuning took, over all processes that have worked on it", kPaper, false,
           0, tuning_time, kTruthOfCompiling},
    Metric{"tuning_trials", "trials", "1", "candidates that tuning measured or tried to", kPaper, false, 0,
           tuning_trials, kTruthOfCompiling},
    Metric{"compile_total_s", "compile total", "s", "compile_s + tuning_s; compile_s of a cell that was not tuned",
           "paper, table III", false, 0, compile_total, kTruthOfCompiling, nullptr, About::every_cell, Better::lower},
    Metric{"break_even_inferences", "break-even", "1",
           "(compile_total_c - compile_total_baseline) / (t_baseline - t_c), t = b / T in seconds per inference; 0 if "
           "compiling takes no longer; none unless the speed-up is told to be above 1; the interval is that of the "
           "speed-up",
           kProtocol, true, 0, break_even, "compiling_has_paid_when_the_compiled_program_has_caught_up", nullptr,
           About::baseline},
    Metric{"load_s", "load", "s",
           "median over the processes that loaded what another one had compiled of the load phase's wall time",
           kProtocol, false, 0, load_time, kTruthOfCompiling, nullptr, About::every_cell, Better::lower},
    Metric{"cold_start_s", "cold start", "s",
           "median over the processes that compiled of the wall time of the phases before the warm-up: start, open, "
           "compile, first inference and its check",
           kProtocol, false, 0, cold_start, kTruthOfCompiling, nullptr, About::every_cell, Better::lower},
    Metric{"warm_start_s", "warm start", "s",
           "as cold_start_s, over the processes that loaded what another one had compiled", kProtocol, false, 0,
           warm_start, kTruthOfCompiling, nullptr, About::every_cell, Better::lower},
    Metric{
        "first_inference_s", "first inference", "s",
        "median over processes of t of the first inference after compiling or loading, which is in no other number of "
        "speed; its check is not in it",
        kProtocol, false, 0, first_inference, kTruthOfCompiling, nullptr, About::every_cell, Better::lower},
    Metric{"compile_cpu_s", "compile CPU", "s",
           "median over processes of the compile phase's processor time, over the process tree", kProtocol, false, 0,
           compile_cpu, kTruthOfCompiling, nullptr, About::every_cell, Better::lower},
    Metric{"compile_peak_bytes", "compile peak", "bytes",
           "highest resident memory of a worker within the compile phase, over processes", kProtocol, false, 0,
           compile_peak, kTruthOfLargest, nullptr, About::every_cell, Better::lower},
    Metric{"timed_peak_bytes", "peak", "bytes",
           "highest resident memory of a worker within the timed phase, over processes; of several instances, the sum "
           "of theirs",
           kProtocol, false, 7, timed_peak, kTruthOfLargest, nullptr, About::every_cell, Better::lower},
    Metric{"memory_growth_bytes_per_inference", "growth", "bytes/inference",
           "resident memory that a process gains with each inference, from its first one on: the median slope of all "
           "pairs of its marks after the last knee, where memory that is reserved once has filled; mean over "
           "processes. Above 0, interval included: a leak",
           "Sen (1968), for the slope; ours, for the knee", true, 0, memory_growth,
           "a_leak_is_what_each_inference_leaves_behind", nullptr, About::every_cell, Better::lower_by_difference,
           kLeastGrowthBytes, "leak"},
    Metric{"session_s", "session", "s",
           "median over all further sessions: open, compile or load, one inference and close of each", kProtocol, false,
           0, session_time, kTruthOfSessions, nullptr, About::every_cell, Better::lower},
    Metric{"session_memory_bytes", "kept of a session", "bytes",
           "as memory_growth_bytes_per_inference, against further sessions in place of inferences",
           "Sen (1968), for the slope; ours, for the knee", true, 0, session_memory, kTruthOfSessions, nullptr,
           About::every_cell, Better::lower_by_difference, kLeastSessionBytes},
    Metric{"model_size_bytes", "model size", "bytes",
           "size of the ONNX file, with the files of its weights; highest of the processes", kProtocol, false, 0,
           model_size, kTruthOfLargest, nullptr, About::every_cell, Better::lower_exactly},
    Metric{"artifact_size_bytes", "artifact size", "bytes",
           "size of what the compiler has written and opens again; none of a compiler that writes nothing; highest of "
           "the processes",
           kProtocol, false, 0, artifact_size, kTruthOfLargest, nullptr, About::every_cell, Better::lower_exactly},
    Metric{"runtime_size_bytes", "runtime size", "bytes",
           "size of the programs and shared libraries that the worker has mapped when it has measured, each once, "
           "Python's and the system's included; highest of the processes",
           kProtocol, false, 0, runtime_size, kTruthOfLargest, nullptr, About::every_cell, Better::lower_exactly},
    Metric{"shipped_size_bytes", "size", "bytes",
           "artifact_size_bytes; model_size_bytes of a compiler that writes nothing", kProtocol, false, 0, shipped_size,
           kTruthOfLargest, nullptr, About::every_cell, Better::lower_exactly},
    Metric{"disk_size_bytes", "disk", "bytes", "shipped_size_bytes + runtime_size_bytes: what it takes on a disk",
           kProtocol, false, 0, disk_size, kTruthOfLargest, nullptr, About::every_cell, Better::lower_exactly},
    Metric{
        "delegated_count", "delegated", "1",
        "operators of the compiled file that a delegate computes, as the compiler tells (facts of the first process)",
        kProtocol, false, 9, delegated, kTruthOfCounts, nullptr, About::delegates},
    Metric{"not_delegated_count", "not delegated", "1",
           "operators of an inference that the delegate leaves to the library's own kernels (likewise)", kProtocol,
           false, 9, not_delegated, kTruthOfCounts, nullptr, About::delegates},
    Metric{"cpu_percent", "CPU %", "percent",
           "100 · processor time / (wall time · processors of the machine) of the timed phase, mean over processes",
           kPaper, false, 6, cpu_of_machine, kTruthOfProcessors, nullptr, About::every_cell, Better::lower},
    Metric{"cpu_std_percent", "CPU % std", "percent", "sample standard deviation (n - 1) over processes of cpu_percent",
           kPaper, false, 0, cpu_deviation, kTruthOfProcessors},
    Metric{"cpu_percent_of_threads", "CPU % of threads", "percent",
           "100 · processor time / (wall time · threads allowed, of all instances) of the timed phase, mean over "
           "processes",
           kProtocol, false, 0, cpu_of_threads, kTruthOfProcessors},
    Metric{"cpu_per_inference_s", "CPU an inference", "s",
           "processor time of the timed phase / its inferences, geometric mean over processes", kProtocol, true, 0,
           cpu_per_inference, kTruthOfMeters, nullptr, About::every_cell, Better::lower},
    Metric{"package_energy_per_inference_j", "J, packages", "joule",
           "mean power of the processor packages over the timed phase (in turns: the phase alone) · its seconds / its "
           "inferences, geometric mean over processes",
           kRapl, true, 0, package_energy, kTruthOfMeters, nullptr, About::every_cell, Better::lower},
    Metric{"net_package_energy_per_inference_j", "net J, packages", "joule",
           "as package_energy_per_inference_j, of the power without that of 0.5 s before the compiler was opened",
           kRapl, true, 0, net_package_energy, kTruthOfMeters, nullptr, About::every_cell, Better::lower},
    Metric{"gpu_energy_per_inference_j", "J, GPU", "joule",
           "mean power of the GPU over the timed phase (in turns: the phase alone) · its seconds / its inferences, "
           "geometric mean over processes",
           "NVML: its counter of energy; timed phases of 1 s and more", true, 0, gpu_energy, kTruthOfMeters, nullptr,
           About::every_cell, Better::lower},
    Metric{"board_energy_per_inference_j", "J, board", "joule",
           "mean of the readings of the board's power during the timed phase (in turns: the phase alone) · its seconds "
           "/ its inferences, geometric mean over processes",
           kBoardMeter, true, 0, board_energy, kTruthOfMeters, nullptr, About::every_cell, Better::lower},
    Metric{"net_board_energy_per_inference_j", "net J, board", "joule",
           "as board_energy_per_inference_j, of the power without that of 0.5 s before the compiler was opened",
           kBoardMeter, true, 0, net_board_energy, kTruthOfMeters, nullptr, About::every_cell, Better::lower},
    Metric{"cpu_reduction_ratio", "CPU reduction", "ratio",
           "1 - cpu_c / cpu_baseline, in processor time per wall time of the timed phase", kPaper, true, 0,
           cpu_reduction, kTruthOfProcessors, nullptr, About::baseline},
    Metric{
        "gpu_percent", "GPU %", "percent",
        "the GPU's own utilisation at the end of the timed phase, over its last sampling period, mean over processes",
        kPaper, false, 0, gpu_use, kTruthOfProcessors},
    Metric{"leaving_python_ratio", "leaving Python", "ratio",
           "T_eager-cpp(b) / T_identity(b): the identity's operators called from C++, over the identity", kProtocol,
           true, 0, leaving_python, kTruthOfRatios},
    Metric{"optimising_graph_ratio", "optimising the graph", "ratio",
           "T_c(b) / T_eager-cpp(b); times leaving_python_ratio it is the speed-up over the identity", kProtocol, true,
           0, optimising_the_graph, kTruthOfRatios},
    Metric{"rtr_ratio", "RTR", "ratio", "T_c(b) / T_c(1)", kPaper, true, 0, rtr, kTruthOfRatios},
    Metric{"ase_ratio", "ASE", "ratio", "T_c(b) / (b · T_c(1))", kPaper, true, 0, ase, kTruthOfRatios},
    Metric{"bsr_ratio", "BSR", "ratio", "ASE_c(b) / ASE_baseline(b)", kPaper, true, 0, bsr, kTruthOfRatios, nullptr,
           About::baseline},
    Metric{"margin_ratio", "margin", "ratio",
           "T_s(b) / highest T_s'(b) of the same compiler at other settings s' (options, threads, version); above 1: s "
           "is the best",
           kProtocol, true, 0, margin, kTruthOfRatios},
    Metric{"load_retention_ratio", "load retention", "ratio",
           "T_c(b) under the load / T_c(b) without a load, of the same compiler, settings, model and batch size",
           "paper V-F", true, 3, load_retention, kTruthOfRatios, nullptr, About::load},
    Metric{
        "instances_gain_ratio", "instances' gain", "ratio",
        "T_c(b) of N instances / T_c(b) of one instance, of the same compiler, settings, threads, model and batch size",
        "ours: N processes of one model at once, as OpenVINO's streams and the workers of a server", true, 3,
        instances_gain, kTruthOfRatios, nullptr, About::instances},
    Metric{"speed_up_over_exact_ratio", "over exact", "ratio",
           "T_c(b) of a variant / T_c(b) of its exact model, of the same compiler and settings; speed_up_ratio is over "
           "the exact model's baseline",
           kOfVariants, true, 3, speed_up_over_exact, kTruthOfRatios, nullptr, About::variants},
    Metric{"agreement_ratio", "agreement", "ratio",
           "top1_agreement_ratio, or cosine_ratio if an output has no classes: what min_agreement is compared with",
           kOfVariants, true, 3, agreement, kTruthOfInputs, nullptr, About::variants, Better::higher_by_inputs,
           kLeastFall},
    Metric{
        "top1_agreement_ratio", "top-1", "ratio",
        "inputs for which every output of classes has its highest value at the exact model's class, and every output "
        "of integers is equal / inputs; Wilson's interval",
        kOfVariants, true, 0, top1_agreement, kTruthOfInputs, nullptr, About::variants, Better::higher_by_inputs,
        kLeastFall},
    Metric{"sqnr_db", "SQNR", "dB",
           "mean over inputs whose outputs are not equal of 10·log10(Σ b² / Σ (a - b)²), b being the exact model's "
           "output; of several outputs the worst",
           kOfVariants, true, 0, sqnr, kTruthOfInputs, nullptr, About::variants},
    Metric{"cosine_ratio", "cosine", "ratio", "mean over inputs of Σ a·b / (|a|·|b|), of several outputs the worst",
           kOfVariants, true, 0, cosine, kTruthOfInputs, nullptr, About::variants, Better::higher_by_inputs,
           kLeastFall},
    Metric{"input_error_mean", "error of an input", "1",
           "mean over inputs of the largest |a - b|; max_absolute_error is the largest of all", kOfVariants, true, 0,
           input_error, kTruthOfInputs, nullptr, About::variants},
    Metric{"agreement_input_count", "inputs compared", "1", "inputs over which the variant was compared", kOfVariants,
           false, 0, agreement_inputs, kTruthOfInputs, nullptr, About::variants},
    Metric{"top1_accuracy_ratio", "accuracy", "ratio",
           "inputs for which the label's class has the highest score / inputs, where the study gives labels; Wilson's "
           "interval",
           kOfVariants, true, 0, top1_accuracy, kTruthOfInputs, nullptr, About::every_cell, Better::higher_by_inputs,
           kLeastFall},
    Metric{"top5_accuracy_ratio", "top-5 accuracy", "ratio",
           "inputs for which the label's class is among the five highest scores / inputs; Wilson's interval",
           kOfVariants, true, 0, top5_accuracy, kTruthOfInputs, nullptr, About::every_cell, Better::higher_by_inputs,
           kLeastFall},
    Metric{"time_per_token_s", "a token", "s",
           "median over the steps of later passes of the time of a step, which makes a token of each sample", kOfTokens,
           false, 3, time_per_token, kTruthOfTokens, nullptr, About::decoders, Better::lower},
    Metric{"time_per_token_p90_s", "a token, p90", "s", "90th percentile over the steps of later passes", kOfTokens,
           true, 0, time_per_token_p90, kTruthOfTokens, nullptr, About::decoders, Better::lower},
    Metric{"time_per_token_p99_s", "a token, p99", "s", "99th percentile over the steps of later passes", kOfTokens,
           true, 0, time_per_token_p99, kTruthOfTokens, nullptr, About::decoders, Better::lower},
    Metric{"decode_tokens_per_s", "tokens/s", "tokens/s",
           "T_c(b) of a model that generates tokens: b · steps / time of the later passes", kOfTokens, true, 0,
           decode_tokens, kTruthOfTokens, nullptr, About::decoders, Better::higher},
    Metric{"energy_per_token_j", "J a token", "joule",
           "board_energy_per_inference_j / b; without that meter, energy of the packages and, on a GPU, of the GPU / b",
           kOfTokens, true, 0, energy_per_token, kTruthOfTokens, nullptr, About::decoders, Better::lower},
    Metric{"first_pass_ratio", "first pass", "ratio",
           "mean over processes of the mean step of the first pass, whose lengths were never seen / the median step of "
           "later passes",
           kOfTokens, false, 5, first_pass_ratio, kTruthOfTokens, nullptr, About::decoders, Better::lower},
    Metric{"prefill_tokens_per_s", "prompt tokens/s", "tokens/s", "T_c(b) · tokens of a prompt, where one is read",
           kOfTokens, true, 0, prefill_tokens, kTruthOfPrompts, nullptr, About::every_cell, Better::higher},
    Metric{"time_to_first_token_s", "first token", "s",
           "median time in which a prompt is read and the logits of its tokens are computed", kOfTokens, false, 0,
           time_to_first_token, kTruthOfPrompts, nullptr, About::every_cell, Better::lower},
    Metric{"bytes_per_token", "bytes read", "bytes/token",
           "what a step reads at least: each weight of a product or a norm once, a row of each table for each sample, "
           "and the rows of the context",
           kOfTokens, false, 0, bytes_per_token, kTruthOfTokens, nullptr, About::decoders},
    Metric{"copied_bytes_per_token", "bytes copied", "bytes/token",
           "what a step copies to feed its outputs back, beside what the graph copies", kOfTokens, false, 0,
           copied_bytes_per_token, kTruthOfTokens, nullptr, About::decoders},
    Metric{"cache_bytes", "cache", "bytes", "size of the cache of keys and values at its capacity", kOfTokens, false, 0,
           cache_size, kTruthOfTokens, nullptr, About::decoders},
    Metric{"load_cpu_percent", "load CPU %", "percent",
           "100 · processor time of the load / wall time, while the cell was timed; 100: one processor; mean over "
           "processes",
           kProtocol, false, 6, load_cpu, kTruthOfLoads, nullptr, About::load},
    Metric{"load_memory_bytes_per_s", "load memory", "bytes/s",
           "bytes that the load read and wrote / wall time, while the cell was timed; mean over processes", kProtocol,
           false, 8, load_memory, kTruthOfLoads, nullptr, About::load},
    Metric{"spread_ratio", "spread", "ratio", "interquartile range / median of b·k / t", kProtocol, false, 0, spread,
           "half_of_the_rates_lie_within_the_spread"},
    Metric{"max_absolute_error", "max error", "1",
           "largest absolute difference between output and reference, over elements and processes", kProtocol, false, 0,
           absolute_error, kTruthOfLargest},
    Metric{"run_queue_wait_percent", "wait", "percent",
           "longest wait of a thread in a run queue, as a share of the timed phase, highest over processes", kProtocol,
           false, 0, run_queue_wait, kTruthOfLargest},
    Metric{"repetition_count", "repetitions", "1", "steady repetitions that count", kProtocol, false, 0,
           repetition_count, kTruthOfCounts},
    Metric{"process_count", "processes", "1", "completed processes that count", kProtocol, false, 0, process_count,
           kTruthOfCounts},
};

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

const Metric* find_metric(std::string_view name) {
  const auto* found =
      std::find_if(kMetrics.begin(), kMetrics.end(), [name](const Metric& metric) { return metric.name == name; });
  return found == kMetrics.end() ? nullptr : found;
}

}  // namespace ngb::metrics

// SPDX-License-Identifier: Apache-2.0
// Makes results of cells that were made by hand: their metrics, the numbers that span them, and what follows from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../metrics/series/made_up_series.h"
#include "metrics/series/conclusions.h"
#include "report/explain/profiles.h"
#include "report/figures/figure.h"
#include "report/figures/selection.h"
#include "samples/process_numbers.h"

namespace ngb::made_up {

// Results of one folder. They do not move, because they point into themselves.
class ResultsOf {
 public:
  explicit ResultsOf(std::vector<store::CellData> cells)
      : cells_(std::move(cells)),
        steady_(steady_of(cells_)),
        values_(values_of(cells_)),
        parts_(series_of(cells_)),
        results_(report::all_results(cells_, values_)) {
    results_.numbers.add_speeds(cells_, steady_);
    report::add_series(results_, parts_);
    content_ = {.name = "results", .study = "study", .results = &results_, .environments = &environments_};
    add_profiles();
  }
  // The numbers that span cells are these, whatever the cells are.
  ResultsOf(std::vector<store::CellData> cells, std::vector<store::SeriesValue> series)
      : cells_(std::move(cells)),
        steady_(steady_of(cells_)),
        values_(values_of(cells_)),
        parts_({{.part = "part", .values = std::move(series), .conclusions = {}}}),
        results_(report::all_results(cells_, values_)) {
    results_.numbers.add_speeds(cells_, steady_);
    report::add_series(results_, parts_);
    content_ = {.name = "results", .study = "study", .results = &results_, .environments = &environments_};
    add_profiles();
  }
  ResultsOf(const ResultsOf&) = delete;
  ResultsOf& operator=(const ResultsOf&) = delete;

  // The selection points into this object.
  [[nodiscard]] report::figures::Selection selection(report::figures::Published published = {}) const {
    const auto load = [this](const std::string& cell_id) -> std::optional<store::CellData> {
      for (const store::CellData& cell : cells_) {
        if (cell.cell_id == cell_id) return cell;
      }
      return std::nullopt;
    };
    return report::figures::Selection(content_, load, std::move(published));
  }

 private:
  static std::vector<metrics::Steady> steady_of(const std::vector<store::CellData>& cells) {
    std::vector<metrics::Steady> all;
    for (const store::CellData& cell : cells) all.push_back(metrics::steady(cell));
    return all;
  }
  static std::vector<store::SeriesPart> series_of(const std::vector<store::CellData>& cells) {
    const std::vector<const store::CellData*> exact = metrics::series::of_exact_models(cells);
    const metrics::Analysis analysis(exact);
    std::vector<store::SeriesPart> parts;
    for (const metrics::series::Part& part : metrics::series::parts_of(exact)) {
      parts.push_back({part.name, metrics::series::values_of(analysis, part), {}});
    }
    metrics::series::Part all;
    for (std::size_t i = 0; i < exact.size(); ++i) all.cells.push_back(i);
    parts.push_back({"", metrics::series::values_of(analysis, all), metrics::series::conclusions_of(analysis)});
    return parts;
  }

  void add_profiles() {
    std::vector<std::string> compilers;
    for (const store::CellData& cell : cells_) {
      if (cell.processes.empty() || !cell.processes.front().profile) continue;
      profiles_.cells.push_back(std::make_unique<store::CellData>(cell));
      const std::string& label = cell.of.compiler.label;
      if (std::find(compilers.begin(), compilers.end(), label) == compilers.end()) compilers.push_back(label);
    }
    if (profiles_.cells.empty()) return;
    report::explain_each(profiles_, compilers);
    content_.profiles = &profiles_;
  }

  std::vector<store::CellData> cells_;
  report::Profiles profiles_{};
  std::vector<metrics::Steady> steady_;
  std::vector<store::DerivedValue> values_;
  std::vector<store::SeriesPart> parts_;
  report::Results results_;
  std::vector<store::MeasuredEnvironment> environments_{};
  report::page::Content content_{};
};

inline const report::figures::Figure& figure_called(std::string_view name) {
  for (const report::figures::Figure& figure : report::figures::all_figures()) {
    if (figure.name == name) return figure;
  }
  throw std::invalid_argument("no such figure: " + std::string(name));
}

// Returns the figure's rows.
inline std::vector<report::figures::Row> rows_of(const ResultsOf& results, std::string_view figure) {
  return make_rows(figure_called(figure), results.selection()).rows;
}

// Returns the row of that compiler, or null.
inline report::figures::Row row_of(const std::vector<report::figures::Row>& rows, const std::string& compiler) {
  for (const report::figures::Row& row : rows) {
    if (row.at("compiler") == compiler) return row;
  }
  return nullptr;
}

// Returns a cell without a speed: it failed, was disturbed or inaccurate.
inline store::CellData cell_that_failed(const Of& of, samples::FailureKind kind) {
  store::CellData made = cell_with(of, {});
  made.planned_processes = 1;
  made.failed = {failure(0, kind)};
  return made;
}

// Returns a cell of a decoder that generates 32 tokens in a repetition, after `context` tokens in such a cache.
inline store::CellData generating(const std::string& cache, int context, int capacity, double tokens_per_s) {
  Of of{.model = fmt::format("llama {} {} {}", cache, context, capacity)};
  of.family = "decoder";
  of.parameters = fmt::format(
      R"({{"architecture":"llama","cache":"{}","capacity":{},"context":{},"depth":4,"tokens":1,"width":192}})", cache,
      capacity, context);
  store::CellData made = cell_with(of, around(tokens_per_s));
  for (store::RecordedProcess& process : made.processes) {
    process.readings.push_back({"new_tokens", "1", "timed", Known<double>::of(32)});
    process.latencies_ns.assign(process.repetitions.size(), {1'000'000});
    process.latencies_ns.front() = {3'000'000};  // lengths that were never seen before
  }
  return made;
}

// Returns a cell whose passes visit 16 tokens and 128: the first time for 20 ms and 90 ms, later for 2 ms and 6 ms.
inline store::CellData visiting() {
  constexpr std::int64_t kMs = 1'000'000;
  store::CellData made = cell_with({.model = "encoder, small"}, around(100));
  for (store::RecordedProcess& process : made.processes) {
    for (const char* const shape : {"sequence=16", "sequence=128"})
      process.readings.push_back({shape, "1", samples::kShape, Known<double>::of(1)});
    process.latencies_ns.assign(process.repetitions.size(), {2 * kMs, 6 * kMs});
    process.latencies_ns.front() = {20 * kMs, 90 * kMs};
  }
  return made;
}

// Returns the profile of a process: a convolution and an activation of these times. Fused, they are one kernel.
inline samples::KernelProfile profile_of(double conv_ms, double act_ms, bool is_fused) {
  constexpr double kNs = 1e6;
  samples::KernelProfile made{.graph = {{"stem", "Conv", {"x"}, {"y"}}, {"act", "Relu", {"y"}, {"z"}}},
                              .kernels = {{"k0", "", {"stem"}, {}, "node name"}, {"k1", "", {"act"}, {}, "node name"}},
                              .kernel_ns = {conv_ms * kNs, act_ms * kNs},
                              .profiled_ns = (conv_ms + act_ms + 0.5) * kNs,
                              .plain_ns = (conv_ms + act_ms + 0.25) * kNs,
                              .inferences = 1};
  if (!is_fused) return made;
  made.kernels = {{"k", "", {"stem", "act"}, {}, "node name"}};
  made.kernel_ns = {(conv_ms + act_ms) * kNs};
  return made;
}

// Returns a variant of the cell's model: with the same speed, and 9 of 10 inputs that are decided alike.
inline store::CellData variant_of(store::CellData cell) {
  cell.cell_id += "-cheap";
  cell.of.model.variant_of = cell.of.model.label;
  cell.of.model.label += " cheap";
  cell.of.model.exact_hash = cell.of.model.key.hash;
  cell.of.model.key.hash = "c0ffee";
  cell.processes.front().agreement.assign(9, {true, 30, 0.99, 0.5});
  cell.processes.front().agreement.push_back({false, 10, 0.89, 1.5});
  return cell;
}

// Returns a study for which every figure but that of variants has data: stacks of blocks and models of two styles, of
// which compilers reverse the order, on two devices.
inline std::vector<store::CellData> study_of_everything() {
  std::vector<store::CellData> cells;
  for (const char* const device : {"here", "there"}) {
    for (const int batch : {1, 8}) {
      for (const char* const family : {"conv_block", "mha_block"}) {
        for (const int width : {64, 256}) {
          for (const int depth : {1, 2}) {
            const std::string parameters = fmt::format(R"({{"depth":{},"width":{}}})", depth, width);
            Of of{.model = fmt::format("{} {} {}", family, width, depth), .batch = batch, .device = device};
            of.family = family;
            of.parameters = parameters;
            const double speed = 1000.0 * std::sqrt(batch) / depth * 64 / width;
            cells.push_back(cell_with(of, around(speed)));
            of.compiler = "onnxruntime";
            cells.push_back(cell_with(of, around(speed * (1.5 + 0.25 * depth))));
            of.compiler = "tvm";
            cells.push_back(cell_that_failed(of, samples::FailureKind::unsupported_operator));
          }
        }
      }
      for (const char* const model : {"resnet18", "deit"}) {
        const bool is_deit = std::string_view(model) == "deit";
        Of of{.model = model, .batch = batch, .device = device, .style = is_deit ? "transformer" : "convolutional"};
        cells.push_back(cell_with(of, around(is_deit ? 90 : 100)));
        of.compiler = "onnxruntime";
        cells.push_back(cell_with(of, around(is_deit ? 300 : 200)));
      }
    }
  }
  for (store::CellData& cell : cells) {
    if (cell.of.model.label != "resnet18" || cell.of.model.key.batch != 1 || cell.of.device != "here") continue;
    const bool is_fused = cell.of.compiler.name == "onnxruntime";
    for (store::RecordedProcess& each : cell.processes) each.profile = profile_of(is_fused ? 1.5 : 2, 1, is_fused);
  }
  for (store::CellData& cell : cells) {
    if (cell.of.model.style.empty()) continue;
    cell.of.model.group = cell.of.model.label + "s";
    cell.of.model.raw_bytes = 1000;
    cell.of.model.encoded_bytes = 100;
    for (store::RecordedProcess& process : cell.processes) {
      process.phases.front().wall_ns *= cell.of.compiler.name == "identity" ? 1 : 4;
      if (cell.of.compiler.name == "identity" || cell.of.model.label != "deit") continue;
      process.facts = {{"tuning_seconds", "60"}, {"trials", "64"}};
    }
  }
  return cells;
}

}  // namespace ngb::made_up

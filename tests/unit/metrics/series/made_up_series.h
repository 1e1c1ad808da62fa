// SPDX-License-Identifier: Apache-2.0
// Makes cells of many models and compilers by hand, and simulates studies in which nothing differs.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../made_up_cells.h"
#include "metrics/analysis.h"
#include "metrics/series/series.h"

namespace ngb::made_up {

// What a cell is, apart from its speeds.
struct Of {
  std::string model = "resnet18";
  std::string compiler = "identity";
  int batch = 1;
  std::string device = "local";
  std::string family{};
  std::string style{};
  std::string parameters{};  // JSON
  std::uint64_t parameter_count = 10'000'000;
};

// Returns a cell whose process r has the speed `speeds[r]`, in samples/s.
inline store::CellData cell_with(const Of& of, const std::vector<double>& speeds) {
  std::vector<store::RecordedProcess> processes;
  for (const double speed : speeds) {
    processes.push_back(process(static_cast<int>(processes.size()), {1e3 * of.batch / speed}));
  }
  store::CellData made = cell_of(of.compiler, of.batch, processes);
  made.cell_id = fmt::format("{}/{}/{}/{}", of.device, of.model, of.compiler, of.batch);
  made.of.device = of.device;
  made.of.model.label = of.model;
  made.of.model.key.hash = "hash of " + of.model;
  made.of.model.family = of.family;
  if (!of.parameters.empty()) made.recipe_parameters = nlohmann::json::parse(of.parameters);
  made.of.model.style = of.style;
  made.of.model.parameters = of.parameter_count;
  return made;
}

// Returns speeds around `speed` with these relative deviations.
inline std::vector<double> around(double speed, const std::vector<double>& deviations = {-0.001, 0.001, 0.0005}) {
  std::vector<double> speeds;
  for (const double deviation : deviations) speeds.push_back(speed * (1 + deviation));
  return speeds;
}

inline metrics::Analysis analysis_of(const std::vector<store::CellData>& cells) {
  std::vector<const store::CellData*> all;
  for (const store::CellData& cell : cells) all.push_back(&cell);
  return metrics::Analysis(std::move(all));
}

// Returns the part of all cells, of which numbers that span groups are.
inline metrics::series::Part all_of(const std::vector<store::CellData>& cells) {
  metrics::series::Part all{"", {}};
  for (std::size_t i = 0; i < cells.size(); ++i) all.cells.push_back(i);
  return all;
}

// Returns the values of a series over all cells, part by part.
inline std::vector<store::SeriesValue> values_of_series(const std::vector<store::CellData>& cells,
                                                        const std::string& name) {
  const metrics::Analysis analysis = analysis_of(cells);
  std::vector<store::SeriesValue> found;
  std::vector<metrics::series::Part> parts = metrics::series::parts_of(metrics::series::of_exact_models(cells));
  parts.push_back(all_of(cells));
  for (const metrics::series::Part& part : parts) {
    for (store::SeriesValue& value : metrics::series::values_of(analysis, part)) {
      if (value.series == name) found.push_back(std::move(value));
    }
  }
  return found;
}

// Returns a study in which all compilers are the same thing: 3 models × 3 compilers × 2 batch sizes of 5 processes,
// whose log speeds have a part that each round shares and a part of each process, as measured ones have.
inline std::vector<store::CellData> study_without_differences(std::mt19937_64& random) {
  std::normal_distribution<double> of_round(0, 0.01);
  std::normal_distribution<double> of_process(0, 0.02);
  std::vector<store::CellData> cells;
  for (int model = 0; model < 3; ++model) {
    for (const int batch : {1, 8}) {
      std::vector<double> rounds(5);
      for (double& round : rounds) round = of_round(random);
      for (const char* const compiler : {"identity", "one", "other"}) {
        std::vector<double> speeds;
        for (const double round : rounds) speeds.push_back(100 * batch * std::exp(round + of_process(random)));
        cells.push_back(
            cell_with({.model = fmt::format("model{}", model), .compiler = compiler, .batch = batch}, speeds));
      }
    }
  }
  return cells;
}

}  // namespace ngb::made_up

// SPDX-License-Identifier: Apache-2.0
// best_model [--studies N] [--check]: simulates N studies (300) of 12 models with 3 compilers each, whose rounds are
// over models, for each kind of noise and of models, of which the best one is known. What is measured next is what the
// device decides (agent/rounds.h), and the models that may be the best are those of `ngb show --models`
// (metrics/series/best_model.h). Prints the share in % of studies that name the best one, how many they name on
// average, and which share of the processes and of the time they take of 5 processes of each cell with equally many
// repetitions. With --check it fails where fewer than 95 % name it, or where models that differ as widths do take more
// than 0.4 of the time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "agent/rounds.h"
#include "arguments.h"
#include "metrics/series/best_model.h"

namespace ngb::metrics {
namespace {

constexpr int kModels = 12;
constexpr int kCompilers = 3;
constexpr int kFixedProcesses = 5;

// Noise of a process on the log scale.
struct Noise {
  const char* name;
  double process;    // standard deviation
  double disturbed;  // the share of processes that take 5 to 100 % longer
  double drift;      // standard deviation of the machine's speed, which keeps 98 % of itself from one model to the next
};
constexpr std::array kNoises{Noise{"quiet, 1 %", 0.01, 0, 0}, Noise{"usual, 2 %", 0.02, 0.015, 0.02},
                             Noise{"loud, 5 %", 0.05, 0.03, 0.05}, Noise{"speed wanders by 10 %", 0.01, 0.015, 0.1}};

// How far apart the models are: the fastest is so many times as fast as the slowest.
struct Spread {
  const char* name;
  double factor;
  double most_time;  // that --check allows with quiet and usual noise; 0: any
};
constexpr std::array kSpreads{Spread{"widths and depths, 20 times", 20, 0.4}, Spread{"a block, 4 times", 4, 0.4},
                              Spread{"alike, 1.2 times", 1.2, 0}, Spread{"all the same", 1, 0}};

struct Outcome {
  bool is_named = false;
  int named = 0;
  double processes = 0;  // of the fixed study's
  double time = 0;
};

class SimulatedStudy {
 public:
  SimulatedStudy(const Noise& noise, const Spread& spread, unsigned seed) : noise_(noise), generator_(seed) {
    for (int model = 0; model < kModels; ++model) {
      agent::GroupSoFar& group = groups_.emplace_back(agent::GroupSoFar{.round = rounds_.min});
      const double speed = -std::log(spread.factor) * (model == 0 ? 0 : uniform());
      for (int compiler = 0; compiler < kCompilers; ++compiler) {
        group.cells.push_back({.cell_index = model * kCompilers + compiler, .compiler_index = compiler});
        truth_.push_back(spread.factor == 1 ? 0 : speed + gain_of(compiler) + 0.05 * normal_(generator_));
      }
    }
  }

  Outcome run() {
    for (int model = 0; model < kModels; ++model) {
      for (int compiler = 0; compiler < kCompilers; ++compiler) measure(model, 0, {model * kCompilers + compiler});
    }
    for (int model = next_model(); model >= 0; model = next_model()) {
      agent::GroupSoFar& group = groups_[static_cast<std::size_t>(model)];
      measure(model, group.round++, needs_[static_cast<std::size_t>(model)].cells);
    }
    return outcome();
  }

 private:
  double uniform() { return uniform_(generator_); }
  double gain_of(int compiler) {
    if (compiler == 0) return 0;
    if (gains_.size() < kCompilers) gains_.push_back(std::log(1 + uniform()));
    return gains_.at(static_cast<std::size_t>(compiler) % gains_.size());
  }

  void measure(int model, int round, const std::set<int>& cells) {
    constexpr double kMemory = 0.98;
    drift_ = kMemory * drift_ + noise_.drift * std::sqrt(1 - kMemory * kMemory) * normal_(generator_);
    for (const int cell : cells) {
      double log_speed = truth_[static_cast<std::size_t>(cell)] + drift_ + noise_.process * normal_(generator_);
      if (uniform() < noise_.disturbed) log_speed -= std::log(1.05 + 0.95 * uniform());
      auto& of_model = groups_[static_cast<std::size_t>(model)].cells;
      of_model[static_cast<std::size_t>(cell % kCompilers)].numbers[round] = {std::exp(log_speed)};
      ++processes_;
      time_ += std::exp(-truth_[static_cast<std::size_t>(cell)]);
    }
  }

  // Returns the model that the device measures next (agent/schedule.cpp); -1: none.
  int next_model() {
    needs_ = agent::next_rounds(groups_, rounds_, {.early_deviation = statistics::kEarlyDeviation});
    int chosen = -1;
    int fewest = rounds_.max;
    for (int model = 0; model < kModels; ++model) {
      const int round = groups_[static_cast<std::size_t>(model)].round;
      if (needs_[static_cast<std::size_t>(model)].cells.empty() || round >= fewest) continue;
      chosen = model;
      fewest = round;
    }
    return chosen;
  }

  [[nodiscard]] Outcome outcome() const {
    std::vector<store::CellData> cells;
    std::vector<Steady> steady;
    double fixed_time = 0;
    for (const agent::GroupSoFar& group : groups_) {
      for (const agent::CellSoFar& each : group.cells) {
        store::CellData& cell = cells.emplace_back();
        cell.rounds = rounds_;
        cell.of.device = "local";
        cell.of.compiler.label = cell.of.compiler.name = std::to_string(each.compiler_index);
        cell.of.model.key.hash = std::to_string(each.cell_index / kCompilers);
        Steady& made = steady.emplace_back();
        for (const auto& [round, speeds] : each.numbers)
          made.throughput_by_process.push_back({1, round, speeds.front()});
        fixed_time += kFixedProcesses * std::exp(-truth_[static_cast<std::size_t>(each.cell_index)]);
      }
    }
    std::vector<const store::CellData*> cells_of;
    std::vector<const Steady*> steady_of;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells_of.push_back(&cells[i]);
      steady_of.push_back(&steady[i]);
    }
    const Analysis analysis(cells_of, {}, steady_of);
    const auto races = series::races_of_models(analysis, {}, {}, std::vector<bool>(cells.size(), true));
    const auto best = static_cast<std::size_t>(std::ranges::max_element(truth_) - truth_.begin()) / kCompilers;
    Outcome found{.processes = processes_ / (kFixedProcesses * kModels * kCompilers), .time = time_ / fixed_time};
    for (const series::Contender& each : races.at(0).contenders) {
      if (each.is_out()) continue;
      ++found.named;
      found.is_named = found.is_named || each.cell / kCompilers == best;
    }
    return found;
  }

  const Noise& noise_;
  const work::Rounds rounds_{.min = 1, .over = work::Over::models};
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_{};
  std::uniform_real_distribution<double> uniform_{};
  std::vector<double> gains_{};
  std::vector<double> truth_{};  // the logarithm of each cell's speed
  std::vector<agent::GroupSoFar> groups_{};
  std::vector<agent::NextRound> needs_{};
  double drift_ = 0;
  double processes_ = 0;
  double time_ = 0;
};

// Returns whether the shares are within their limits.
bool simulate(const Noise& noise, const Spread& spread, int studies) {
  if (spread.factor == 1) studies = std::max(1, studies / 10);  // each takes all rounds
  double named = 0;
  double count = 0;
  double processes = 0;
  double time = 0;
  for (int i = 0; i < studies; ++i) {
    const Outcome found = SimulatedStudy(noise, spread, static_cast<unsigned>(i)).run();
    named += found.is_named ? 1 : 0;
    count += found.named;
    processes += found.processes;
    time += found.time;
  }
  const double all = studies;
  fmt::print("{:<24}{:<30}{:8.1f}{:8.1f}{:11.2f}{:7.2f}\n", noise.name, spread.name, 100 * named / all, count / all,
             processes / all, time / all);
  const double luck = 3 * std::sqrt(0.95 * 0.05 / all);  // three standard errors
  const bool is_timed = spread.most_time > 0 && noise.process <= 0.02 && noise.drift <= 0.02;
  return named / all >= 0.95 - luck && (!is_timed || time / all <= spread.most_time);
}

}  // namespace
}  // namespace ngb::metrics

int main(int argc, char** argv) {
  using namespace ngb::metrics;
  constexpr int kStudies = 300;
  const SimulationArguments arguments = parse_simulation_arguments(argc, argv, kStudies);
  fmt::print("{:<24}{:<30}{:>8}{:>8}{:>11}{:>7}\n", "noise of a process", "models", "named %", "names", "processes",
             "time");
  bool is_good = true;
  for (const Noise& noise : kNoises) {
    for (const Spread& spread : kSpreads) is_good = simulate(noise, spread, arguments.studies) && is_good;
  }
  return arguments.is_check && !is_good ? 1 : 0;
}

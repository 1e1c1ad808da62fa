// SPDX-License-Identifier: Apache-2.0
// false_verdicts [--studies N] [--check]: simulates N studies (2,000) of 100 cells whose two sides are equal, for each
// kind of noise, number of rounds and adjustment, and prints how many cells are called faster or slower all the same,
// and how many studies have any such cell. Then how many cells are found that differ by 2 and by 5 %. With --check it
// fails where more than 5 % of studies have a false verdict by more than chance explains.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "arguments.h"
#include "statistics/verdict.h"

namespace ngb::metrics {
namespace {

constexpr int kCells = 100;
constexpr std::array kRounds{3, 5, 10, 15};

class Noise {
 public:
  explicit Noise(unsigned seed) : generator_(seed) {}
  double normal(double deviation) { return deviation * normal_(generator_); }
  // A cell's standard deviation, spread over cells as in an A/A run of 48 pairs (scaled inverse chi-squared, 1.42
  // degrees of freedom, scale 0.0138): some are a hundred times as noisy as others.
  double deviation_of_a_cell() {
    constexpr double kDegrees = 1.42;
    return 0.0138 * std::sqrt(kDegrees / std::gamma_distribution<double>(kDegrees / 2, 2)(generator_));
  }
  double mode(double distance) { return uniform_(generator_) < 0.5 ? distance : -distance; }
  double disturbed() { return uniform_(generator_) < 0.015 ? -std::log(1.05 + 0.95 * uniform_(generator_)) : 0; }

 private:
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_{};
  std::uniform_real_distribution<double> uniform_{};
};

struct Kind {
  const char* name;
  // A round's log ratio of a cell whose own standard deviation is given.
  std::function<double(Noise&, double deviation)> round;
};

std::vector<Kind> kinds() {
  return {{"variances as in an A/A run", [](Noise& noise, double deviation) { return noise.normal(deviation); }},
          {"1.5 % of processes disturbed",
           [](Noise& noise, double deviation) {
             return noise.normal(std::min(deviation, 0.03)) + noise.disturbed() - noise.disturbed();
           }},
          {"every process in one of two modes", [](Noise& noise, double /*deviation*/) {
             return noise.mode(0.05) - noise.mode(0.05) + noise.normal(0.003);
           }}};
}

struct Share {
  double cells_percent = 0;
  double studies_percent = 0;
};

// How many cells of such studies are called faster or slower.
Share told(const Kind& kind, int rounds, double difference, const statistics::VerdictRules& rules, int studies,
           unsigned seed) {
  Noise noise(seed);
  int cells = 0;
  int with_any = 0;
  for (int study = 0; study < studies; ++study) {
    std::vector<statistics::Question> questions;
    for (int cell = 0; cell < kCells; ++cell) {
      const double deviation = noise.deviation_of_a_cell();
      statistics::Part part;
      for (int round = 0; round < rounds; ++round) part.values.push_back(difference + kind.round(noise, deviation));
      questions.push_back({std::move(part)});
    }
    int of_study = 0;
    for (const statistics::Judgement& each : statistics::judge(questions, rules)) {
      if (each.verdict == statistics::Verdict::faster || each.verdict == statistics::Verdict::slower) ++of_study;
    }
    cells += of_study;
    if (of_study > 0) ++with_any;
  }
  return {100.0 * cells / (static_cast<double>(studies) * kCells), 100.0 * with_any / studies};
}

bool print_false_verdicts(int studies) {
  bool is_right = true;
  // Three standard deviations of a share of 5 %.
  const double limit_percent = 5 + 300 * std::sqrt(0.05 * 0.95 / studies);
  fmt::print("{} equal cells: % of cells with a false verdict | % of studies with any; rounds:", kCells);
  for (const int rounds : kRounds) fmt::print("{:>12}", rounds);
  fmt::print("\n");
  unsigned seed = 1;
  for (const Kind& kind : kinds()) {
    for (const statistics::Adjustment adjustment :
         {statistics::Adjustment::benjamini_hochberg, statistics::Adjustment::holm}) {
      fmt::print("{:<36}{:<22}{:>25}", kind.name,
                 adjustment == statistics::Adjustment::holm ? "Holm" : "Benjamini-Hochberg", "");
      for (const int rounds : kRounds) {
        const Share share = told(kind, rounds, 0, {.adjustment = adjustment}, studies, seed++);
        is_right &= share.studies_percent <= limit_percent;
        fmt::print("{:>12}", fmt::format("{:.2f} | {:.1f}", share.cells_percent, share.studies_percent));
      }
      fmt::print("\n");
    }
  }
  return is_right;
}

void print_power(int studies) {
  fmt::print("\ncells that differ, found in % (variances as in an A/A run, Benjamini-Hochberg):\n");
  unsigned seed = 1000;
  for (const double difference : {0.02, 0.05, 0.20}) {
    fmt::print("{:<83}", fmt::format("by {:g} %", 100 * difference));
    for (const int rounds : kRounds) {
      const Share share = told(kinds().front(), rounds, std::log1p(difference), {}, studies, seed++);
      fmt::print("{:>12.0f}", share.cells_percent);
    }
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace ngb::metrics

int main(int argc, char** argv) {
  const auto arguments = ngb::metrics::parse_simulation_arguments(argc, argv, 2000);
  const bool is_right = ngb::metrics::print_false_verdicts(arguments.studies);
  ngb::metrics::print_power(arguments.studies / 10 + 1);
  return arguments.is_check && !is_right ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0
// interval_coverage [--studies N] [--check]: simulates N studies (10,000) for each kind of noise and number of
// processes, and prints the share in % whose interval holds the truth, which is known here; and of studies in which one
// side alone has states, the share of pairs whose interval holds the truth or whose verdict is undecided. With --check
// it fails where a share leaves its limits by more than chance explains.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "arguments.h"
#include "statistics/contrast.h"
#include "statistics/verdict.h"

namespace ngb::metrics {
namespace {

constexpr std::array kProcesses{2, 3, 5, 10, 20};
constexpr double kNoLimit = 0;
constexpr int kGroups = 20;

// Noise of a process mean on the log scale.
class Noise {
 public:
  explicit Noise(unsigned seed) : generator_(seed) {}

  double normal(double deviation) { return deviation * normal_(generator_); }
  // Heavier tails: Student's t with 3 degrees of freedom, scaled to this standard deviation.
  double heavy(double deviation) { return deviation * student_(generator_) / std::sqrt(3.0); }
  // One of two modes that lie 2 · `distance` apart; the upper one with this probability. Its mean is taken out.
  double modes(double distance, double upper) {
    const double mean = distance * (2 * upper - 1);
    return (uniform_(generator_) < upper ? distance : -distance) - mean;
  }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(generator_); }
  // A process that takes `factor` times as long in this share of the cases. Its mean is taken out.
  double state(double share, double factor) {
    const double slower = -std::log(factor);
    return (uniform_(generator_) < share ? slower : 0) - share * slower;
  }
  // A disturbed process, 5 to 100 % slower, in 1.5 of 100 cases.
  double disturbed() { return uniform_(generator_) < 0.015 ? -std::log(1.05 + 0.95 * uniform_(generator_)) : 0; }

 private:
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_{};
  std::student_t_distribution<double> student_{3};
  std::uniform_real_distribution<double> uniform_{};
};

std::vector<double> draws(int count, const std::function<double()>& draw) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(draw());
  return values;
}

// A kind of study: its parts for so many processes, and the true value of their contrast.
struct Kind {
  const char* name;
  double low_percent;  // the limits of --check; kNoLimit: no method can hold one
  double high_percent;
  std::function<std::vector<statistics::Part>(Noise&, int processes)> parts;
  double truth = 0;
  bool holds_with_two = false;  // --check looks at two processes as well
};

// A ratio within a group: each round's log ratio. `side`: a process's own noise, drawn for either side.
Kind ratio(const char* name, double low, double high, std::function<double(Noise&)> side, bool holds_with_two = false) {
  return {name,
          low,
          high,
          [side = std::move(side)](Noise& noise, int processes) {
            return std::vector<statistics::Part>{{draws(processes, [&] { return side(noise) - side(noise); })}};
          },
          0,
          holds_with_two};
}

// One mean over processes: what is shown of T and of the median.
Kind mean_of(const char* name, double low, double high, std::function<double(Noise&)> process,
             bool holds_with_two = false) {
  return {name,
          low,
          high,
          [process = std::move(process)](Noise& noise, int processes) {
            return std::vector<statistics::Part>{{draws(processes, [&] { return process(noise); })}};
          },
          0,
          holds_with_two};
}

// A round's drift hits both sides and so leaves the difference alone; one side's own does not.
std::vector<statistics::Part> wandering(Noise& noise, int processes) {
  double drift = 0;
  return {{draws(processes, [&] {
    drift = 0.5 * drift + noise.normal(0.02);
    return drift + noise.normal(0.005);
  })}};
}

// A ratio between two of 20 groups on a machine whose speed wanders by 10 % over minutes: the drift loses 2 % of its
// memory with every round of a group. `place` says when a round of a group is measured.
Kind between_groups(const char* name, double low, double high,
                    std::function<int(int group, int round, int rounds)> place) {
  return {name, low, high, [place = std::move(place)](Noise& noise, int processes) {
            constexpr double kMemory = 0.98;
            std::vector<double> drift(static_cast<std::size_t>(kGroups * processes));
            double at = noise.normal(0.1);
            for (double& each : drift) {
              each = at;
              at = kMemory * at + noise.normal(0.1 * std::sqrt(1 - kMemory * kMemory));
            }
            const auto rounds_of = [&](int group) {
              int round = 0;
              return draws(processes, [&] {
                return drift[static_cast<std::size_t>(place(group, round++, processes))] + noise.normal(0.01);
              });
            };
            const int one = noise.index(kGroups);
            const int other = (one + 1 + noise.index(kGroups - 1)) % kGroups;
            return std::vector<statistics::Part>{{rounds_of(one)}, {rounds_of(other), -1}};
          }};
}

std::vector<statistics::Part> slope(Noise& noise, int processes) {
  std::vector<statistics::Part> parts;
  for (int depth = 1; depth <= 6; ++depth) {
    const double weight = (depth - 3.5) / 17.5;  // Σ (k - 3.5)² over 1 … 6
    parts.push_back({draws(processes, [&] { return depth * (1 + noise.normal(0.03)); }), weight});
  }
  return parts;
}

// What befalls the baseline alone, beside 1 % of noise on either side: this share of its processes takes `factor` times
// as long.
struct OneSided {
  const char* name;
  double share;
  double factor;

  [[nodiscard]] double round(Noise& noise) const {
    return noise.normal(0.01) - noise.normal(0.01) - noise.state(share, factor);
  }
};
constexpr std::array kOneSided{OneSided{"one side: 20 % of processes 1.3 × as long", 0.2, 1.3},
                               OneSided{"one side: 10 % of processes 1.3 × as long", 0.1, 1.3},
                               OneSided{"one side: 10 % of processes 1.5 × as long", 0.1, 1.5}};

std::vector<Kind> kinds() {
  const auto normal = [](Noise& noise) { return noise.normal(0.03); };
  std::vector<Kind> all{
      ratio("ratio, normal", 94, 97, normal, true),
      ratio("ratio, two modes 50:50", 93.5, 98.5,
            [](Noise& noise) { return noise.modes(0.1, 0.5) + noise.normal(0.01); }),
      ratio("ratio, two modes 80:20", 93.5, 98.5,
            [](Noise& noise) { return noise.modes(0.1, 0.8) + noise.normal(0.01); }),
      ratio("ratio, heavy tails (t3)", 93.5, 97.5, [](Noise& noise) { return noise.heavy(0.03); }),
      ratio("ratio, 1.5 % of processes disturbed", 93.5, 98,
            [](Noise& noise) { return noise.normal(0.014) + noise.disturbed(); }),
      {"ratio, sides unlike (1 and 5 %)", 94, 97,
       [](Noise& noise, int processes) {
         return std::vector<statistics::Part>{
             {draws(processes, [&] { return noise.normal(0.01) - noise.normal(0.05); })}};
       }},
      {"ratio between groups, normal", 94, 97.5,
       [normal](Noise& noise, int processes) {
         return std::vector<statistics::Part>{{draws(processes, [&] { return normal(noise); })},
                                              {draws(processes, [&] { return normal(noise); }), -1}};
       }},
      {"ratio of ratios, normal", 94, 97.5,
       [normal](Noise& noise, int processes) {
         const auto difference = [&] { return normal(noise) - normal(noise); };
         return std::vector<statistics::Part>{{draws(processes, difference)}, {draws(processes, difference), -1}};
       }},
      {"retention: ratio of ratios, 2 and 8 %", 93.5, 97.5,
       [](Noise& noise, int processes) {
         return std::vector<statistics::Part>{{draws(processes, [&] { return noise.normal(0.02); })},
                                              {draws(processes, [&] { return noise.normal(0.08); }), -1}};
       }},
      mean_of("one mean, normal", 94, 97, normal, true),
      mean_of("one mean, heavy tails (t3)", 94, 97.5, [](Noise& noise) { return noise.heavy(0.03); }),
      {"slope over depths 1 to 6, normal", 93.5, 97, slope, 1.0},
      mean_of("one mean, two modes 80:20", kNoLimit, kNoLimit,
              [](Noise& noise) { return noise.modes(0.1, 0.8) + noise.normal(0.01); }),
      between_groups("between groups, drift, order: rounds", 93.5, 100,
                     [](int group, int round, int /*rounds*/) { return round * kGroups + group; }),
      between_groups("between groups, drift, order: groups", kNoLimit, kNoLimit,
                     [](int group, int round, int rounds) { return group * rounds + round; }),
      {"ratio, one side wanders (AR 0.5)", kNoLimit, kNoLimit, wandering}};
  for (const OneSided& each : kOneSided) {
    all.push_back({each.name, kNoLimit, kNoLimit, [&each](Noise& noise, int processes) {
                     return std::vector<statistics::Part>{{draws(processes, [&] { return each.round(noise); })}};
                   }});
  }
  return all;
}

double coverage_percent(const Kind& kind, int processes, int studies, unsigned seed) {
  Noise noise(seed);
  int held = 0;
  for (int study = 0; study < studies; ++study) {
    const statistics::Contrast found = statistics::contrast(kind.parts(noise, processes));
    if (found.interval && found.interval->low <= kind.truth && kind.truth <= found.interval->high) ++held;
  }
  return 100.0 * held / studies;
}

bool is_within(const Kind& kind, int processes, double percent, int studies) {
  if (kind.high_percent <= 0 || (processes == 2 && !kind.holds_with_two)) return true;
  // Three standard deviations of a share of 95 %.
  const double chance = 300 * std::sqrt(0.95 * 0.05 / studies);
  return kind.low_percent - chance <= percent && percent <= kind.high_percent + chance;
}

bool print_all(int studies) {
  bool is_right = true;
  fmt::print("{:<38}", "coverage in %, nominal 95; processes:");
  for (const int processes : kProcesses) fmt::print("{:>7}", processes);
  fmt::print("\n");
  unsigned seed = 1;
  for (const Kind& kind : kinds()) {
    fmt::print("{:<38}", kind.name);
    for (const int processes : kProcesses) {
      const double percent = coverage_percent(kind, processes, studies, seed++);
      is_right &= is_within(kind, processes, percent, studies);
      fmt::print("{:>7.1f}", percent);
    }
    fmt::print("   {}\n", kind.high_percent > 0 ? fmt::format("{} to {}", kind.low_percent, kind.high_percent)
                                                : "no method can hold it");
  }
  return is_right;
}

// The share of pairs whose interval holds the truth or whose verdict is undecided, in studies of so many models.
double safe_percent(const OneSided& kind, int models, int rounds, int studies, unsigned seed) {
  Noise noise(seed);
  int safe = 0;
  for (int study = 0; study < studies; ++study) {
    std::vector<statistics::Question> questions;
    for (int model = 0; model < models; ++model) {
      questions.push_back({statistics::Part{draws(rounds, [&] { return kind.round(noise); })}});
    }
    for (const statistics::Judgement& each : statistics::judge(questions, {})) {
      const statistics::Interval interval = each.contrast.interval.value_or(statistics::Interval{1, 1});
      if (each.verdict == statistics::Verdict::undecided || (interval.low <= 0 && 0 <= interval.high)) ++safe;
    }
  }
  return 100.0 * safe / (static_cast<double>(studies) * models);
}

bool print_one_sided(int studies) {
  constexpr std::array kModels{1, 2, 4, 6, 8, 24};
  constexpr int kLeastModels = 6;
  constexpr double kLeastPercent = 90;
  bool is_right = true;
  unsigned seed = 1000;
  fmt::print("\nheld, or undecided, in %; models:{:>6}", "");
  for (const int models : kModels) fmt::print("{:>7}", models);
  fmt::print("\n");
  for (const OneSided& kind : kOneSided) {
    for (const int rounds : {3, 5, 7}) {
      fmt::print("{}, {} rounds", kind.name, rounds);
      for (const int models : kModels) {
        const double percent = safe_percent(kind, models, rounds, studies / models + 1, seed++);
        is_right &= models < kLeastModels || percent >= kLeastPercent - 300 * std::sqrt(0.1 * 0.9 / studies);
        fmt::print("{:>7.1f}", percent);
      }
      fmt::print("\n");
    }
  }
  return is_right;
}

}  // namespace
}  // namespace ngb::metrics

int main(int argc, char** argv) {
  const auto arguments = ngb::metrics::parse_simulation_arguments(argc, argv, 10'000);
  const bool is_right = ngb::metrics::print_all(arguments.studies) & ngb::metrics::print_one_sided(arguments.studies);
  return arguments.is_check && !is_right ? 1 : 0;
}

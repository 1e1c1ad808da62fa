// SPDX-License-Identifier: Apache-2.0
#include "campaign/calibrate_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/clock.h"
#include "base/text.h"
#include "campaign/measured_cells.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "store/store.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

constexpr int kFewestRounds = 5;
constexpr int kMostRounds = 30;
constexpr double kOverhead = 1.15;  // the agent's own time and repeated attempts, relative to the processes' time
constexpr const char* kNull = "null";

// What is measured on each side: models x compilers. A part is what is left out as a whole if there is no time for it:
// a model, or a compiler (a duration of the null compiler). The quickest part comes first.
struct Workload {
  json models = json::array();
  json compilers = json::array();
  bool parts_are_compilers = false;

  [[nodiscard]] std::size_t parts() const { return (parts_are_compilers ? compilers : models).size(); }
  [[nodiscard]] Workload only(const std::vector<std::size_t>& kept) const {
    Workload made{.models = models, .compilers = compilers, .parts_are_compilers = parts_are_compilers};
    json& list = parts_are_compilers ? made.compilers : made.models;
    const json all = std::move(list);
    list = json::array();
    for (const std::size_t part : kept) list.push_back(all[part]);
    return made;
  }
};

// Inferences of the null compiler take 1, 10 and 100 ms by the clock.
Workload null_workload(int threads) {
  Workload made{.parts_are_compilers = true};
  for (const int depth : {1, 2, 3}) {
    made.models.push_back({{"zoo", {{"conv_block", {{"width", 8}, {"depth", depth}, {"image_size", 16}}}}}});
  }
  for (const int run_ns : {1'000'000, 10'000'000, 100'000'000}) {
    made.compilers.push_back({{kNull, {{"options", {{"run_ns", run_ns}, {"spin_threads", threads > 1}}}}}});
  }
  return made;
}

// Inferences on one thread of a current processor take about 1 to 70 ms.
Workload zoo_workload(const std::string& name, const std::string& version) {
  const auto conv = [](int width, int depth, int image_size) {
    return json{{"zoo", {{"conv_block", {{"width", width}, {"depth", depth}, {"image_size", image_size}}}}}};
  };
  const auto attention = [](int embed, int depth, int sequence) {
    return json{{"zoo", {{"mha_block", {{"embed", embed}, {"depth", depth}, {"sequence", sequence}}}}}};
  };
  const auto net = [](const char* of) { return json{{"zoo", of}}; };
  Workload made;
  made.models = {attention(256, 4, 64),
                 net("mobilenetv3_small_100"),
                 conv(64, 3, 32),
                 conv(32, 3, 64),
                 attention(128, 8, 128),
                 attention(512, 4, 128),
                 conv(32, 9, 112),
                 conv(64, 3, 112),
                 net("vit_tiny_patch16_224"),
                 net("resnet18"),
                 net("resnet50"),
                 conv(64, 17, 112)};
  made.compilers.push_back({{name, version.empty() ? json::object() : json{{"version", version}}}});
  return made;
}

Workload workload_of(const CalibrationOrder& order) {
  const std::string name = order.compiler.substr(0, order.compiler.find('@'));
  const std::string version = name.size() < order.compiler.size() ? order.compiler.substr(name.size() + 1) : "";
  return name == kNull ? null_workload(order.threads) : zoo_workload(name, version);
}

// Returns a list with each compiler twice in a row, as left and right.
json both_sides(const json& compilers) {
  json all = json::array();
  for (const json& compiler : compilers) {
    for (const char* const side : {"left", "right"}) {
      json entry = compiler;
      json& settings = entry.front();
      settings["label"] = compilers.size() == 1 ? side : fmt::format("{} {}", side, all.size() / 2);
      all.push_back(std::move(entry));
    }
  }
  return all;
}

constexpr int kTrial = 0;  // in place of a number of rounds: one process of each cell of one side

std::filesystem::path folder_of(const CalibrationOrder& order, const char* what) {
  return order.folder / fmt::format("{}-threads-{}-turns-{}", order.threads, order.turns, what);
}

// Plans a study of `rounds` rounds of both sides. With kTrial it plans one process of each cell, which tells how long
// processes take. A process that other programs disturbed is not repeated, so that the time is kept: its round does not
// count. In the trial it counts.
Answer<plan::Plan> plan_workload(const Installation& installation, const CalibrationOrder& order,
                                 const Workload& workload, int rounds, const std::filesystem::path& output,
                                 const Say& say) {
  const bool is_trial = rounds == kTrial;
  const json study{{"name", fmt::format("calibrate-{}-threads", order.threads)},
                   {"models", workload.models},
                   {"compilers", is_trial ? workload.compilers : both_sides(workload.compilers)},
                   {"threads", order.threads},
                   {"protocol", order.turns == 1 ? "paper" : "turns"},
                   {"turns", order.turns},
                   {"reference", "none"},
                   {"processes", is_trial ? 1 : rounds},
                   {"disturbance", {{"attempts", 1}, {"wait_s", 0}, {"max_wait_percent", is_trial ? 100 : 5}}},
                   {"output", std::filesystem::absolute(output).string()}};
  return plan_made_study(installation, study, say);
}

// Measures what is left of the plan with the compilers that are installed.
Answer<std::vector<store::CellData>> measure_workload(const Installation& installation, plan::Plan plan,
                                                      Observer& observer) {
  const auto compilers = Compilers::find(installation, plan);
  if (!compilers) return cannot_go_on(compilers.error());
  return measured_cells(installation, std::move(plan), *compilers, observer);
}

double wall_s_of(const std::vector<store::RecordedProcess>& processes) {
  return std::accumulate(processes.begin(), processes.end(), 0.0, [](double sum, const store::RecordedProcess& each) {
    return sum + static_cast<double>(each.wall_ns) * 1e-9;
  });
}

// The result of a trial, which measures one side of some parts.
struct Trial {
  std::vector<std::size_t> parts{};  // that could be measured, in order
  std::vector<double> seconds{};     // of each of them
  double spent_s = 0;
  std::size_t fitting = 0;  // so many of the first parts fit into the time

  // Returns how long a round of both sides of the first `count` parts takes.
  [[nodiscard]] double round_s(std::size_t count) const {
    return 2 * kOverhead * std::accumulate(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
  }
  // Returns how long the trial and five rounds take.
  [[nodiscard]] double all_s(std::size_t count) const { return spent_s + kFewestRounds * round_s(count); }
};

// Tries part by part, up to the first that does not fit into the time. The time is exceeded by no more than its trial.
Answer<Trial> try_parts(const Installation& installation, const CalibrationOrder& order, const Workload& workload,
                        Observer& observer) {
  Trial trial;
  for (std::size_t part = 0; part < workload.parts(); ++part) {
    const std::filesystem::path output = folder_of(order, "trial") / std::to_string(part + 1);
    auto plan = plan_workload(installation, order, workload.only({part}), kTrial, output, saying(observer));
    if (!plan) return tl::unexpected(plan.error());
    const auto cells = measure_workload(installation, *std::move(plan), observer);
    if (!cells) return tl::unexpected(cells.error());
    double used_s = 0;
    bool is_usable = true;
    for (const store::CellData& cell : *cells) {
      used_s += wall_s_of(cell.processes) + wall_s_of(cell.failed);
      is_usable = is_usable && !cell.processes.empty();
    }
    trial.spent_s += used_s;
    if (!is_usable) continue;
    trial.parts.push_back(part);
    trial.seconds.push_back(used_s);
    if (trial.all_s(trial.parts.size()) > order.seconds) break;
    trial.fitting = trial.parts.size();
  }
  return trial;
}

// The parts that fit into the time.
struct Fitting {
  std::vector<std::size_t> parts{};
  int rounds = 0;
};

Answer<Fitting> what_fits(const Trial& trial, double budget_s) {
  if (trial.parts.empty()) {
    return cannot_go_on({"no cell of the trial could be measured", "ngb calibrate",
                         "the results folder has the reasons: ngb show FOLDER"});
  }
  if (trial.fitting == 0) {
    return wrong_usage(
        {fmt::format("the time is too short: {} for a number of threads, and {} rounds of the fastest cells need {}",
                     text::human_duration(budget_s), kFewestRounds, text::human_duration(trial.all_s(1))),
         "--time", "give more time; what was measured of the trial is kept with -o"});
  }
  const double left_s = budget_s - trial.spent_s;
  return Fitting{
      .parts = {trial.parts.begin(), trial.parts.begin() + static_cast<std::ptrdiff_t>(trial.fitting)},
      .rounds = std::clamp(static_cast<int>(left_s / trial.round_s(trial.fitting)), kFewestRounds, kMostRounds)};
}

}  // namespace

Answer<bool> is_installed(const Installation& installation, const CalibrationOrder& order, const Say& say) {
  const auto plan = plan_workload(installation, order, workload_of(order), kTrial, folder_of(order, "trial"), say);
  if (!plan) return tl::unexpected(plan.error());
  const auto compilers = Compilers::find(installation, *plan);
  if (!compilers) return cannot_go_on(compilers.error());
  return compilers->missing().empty();
}

Answer<MeasuredEqualSides> measure_equal_sides(const Installation& installation, const CalibrationOrder& order,
                                               Observer& observer) {
  const Say say = saying(observer);
  const Workload workload = workload_of(order);
  const auto trial = try_parts(installation, order, workload, observer);
  if (!trial) return tl::unexpected(trial.error());
  const auto fitting = what_fits(*trial, order.seconds);
  if (!fitting) return tl::unexpected(fitting.error());
  if (fitting->parts.size() < workload.parts()) {
    say(fmt::format("ngb: {} of {} {} are left out: there is no time for them, or they could not be measured\n",
                    workload.parts() - fitting->parts.size(), workload.parts(),
                    workload.parts_are_compilers ? "durations" : "models"));
  }
  auto plan = plan_workload(installation, order, workload.only(fitting->parts), fitting->rounds,
                            folder_of(order, "measured"), say);
  if (!plan) return tl::unexpected(plan.error());
  const work::Compiler& compiler = plan->study.compilers.front();
  MeasuredEqualSides made{
      .measured = {.threads = order.threads,
                   .turns = order.turns,
                   .measured_unix_ns = system_clock().unix_now().count(),
                   .compiler = compiler.version.empty() ? compiler.name : compiler.name + " " + compiler.version}};
  const auto cells = measure_workload(installation, *std::move(plan), observer);
  if (!cells) return tl::unexpected(cells.error());
  std::size_t lost = 0;
  std::size_t planned = 0;
  for (const store::CellData& cell : *cells) {
    planned += static_cast<std::size_t>(cell.planned_processes);
    lost += static_cast<std::size_t>(cell.planned_processes) - cell.processes.size();
    if (cell.processes.empty()) continue;
    const std::string& environment = cell.processes.front().environment_hash;
    if (!made.environment_hash.empty() && made.environment_hash != environment) {
      return cannot_go_on(
          {"this machine's description changed during the measurement", order.folder.string(), "run it again"});
    }
    made.environment_hash = environment;
  }
  for (std::size_t i = 0; i + 1 < cells->size(); i += 2) {
    made.measured.cells.push_back(metrics::equal_cell((*cells)[i], (*cells)[i + 1]));
  }
  if (lost > 0) {
    say(fmt::format("ngb: {} of {} processes were disturbed by other programs or failed; their rounds do not count\n",
                    lost, planned));
  }
  if (metrics::calibrate(made.measured.cells).cells == 0) {
    return cannot_go_on({"no cell has three rounds that other programs left undisturbed", order.folder.string(),
                         "calibrate again when the machine is quiet"});
  }
  return made;
}

}  // namespace ngb::campaign

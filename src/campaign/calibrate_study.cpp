// SPDX-License-Identifier: Apache-2.0
#include "campaign/calibrate_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/clock.h"
#include "base/text.h"
#include "campaign/measure.h"
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
// a model, or a compiler (a duration of the null compiler).
struct Workload {
  json models = json::array();
  json compilers = json::array();
  bool parts_are_compilers = false;

  [[nodiscard]] std::size_t parts() const { return (parts_are_compilers ? compilers : models).size(); }
  // Returns the part of the cell at this position of one side's plan, in which models come before compilers.
  [[nodiscard]] std::size_t part_of(std::size_t cell) const {
    return parts_are_compilers ? cell % compilers.size() : cell / compilers.size();
  }
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

// Inferences on one thread of a current processor take about 1 to 100 ms.
Workload zoo_workload(const std::string& name, const std::string& version) {
  const auto conv = [](int width, int depth, int image_size) {
    return json{{"zoo", {{"conv_block", {{"width", width}, {"depth", depth}, {"image_size", image_size}}}}}};
  };
  const auto attention = [](int embed, int depth, int sequence) {
    return json{{"zoo", {{"mha_block", {{"embed", embed}, {"depth", depth}, {"sequence", sequence}}}}}};
  };
  Workload made;
  made.models = {conv(64, 3, 32),  conv(32, 3, 64),  attention(256, 4, 64),  attention(128, 8, 128),
                 conv(64, 3, 112), conv(32, 9, 112), attention(512, 4, 128), conv(64, 17, 112)};
  for (const char* net : {"mobilenetv3_small_100", "vit_tiny_patch16_224", "resnet18", "resnet50"}) {
    made.models.push_back({{"zoo", net}});
  }
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

// Plans a study of `rounds` rounds of both sides. With kTrial it plans one process of each cell, which tells how long
// processes take. A process that other programs disturbed is not repeated, so that the time is kept: its round does not
// count. In the trial it counts.
Answer<plan::Plan> plan_workload(const Installation& installation, const CalibrationOrder& order,
                                 const Workload& workload, int rounds, const Say& say) {
  const bool is_trial = rounds == kTrial;
  const std::filesystem::path output =
      order.folder / fmt::format("{}-threads-{}-turns-{}", order.threads, order.turns, is_trial ? "trial" : "measured");
  const json study{{"name", fmt::format("calibrate-{}-threads", order.threads)},
                   {"models", workload.models},
                   {"compilers", is_trial ? workload.compilers : both_sides(workload.compilers)},
                   {"threads", order.threads},
                   {"turns", order.turns},
                   {"reference", "none"},
                   {"processes", is_trial ? 1 : rounds},
                   {"disturbance", {{"attempts", 1}, {"wait_s", 0}, {"max_wait_percent", is_trial ? 100 : 5}}},
                   {"output", std::filesystem::absolute(output).string()}};
  return plan_made_study(installation, study, say);
}

// Measures what is left of the plan and returns its cells.
Answer<std::vector<store::CellData>> measured_cells(const Installation& installation, plan::Plan plan,
                                                    Observer& observer) {
  const auto compilers = Compilers::find(installation, plan);
  if (!compilers) return cannot_go_on(compilers.error());
  const std::filesystem::path results = plan.study.output / "results.db";
  const auto done = measure_plan(installation, std::move(plan), *compilers, observer);
  if (!done) return tl::unexpected(done.error());
  auto store = store::Store::open(results, store::Mode::read_only);
  if (!store) return cannot_go_on(store.error());
  auto cells = store->load_cells(store::Detail::speeds);
  if (!cells) return cannot_go_on(cells.error());
  return *std::move(cells);
}

double wall_s_of(const std::vector<store::RecordedProcess>& processes) {
  return std::accumulate(processes.begin(), processes.end(), 0.0, [](double sum, const store::RecordedProcess& each) {
    return sum + static_cast<double>(each.wall_ns) * 1e-9;
  });
}

// What fits into the time.
struct Fitting {
  std::vector<std::size_t> parts{};  // fastest first until sorted
  int rounds = 0;
};

// Chooses from a trial of one side.
Answer<Fitting> what_fits(const Workload& workload, const std::vector<store::CellData>& trial, double budget_s) {
  std::vector<double> seconds(workload.parts(), 0);
  std::vector<bool> is_usable(workload.parts(), true);
  double spent_s = 0;
  for (std::size_t i = 0; i < trial.size(); ++i) {
    const double used_s = wall_s_of(trial[i].processes) + wall_s_of(trial[i].failed);
    spent_s += used_s;
    seconds[workload.part_of(i)] += used_s;
    if (trial[i].processes.empty()) is_usable[workload.part_of(i)] = false;
  }
  std::vector<std::size_t> order(workload.parts());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t part) { return !is_usable[part]; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
  if (order.empty()) {
    return cannot_go_on({"no cell of the trial could be measured", "ngb calibrate",
                         "the results folder has the reasons: ngb show FOLDER"});
  }
  const double left_s = budget_s - spent_s;
  Fitting made;
  double round_s = 0;
  for (const std::size_t part : order) {
    const double with_s = round_s + 2 * kOverhead * seconds[part];
    if (kFewestRounds * with_s > left_s) break;
    round_s = with_s;
    made.parts.push_back(part);
  }
  if (made.parts.empty()) {
    const double needed_s = spent_s + kFewestRounds * 2 * kOverhead * seconds[order.front()];
    return wrong_usage(
        {fmt::format("the time is too short: {} for a number of threads, and {} rounds of the fastest cells need {}",
                     text::human_duration(budget_s), kFewestRounds, text::human_duration(needed_s)),
         "--time", "give more time; what was measured of the trial is kept with -o"});
  }
  made.rounds = std::clamp(static_cast<int>(left_s / round_s), kFewestRounds, kMostRounds);
  std::sort(made.parts.begin(), made.parts.end());
  return made;
}

}  // namespace

Answer<bool> is_installed(const Installation& installation, const CalibrationOrder& order, const Say& say) {
  const auto plan = plan_workload(installation, order, workload_of(order), kTrial, say);
  if (!plan) return tl::unexpected(plan.error());
  const auto compilers = Compilers::find(installation, *plan);
  if (!compilers) return cannot_go_on(compilers.error());
  return compilers->missing().empty();
}

Answer<MeasuredEqualSides> measure_equal_sides(const Installation& installation, const CalibrationOrder& order,
                                               Observer& observer) {
  const Say say = saying(observer);
  const Workload workload = workload_of(order);
  auto trial_plan = plan_workload(installation, order, workload, kTrial, say);
  if (!trial_plan) return tl::unexpected(trial_plan.error());
  const auto trial = measured_cells(installation, *std::move(trial_plan), observer);
  if (!trial) return tl::unexpected(trial.error());
  const auto fitting = what_fits(workload, *trial, order.seconds);
  if (!fitting) return tl::unexpected(fitting.error());
  if (fitting->parts.size() < workload.parts()) {
    say(fmt::format("ngb: {} of {} {} are left out: there is no time for them, or they could not be measured\n",
                    workload.parts() - fitting->parts.size(), workload.parts(),
                    workload.parts_are_compilers ? "durations" : "models"));
  }
  auto plan = plan_workload(installation, order, workload.only(fitting->parts), fitting->rounds, say);
  if (!plan) return tl::unexpected(plan.error());
  const work::Compiler& compiler = plan->study.compilers.front();
  MeasuredEqualSides made{
      .measured = {.threads = order.threads,
                   .turns = order.turns,
                   .measured_unix_ns = system_clock().unix_now().count(),
                   .compiler = compiler.version.empty() ? compiler.name : compiler.name + " " + compiler.version}};
  const auto cells = measured_cells(installation, *std::move(plan), observer);
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

// SPDX-License-Identifier: Apache-2.0
#include "campaign/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "campaign/measure.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "metrics/comparison.h"
#include "metrics/outcome.h"
#include "metrics/ratios.h"
#include "plan/groups.h"
#include "store/store.h"

namespace ngb::campaign {
namespace {

using metrics::Tuned;
using metrics::TunedSettings;
using nlohmann::json;

// After so many more processes of each setting, so many settings go on.
struct Step {
  int processes;
  std::size_t kept;
};
constexpr std::array kSteps{Step{1, 27}, Step{1, 9}, Step{1, 3}, Step{3, 1}};
constexpr double kShareOfSearch = 0.6;  // of the budget

// The settings of one compiler on one workload.
struct Question {
  std::vector<work::Cell> cells{};  // in the order of the study: the first has the settings of today
  std::vector<work::Cell> alive{};  // those that go on, the fastest first
  std::size_t measured = 0;

  [[nodiscard]] const work::Cell& usual() const { return cells.front(); }
  [[nodiscard]] const work::Cell& winner() const { return alive.front(); }
  [[nodiscard]] bool has_winner() const { return measured > 0 && winner().id != usual().id; }
};

std::vector<Question> questions_of(const plan::Plan& plan) {
  std::map<std::tuple<std::string, int, int, std::string>, Question> by_place;
  for (const work::Cell& cell : plan.cells) {
    by_place[{cell.device, cell.model_index, cell.load_index, plan.compiler_of(cell).name}].cells.push_back(cell);
  }
  std::vector<Question> questions;
  for (auto& [place, question] : by_place) {
    if (question.cells.size() < 2) continue;
    question.alive = question.cells;
    questions.push_back(std::move(question));
  }
  return questions;
}

// The speeds of the processes of each cell, over all steps.
using Speeds = std::map<std::string, std::vector<metrics::OfRound>>;

std::optional<double> mean_of(const Speeds& speeds, const work::Cell& cell) {
  const auto found = speeds.find(cell.id);
  if (found == speeds.end() || found->second.empty() || !metrics::are_above_zero(found->second)) return std::nullopt;
  return metrics::geometric_mean(found->second, statistics::kErrorRate).value;
}

Result<std::vector<store::CellData>> cells_in(const std::filesystem::path& results) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  return store->load_cells();
}

Status add_speeds(const std::filesystem::path& results, Speeds& speeds) {
  const auto cells = cells_in(results);
  if (!cells) return error_of(cells);
  for (const store::CellData& cell : *cells) {
    const metrics::Steady steady = metrics::steady(cell);
    auto& all = speeds[cell.cell_id];
    all.insert(all.end(), steady.throughput_by_process.begin(), steady.throughput_by_process.end());
  }
  return Done{};
}

class Tuning {
 public:
  Tuning(const Installation& installation, const TuneOrder& order, const plan::Plan& plan, Observer& observer)
      : installation_(installation),
        order_(order),
        plan_(plan),
        observer_(observer),
        began_(system_clock().now()),
        folder_(order.folder.empty() ? std::filesystem::path(plan.study.output.string() + "-tune")
                                     : std::filesystem::absolute(order.folder)),
        questions_(questions_of(plan)) {}

  [[nodiscard]] bool has_nothing_to_tune() const { return questions_.empty(); }

  Answer<Tuned> run() {
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
      if (const auto taken = take(i); !taken) return tl::unexpected(taken.error());
    }
    Tuned tuned{.margin_ratio = order_.margin_ratio, .search = (folder_ / "search").string()};
    for (const Question& question : questions_) tuned.all.push_back(found(question));
    if (std::ranges::none_of(questions_, &Question::has_winner)) return tuned;
    if (const auto confirmed = confirm(); !confirmed) return tl::unexpected(confirmed.error());
    tuned.confirm = confirm_folder().string();
    if (const auto judged = judge(tuned); !judged) return tl::unexpected(judged.error());
    return tuned;
  }

 private:
  [[nodiscard]] std::filesystem::path confirm_folder() const { return folder_ / "confirm"; }

  // Returns what is left of this share of the budget; nothing if there is none.
  [[nodiscard]] std::optional<Nanoseconds> left(double share) const {
    if (!order_.budget) return std::nullopt;
    const Nanoseconds end = began_ + std::chrono::duration_cast<Nanoseconds>(share * *order_.budget);
    return std::max(end - system_clock().now(), Nanoseconds(0));
  }

  // Cells to measure in a folder of their own.
  struct Part {
    std::filesystem::path results{};
    std::set<std::string> cells{};                  // ids
    json keys{};                                    // of the study, in place of its own
    double share = 1;                               // of the budget, at the end of which it ends
    std::map<std::string, std::string> usual_of{};  // by the winner's id: rounds end when these pairs are decided
  };
  Answer<Done> measure(const Part& part) {
    json study = config::to_json(plan_.study);
    study["output"] = part.results.string();
    study["best_options"] = false;
    study.erase("rounds");
    study.update(part.keys);
    auto plan = plan_made_study(installation_, study, [](std::string_view) {});
    if (!plan) return tl::unexpected(plan.error());
    plan::keep_cells(*plan, part.cells);
    if (!part.usual_of.empty()) ask(*plan, part.usual_of);
    const auto compilers = Compilers::find(installation_, *plan);
    if (!compilers) return cannot_go_on(compilers.error());
    return measure_plan(installation_, *std::move(plan), *compilers, observer_, left(part.share));
  }

  // Measures the settings that are left of every question that has too many, and lets the fastest go on.
  Answer<Done> take(std::size_t index) {
    const Step& step = kSteps.at(index);
    Part part{.results = folder_ / "search" / std::to_string(index + 1),
              .keys = {{"processes", step.processes}},
              .share = kShareOfSearch};
    for (const Question& question : questions_) {
      if (question.alive.size() <= step.kept) continue;
      for (const work::Cell& cell : question.alive) part.cells.insert(cell.id);
      part.cells.insert(question.usual().id);
    }
    if (part.cells.empty()) return Done{};
    observer_.say(fmt::format("ngb: tune: {} settings, {} process{} of each\n", part.cells.size(), step.processes,
                              step.processes == 1 ? "" : "es"));
    if (const auto measured = measure(part); !measured) return measured;
    if (const Status added = add_speeds(part.results, speeds_); !added) return cannot_go_on(added.error());
    for (Question& question : questions_) {
      if (question.alive.size() > step.kept) choose(question, step);
    }
    return Done{};
  }

  // Settings without a speed are the last; of equal ones, the first in the list is before the others.
  void choose(Question& question, const Step& step) const {
    std::vector<std::pair<double, const work::Cell*>> ranked;
    std::size_t with_speed = 0;
    for (const work::Cell& cell : question.cells) {
      if (std::ranges::find(question.alive, cell.id, &work::Cell::id) == question.alive.end()) continue;
      const std::optional<double> mean = mean_of(speeds_, cell);
      if (mean) ++with_speed;
      ranked.emplace_back(mean.value_or(0), &cell);
    }
    std::ranges::stable_sort(ranked, std::greater<>(), &std::pair<double, const work::Cell*>::first);
    if (question.measured == 0) question.measured = with_speed;
    std::vector<work::Cell> fastest;
    for (const auto& [mean, cell] : ranked) {
      if (fastest.size() < step.kept) fastest.push_back(*cell);
    }
    question.alive = std::move(fastest);
  }

  [[nodiscard]] TunedSettings found(const Question& question) const {
    const bool is_usual = !question.has_winner();
    const work::Cell& winner = is_usual ? question.usual() : question.winner();
    TunedSettings made{.usual = plan_.configuration_of(question.usual()),
                       .winner = plan_.configuration_of(winner),
                       .settings = question.cells.size(),
                       .measured = question.measured,
                       .promised = is_usual ? metrics::Value{.value = 1} : promise_of(question),
                       .entry = entry_of(winner)};
    if (question.measured == 0) {
      made.promised = metrics::unknown("no setting has a speed: ngb show " + (folder_ / "search/1").string());
      made.why = made.promised.reason;
    } else if (is_usual) {
      made.why = "no setting was faster in the search";
    }
    return made;
  }

  // Returns T_winner / T_usual of all processes of the search.
  [[nodiscard]] metrics::Value promise_of(const Question& question) const {
    const auto winner = mean_of(speeds_, question.winner());
    const auto usual = mean_of(speeds_, question.usual());
    if (!winner || !usual) return metrics::unknown("the settings of today have no speed");
    return {.value = *winner / *usual};
  }

  // Returns the settings as an entry of a study; null of those that a device has by its own number of threads.
  [[nodiscard]] json entry_of(const work::Cell& cell) const {
    const json entries = config::to_json(plan_.study)["compilers"];
    const auto index = static_cast<std::size_t>(cell.compiler_index);
    return index < entries.size() ? entries[index] : json(nullptr);
  }

  // Measures winners and the settings of today in the same rounds, until it is decided which is faster.
  Answer<Done> confirm() {
    Part part{.results = confirm_folder(),
              .keys = {{"rounds",
                        {{"until", work::name(work::Until::decided_against_baseline)},
                         {"margin_percent", order_.margin_ratio * 100}}}}};
    for (const Question& question : questions_) {
      if (!question.has_winner()) continue;
      part.cells.insert({question.usual().id, question.winner().id});
      part.usual_of[question.winner().id] = question.usual().id;
    }
    observer_.say(fmt::format("ngb: tune: {} winner{} beside the settings of today, in fresh processes\n",
                              part.usual_of.size(), part.usual_of.size() == 1 ? "" : "s"));
    return measure(part);
  }

  // Makes how each winner compares with the settings of today the questions of its group.
  static void ask(plan::Plan& plan, const std::map<std::string, std::string>& usual_of) {
    plan.verdicts_of_gate = true;
    for (work::Group& group : plan.groups) {
      std::map<std::string, int> index_of;
      for (const work::Step& step : group.steps) index_of[plan.cell_of(step).id] = step.cell_index;
      group.questions.clear();
      for (const auto& [id, index] : index_of) {
        const auto usual = usual_of.find(id);
        if (usual == usual_of.end() || !index_of.contains(usual->second)) continue;
        group.questions.push_back({.cell_index = index, .baseline_index = index_of.at(usual->second)});
      }
    }
  }

  // All pairs are judged together, with one error rate.
  Answer<Done> judge(Tuned& tuned) const {
    const auto cells = cells_in(confirm_folder());
    if (!cells) return cannot_go_on(cells.error());
    std::vector<metrics::GivenPair> pairs;
    std::vector<TunedSettings*> of_pairs;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      const auto winner = std::ranges::find(*cells, questions_[i].winner().id, &store::CellData::cell_id);
      const auto usual = std::ranges::find(*cells, questions_[i].usual().id, &store::CellData::cell_id);
      if (!questions_[i].has_winner() || winner == cells->end() || usual == cells->end()) continue;
      pairs.emplace_back(&*usual, &*winner);
      of_pairs.push_back(&tuned.all[i]);
    }
    const metrics::Comparison compared = metrics::compare_given(
        pairs, {.margin_ratio = order_.margin_ratio, .adjustment = statistics::Adjustment::holm});
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const metrics::ComparedPair& pair = compared.pairs[i];
      const bool is_judged = pair.status == metrics::PairStatus::judged;
      if (is_judged) of_pairs[i]->confirmed = pair.judgement;
      of_pairs[i]->why = is_judged ? pair.judgement.reason : std::string(name(pair.status));
    }
    return Done{};
  }

  const Installation& installation_;
  const TuneOrder& order_;
  const plan::Plan& plan_;
  Observer& observer_;
  Nanoseconds began_;
  std::filesystem::path folder_;
  std::vector<Question> questions_;
  Speeds speeds_{};
};

}  // namespace

Answer<Tuned> tune(const Installation& installation, const TuneOrder& order, Observer& observer) {
  const auto plan = plan_study(installation, order.study, saying(observer));
  if (!plan) return tl::unexpected(plan.error());
  Tuning tuning(installation, order, *plan, observer);
  if (tuning.has_nothing_to_tune()) {
    return wrong_usage({"there is nothing to choose from: the study has one setting of each compiler",
                        plan->study.path.string(),
                        "give lists of values, the first of which is that of today: threads: [1, 2], or options and "
                        "settings of a compiler: `ngb compilers NAME` lists them"});
  }
  return tuning.run();
}

}  // namespace ngb::campaign

// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "metrics/outcome.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"
#include "metrics/verdict.h"

namespace ngb::metrics::series {
namespace {

constexpr std::size_t kMostNames = 3;  // of models or workloads in a sentence

// Returns "a, b and 4 more".
std::string listed(const std::vector<std::string>& names) {
  if (names.size() <= kMostNames) return text::join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + kMostNames - 1);
  return fmt::format("{} and {} more", text::join(first, ", "), names.size() - first.size());
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

bool is_won(const Race& race) { return race.adjusted_p < statistics::kErrorRate; }

// The races on one device.
struct Contest {
  std::string device{};
  std::vector<const Race*> races{};
};

class Answer {
 public:
  Answer(const Analysis& analysis, const std::vector<Race>& races) : analysis_(analysis), races_(races) {
    std::map<std::string, std::set<std::optional<int>>> threads;
    std::set<std::string> devices;
    for (std::size_t i = 0; i < analysis.size(); ++i) {
      threads[compiler_of(analysis.cell(i))].insert(analysis.cell(i).of.threads);
      devices.insert(name_of_place(analysis.cell(i)));
    }
    for (const auto& [name, counts] : threads) names_threads_ = names_threads_ || counts.size() > 1;
    names_devices_ = devices.size() > 1;
  }

  std::vector<std::string> sentences() {
    std::vector<std::string> all;
    for (const Contest& contest : contests()) {
      for (std::string& sentence : winners(contest)) all.push_back(std::move(sentence));
      for (std::string& sentence : undecided(contest)) all.push_back(std::move(sentence));
    }
    const std::string failed = failures();
    const std::size_t most = kMostAnswerLines - (failed.empty() ? 0 : 1);
    if (all.size() > most) {
      const std::size_t more = all.size() - (most - 1);
      all.resize(most - 1);
      all.push_back(fmt::format("{} more sentences: ngb show --findings", more));
    }
    if (!failed.empty()) all.push_back(failed);
    return all;
  }

 private:
  [[nodiscard]] std::vector<Contest> contests() const {
    std::vector<Contest> contests;
    for (const Race& race : races_) {
      const std::string device = name_of_place(analysis_.cell(race.leader));
      const auto same =
          std::find_if(contests.begin(), contests.end(), [&](const Contest& each) { return each.device == device; });
      if (same == contests.end())
        contests.push_back({device, {&race}});
      else
        same->races.push_back(&race);
    }
    return contests;
  }

  [[nodiscard]] std::string name_of(std::size_t cell) const {
    std::string name = compiler_of(analysis_.cell(cell));
    const std::optional<int> threads = analysis_.cell(cell).of.threads;
    return names_threads_ && threads ? fmt::format("{} ({} thread{})", name, *threads, *threads == 1 ? "" : "s") : name;
  }

  [[nodiscard]] std::string baseline() const {
    return (analysis_.baseline().is_identity() ? "the " : "") + analysis_.baseline().words();
  }

  [[nodiscard]] std::string workload_of(std::size_t cell) const {
    return fmt::format("{} at batch {}", analysis_.cell(cell).of.model.label, analysis_.cell(cell).of.model.key.batch);
  }

  [[nodiscard]] std::string on(const Contest& contest) const { return names_devices_ ? " on " + contest.device : ""; }

  // Returns one sentence for each setting that is the fastest of a workload, the one of most workloads first.
  [[nodiscard]] std::vector<std::string> winners(const Contest& contest) const {
    std::vector<std::vector<const Race*>> won;
    std::map<std::string, std::size_t> place;
    for (const Race* race : contest.races) {
      if (!is_won(*race)) continue;
      const auto [found, is_new] = place.emplace(setting_of(analysis_.cell(race->leader)), won.size());
      if (is_new) won.emplace_back();
      won[found->second].push_back(race);
    }
    std::stable_sort(won.begin(), won.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::vector<std::string> sentences;
    for (const auto& races : won) sentences.push_back(winner(contest, races));
    return sentences;
  }

  [[nodiscard]] std::string winner(const Contest& contest, const std::vector<const Race*>& races) const {
    return fmt::format("{} is the fastest{}{}: {}.", name_of(races.front()->leader), where(contest, races), on(contest),
                       how_much(races));
  }

  // Returns " on all 4 workloads", " on 2 of 4 workloads (resnet18)" or, of a single one, " on resnet18 at batch 1".
  [[nodiscard]] std::string where(const Contest& contest, const std::vector<const Race*>& races) const {
    const std::size_t all = contest.races.size();
    if (all > 1 && races.size() == all) return fmt::format(" on all {} workloads", all);
    std::vector<std::string> models;
    for (const Race* race : races) add_once(models, model_group_of(analysis_.cell(race->leader)));
    const std::string which = races.size() == 1 ? workload_of(races.front()->leader) : listed(models);
    return all == 1 ? " on " + which : fmt::format(" on {} of {} workloads ({})", races.size(), all, which);
  }

  // Returns "1.49 to 2.09 times as fast as the identity (95 %: at least 1.38)", or with the second fastest where the
  // fastest is the baseline, or has none.
  [[nodiscard]] std::string how_much(const std::vector<const Race*>& races) const {
    std::vector<Value> ratios;
    for (const Race* race : races) {
      const auto baseline = analysis_.baseline_of(race->leader);
      if (!baseline || *baseline == race->leader) break;
      ratios.push_back(ratio_value(analysis_, log_speed_up(analysis_, race->leader)));
    }
    std::string against = baseline();
    if (ratios.size() < races.size()) {
      ratios.clear();
      for (const Race* race : races) {
        ratios.push_back(ratio_value(analysis_, log_ratio(analysis_, race->leader, race->runner_up)));
      }
      against = races.size() == 1 ? name_of(races.front()->runner_up) : "the second fastest";
    }
    const auto by_value = [](const Value& a, const Value& b) { return a.value < b.value; };
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end(), by_value);
    std::optional<double> low = least->low;
    for (const Value& ratio : ratios) low = ratio.low && low ? std::optional(std::min(*low, *ratio.low)) : std::nullopt;
    std::string words = fmt::format("{:.3g}", least->value.value_or(1));
    if (const std::string last = fmt::format("{:.3g}", most->value.value_or(1)); last != words) words += " to " + last;
    words += " times as fast as " + against;
    return low ? words + fmt::format(" (95 %: at least {:.3g})", *low) : words;
  }

  // Returns one sentence for each two settings that lead on workloads without a winner, with what would decide it.
  [[nodiscard]] std::vector<std::string> undecided(const Contest& contest) const {
    std::vector<std::vector<const Race*>> open;
    std::map<std::set<std::string>, std::size_t> place;
    for (const Race* race : contest.races) {
      if (is_won(*race)) continue;
      const std::set<std::string> two{setting_of(analysis_.cell(race->leader)),
                                      setting_of(analysis_.cell(race->runner_up))};
      const auto [found, is_new] = place.emplace(two, open.size());
      if (is_new) open.emplace_back();
      open[found->second].push_back(race);
    }
    std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::vector<std::string> sentences;
    for (const auto& races : open) {
      sentences.push_back(fmt::format("{} or {} is the fastest{}{}{}: {}.", name_of(races.front()->leader),
                                      name_of(races.front()->runner_up), where(contest, races), on(contest),
                                      speed_ups_of_both(races), what_decides(races)));
    }
    return sentences;
  }

  // Returns ", both 1.26 to 1.61 times as fast as the identity", or "" if one of them is the baseline or has none.
  [[nodiscard]] std::string speed_ups_of_both(const std::vector<const Race*>& races) const {
    std::vector<double> ratios;
    for (const Race* race : races) {
      for (const std::size_t cell : {race->leader, race->runner_up}) {
        const auto baseline = analysis_.baseline_of(cell);
        const Value ratio = ratio_value(analysis_, log_speed_up(analysis_, cell));
        if (!baseline || *baseline == cell || !ratio.value) return {};
        ratios.push_back(*ratio.value);
      }
    }
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    const std::string first = fmt::format("{:.3g}", *least);
    const std::string last = fmt::format("{:.3g}", *most);
    return fmt::format(", both {}{} times as fast as {}", first, first == last ? "" : " to " + last, baseline());
  }

  // Says what the two differ by, if it is one race, and how many rounds would tell them apart.
  [[nodiscard]] std::string what_decides(const std::vector<const Race*>& races) const {
    std::vector<Question> questions;
    std::vector<std::optional<int>> looks;
    for (const Race* race : races) {
      questions.push_back(log_ratio(analysis_, race->leader, race->runner_up).parts);
      looks.push_back(looks_of(analysis_, race->leader, questions.back()));
    }
    const Value ratio = ratio_value(analysis_, log_ratio(analysis_, races.front()->leader, races.front()->runner_up));
    const bool has_interval = races.size() == 1 && ratio.low && ratio.high;
    std::string text = has_interval ? fmt::format("the ratio of the two is {:.3g} [{:.3g}, {:.3g}], and ",
                                                  ratio.value.value_or(1), *ratio.low, *ratio.high)
                                    : "";
    const std::vector<Judgement> judgements = judge(questions, {}, looks);
    std::optional<int> most;
    for (const Judgement& each : judgements) {
      if (!each.adjusted_p) return fmt::format("at least {} processes of each are needed to tell", kLeastRounds);
      if (each.rounds_needed && (!most || *most < *each.rounds_needed)) most = each.rounds_needed;
    }
    const std::string rounds = most ? fmt::format("about {} rounds", *most) : "more rounds";
    return text + rounds + " would decide it (`rounds: {until: decided}`)";
  }

  // Says which settings have no result on some workloads, and why.
  [[nodiscard]] std::string failures() const {
    struct Failed {
      std::size_t count = 0;
      std::string kind{};
    };
    std::map<std::string, Failed> settings;
    std::vector<std::string> order;
    std::size_t all = 0;
    for (std::size_t i = 0; i < analysis_.size(); ++i) {
      const samples::ProcessResult* const decisive = decisive_failure(analysis_.cell(i));
      if (decisive == nullptr) continue;
      const std::string name = name_of(i) + (names_devices_ ? " on " + analysis_.cell(i).of.device : "");
      add_once(order, name);
      Failed& failed = settings[name];
      ++failed.count;
      ++all;
      const std::string kind(samples::name(decisive->failure->kind));
      failed.kind = failed.kind.empty() || failed.kind == kind ? kind : "several reasons";
    }
    if (all == 0) return {};
    std::vector<std::string> names;
    for (const std::string& name : order) {
      names.push_back(fmt::format("{} in {} ({})", name, settings[name].count, settings[name].kind));
    }
    return fmt::format("No result in {} of {} cells: {}.", all, analysis_.size(), listed(names));
  }

  const Analysis& analysis_;
  const std::vector<Race>& races_;
  bool names_threads_ = false;
  bool names_devices_ = false;
};

}  // namespace

std::vector<std::string> answer(const Analysis& analysis, const std::vector<Race>& races) {
  return Answer(analysis, races).sentences();
}

std::vector<FastestRow> fastest_rows(const Analysis& analysis, const std::vector<Race>& races) {
  std::vector<FastestRow> rows;
  for (const Race& race : races) {
    rows.push_back({race.leader, race.runner_up, is_won(race),
                    ratio_value(analysis, log_speed_up(analysis, race.leader)),
                    ratio_value(analysis, log_ratio(analysis, race.leader, race.runner_up))});
  }
  return rows;
}

}  // namespace ngb::metrics::series

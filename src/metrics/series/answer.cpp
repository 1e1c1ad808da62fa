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
#include "metrics/series/speed_words.h"
#include "metrics/series/workload.h"
#include "statistics/verdict.h"

namespace ngb::metrics::series {
namespace {

constexpr std::size_t kMostNames = 3;  // of models, workloads or slower settings in a sentence
constexpr std::size_t kMostCandidates = 6;

// Returns "a, b and 4 more".
std::string listed(const std::vector<std::string>& names) {
  if (names.size() <= kMostNames) return text::join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + kMostNames - 1);
  return fmt::format("{} and {} more", text::join(first, ", "), names.size() - first.size());
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

// Returns "a, b and c", or "a, b or c".
std::string all_of(const std::vector<std::string>& names, const char* last) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return fmt::format("{} {} {}", text::join(first, ", "), last, names.back());
}

// What the races on a device have told about a workload.
enum class Outcome {
  won,   // one setting is told faster than all others
  same,  // those that may be the fastest differ by less than the margin
  open,  // several may be the fastest
  none   // nothing can be tested
};

Outcome outcome_of(const Race& race) {
  if (race.is_won()) return Outcome::won;
  bool are_same = true;
  bool are_untested = true;
  for (const Rival& rival : race.rivals) {
    are_same = are_same && (rival.is_slower() || rival.is_same());
    are_untested =
        are_untested && !rival.judgement.adjusted_p && rival.judgement.verdict == statistics::Verdict::undecided;
  }
  return are_same ? Outcome::same : are_untested ? Outcome::none : Outcome::open;
}

// The races on one device.
struct Contest {
  std::string device{};
  std::vector<const Race*> races{};
};

// The races of a contest that end alike, between the same settings.
struct Group {
  Outcome outcome = Outcome::none;
  std::vector<const Race*> races{};
};

class Answer {
 public:
  Answer(const Analysis& analysis, const std::vector<Race>& races, const Judged& by)
      : analysis_(analysis),
        races_(races),
        by_(by),
        best_(by.metric == nullptr ? "the fastest" : fmt::format("the best by {}", by.name())),
        worse_(by.metric == nullptr ? "slower" : "worse") {
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
    const auto rounds = analysis_.size() > 0 ? analysis_.cell(0).rounds : std::nullopt;
    const bool are_asked = !rounds || rounds->over == work::Over::compilers;
    for (const Contest& contest : are_asked ? contests() : std::vector<Contest>{}) {
      for (const Group& group : groups_of(contest)) all.push_back(sentence(contest, group));
    }
    std::vector<std::string> last{emulations(), failures()};
    std::erase(last, "");
    const std::size_t most = kMostAnswerLines - last.size();
    if (all.size() > most) {
      const std::size_t more = all.size() - (most - 1);
      all.resize(most - 1);
      all.push_back(fmt::format("{} more sentences: ngb show --findings", more));
    }
    all.insert(all.end(), last.begin(), last.end());
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
    std::string name = compiler_in_words(analysis_.cell(cell));
    const std::optional<int> threads = analysis_.cell(cell).of.threads;
    return names_threads_ && threads ? fmt::format("{} ({} thread{})", name, *threads, *threads == 1 ? "" : "s") : name;
  }

  [[nodiscard]] std::string baseline() const { return analysis_.baseline().in_a_sentence(); }

  [[nodiscard]] std::string workload_of(std::size_t cell) const {
    return fmt::format("{} at batch {}", analysis_.cell(cell).of.model.label, analysis_.cell(cell).of.model.key.batch);
  }

  [[nodiscard]] std::string on(const Contest& contest) const { return names_devices_ ? " on " + contest.device : ""; }

  // Returns the won races first, by who has won, then the others by who may be the fastest; each the largest first.
  [[nodiscard]] std::vector<Group> groups_of(const Contest& contest) const {
    std::vector<Group> groups;
    std::map<std::pair<Outcome, std::set<std::string>>, std::size_t> place;
    for (const Race* race : contest.races) {
      std::set<std::string> settings;
      for (const std::size_t cell : race->candidates()) settings.insert(analysis_.settings().of(analysis_.cell(cell)));
      const Outcome outcome = outcome_of(*race);
      const auto [found, is_new] = place.emplace(std::pair(outcome, std::move(settings)), groups.size());
      if (is_new) groups.push_back({outcome, {}});
      groups[found->second].races.push_back(race);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
      const bool is_won = a.outcome == Outcome::won;
      return is_won == (b.outcome == Outcome::won) ? a.races.size() > b.races.size() : is_won;
    });
    return groups;
  }

  [[nodiscard]] std::string sentence(const Contest& contest, const Group& group) const {
    const std::string where = this->where(contest, group.races) + on(contest);
    const std::vector<std::string> candidates = names_of(group.races.front()->candidates());
    if (group.outcome == Outcome::won) {
      return fmt::format("{} is {}{}: {}{}.", candidates.front(), best_, where, how_fast(group), near(group));
    }
    if (group.outcome == Outcome::none) {
      return fmt::format("Which is {}{} is not told: {}. {}.", best_, where, what_is_lacking(group), highest(group));
    }
    const std::string which =
        group.outcome == Outcome::same
            ? fmt::format("{} are the same within {}{}{}", all_of(candidates, "and"), by_.margin_in_words(),
                          by_.metric == nullptr ? "" : fmt::format(" by {}", by_.name()), where)
            : fmt::format("{} may be {}{}", any_of(group, candidates), best_, where);
    return fmt::format("{}{}. {}{}.", which, slower_ones(group), highest(group), what_decides(group));
  }

  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::size_t>& cells) const {
    std::vector<std::string> names;
    for (const std::size_t cell : cells) names.push_back(name_of(cell));
    return names;
  }

  // Returns "One of a, b and c", or "12 of 14 compilers" if these are many and slower_ones() names the others.
  [[nodiscard]] static std::string any_of(const Group& group, const std::vector<std::string>& candidates) {
    const std::size_t all = group.races.front()->rivals.size() + 1;
    if (candidates.size() <= kMostCandidates || all - candidates.size() > kMostNames) {
      return "One of " + all_of(candidates, "and");
    }
    return fmt::format("{} {} compilers", all == candidates.size() ? "Any of" : fmt::format("{} of", candidates.size()),
                       all);
  }

  // Returns "; d and e are slower", or "" if nobody is.
  [[nodiscard]] std::string slower_ones(const Group& group) const {
    std::vector<std::string> names;
    for (const Race* race : group.races) {
      for (const Rival& rival : race->rivals) {
        if (rival.is_slower()) add_once(names, name_of(rival.cell));
      }
    }
    if (names.empty()) return {};
    if (names.size() == 1) return fmt::format("; {} is {}", names.front(), worse_);
    return fmt::format("; {} are {}", names.size() > kMostNames ? "all others" : all_of(names, "and"), worse_);
  }

  // Names those that are told slower than the winner, but by less than the margin. how_fast() says it of the one that
  // it compares the winner with.
  [[nodiscard]] std::string near(const Group& group) const {
    std::vector<std::string> names;
    for (const Race* race : group.races) {
      for (const Rival& rival : race->rivals) {
        const std::size_t baseline = analysis_.baseline_of(race->leader).value_or(race->leader);
        const std::size_t compared = baseline == race->leader ? race->rivals.front().cell : baseline;
        if (rival.is_same() && rival.cell != compared) add_once(names, name_of(rival.cell));
      }
    }
    return names.empty() ? ""
                         : fmt::format("; {} {} within {} of it", all_of(names, "and"),
                                       names.size() == 1 ? "is" : "are", by_.margin_in_words());
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

  // Returns the speed of the leaders, and by how much they are at least faster than the baseline, or than the second
  // fastest where the baseline leads, or there is none that speeds are related to.
  [[nodiscard]] std::string how_fast(const Group& group) const {
    std::vector<std::size_t> leaders;
    std::vector<CellPair> over_baseline;
    std::vector<CellPair> over_next;
    for (const Race* race : group.races) {
      leaders.push_back(race->leader);
      const auto baseline = analysis_.baseline_of(race->leader);
      const bool is_related = baseline && contrast_by(by_, analysis_, race->leader, *baseline).reason.empty();
      if (is_related && *baseline != race->leader) over_baseline.emplace_back(race->leader, *baseline);
      over_next.emplace_back(race->leader, race->rivals.front().cell);
    }
    std::string words =
        by_.metric == nullptr ? absolute_speeds(analysis_, leaders) : absolute_values(analysis_, leaders, by_);
    if (group.outcome == Outcome::none) return words;
    const bool has_baseline = over_baseline.size() == leaders.size();
    const std::string next = leaders.size() == 1     ? name_of(over_next.front().second)
                             : by_.metric == nullptr ? "the second fastest"
                                                     : "the second best";
    const std::string more = has_baseline                    ? better(over_baseline, baseline())
                             : group.outcome == Outcome::won ? better(over_next, next)
                                                             : std::string();
    return more.empty() ? words : words + ", " + more;
  }

  [[nodiscard]] std::string better(const std::vector<CellPair>& pairs, const std::string& other) const {
    return by_.metric == nullptr ? gain(analysis_, pairs, other) : gain_by(analysis_, pairs, other, by_);
  }

  // Returns "The fastest that was measured is b: 3.91 ms an inference, …".
  [[nodiscard]] std::string highest(const Group& group) const {
    std::vector<std::string> names;
    for (const Race* race : group.races) add_once(names, name_of(race->leader));
    return fmt::format("The {} that was measured is {}: {}", by_.metric == nullptr ? "fastest" : "best",
                       all_of(names, "or"), how_fast(group));
  }

  // Says how many rounds would likely tell the hardest of the open pairs apart.
  [[nodiscard]] std::string what_decides(const Group& group) const {
    if (group.outcome == Outcome::same) return {};
    std::optional<int> most;
    for (const Race* race : group.races) {
      for (const Rival& rival : race->rivals) {
        if (rival.is_slower() || rival.is_same()) continue;
        if (!rival.judgement.adjusted_p) return "; " + what_is_lacking(group);
        if (!rival.judgement.rounds_needed) {
          return fmt::format("; more than {} rounds would be needed to decide it", statistics::kMostRoundsForeseen);
        }
        most = std::max(most.value_or(0), *rival.judgement.rounds_needed);
      }
    }
    return fmt::format("; about {} rounds would decide it (`rounds: {{until: decided}}`{})", most.value_or(0),
                       by_.metric == nullptr ? "" : fmt::format(", `metric: {}`", by_.name()));
  }

  // Says why a leader and a rival of it cannot be tested. Precondition: there are such.
  [[nodiscard]] std::string what_is_lacking(const Group& group) const {
    for (const Race* race : group.races) {
      for (const Rival& rival : race->rivals) {
        if (!has_enough_processes(contrast_by(by_, analysis_, race->leader, rival.cell))) {
          return fmt::format("at least {} processes of each are needed", statistics::kLeastRounds);
        }
      }
    }
    return by_.metric == nullptr ? "all rounds are alike to the nanosecond, so nothing can be tested"
                                 : "all processes say the same, so nothing can be tested";
  }

  // Says who emulates operators of which models, and what is compared in place of a speed-up over it.
  [[nodiscard]] std::string emulations() const {
    std::vector<std::string> names;
    std::vector<std::string> models;
    std::vector<std::string> variants;
    for (std::size_t i = 0; i < analysis_.size(); ++i) {
      const store::CellData& cell = analysis_.cell(i);
      if (why_emulation(cell).empty()) continue;
      add_once(names, name_of(i));
      add_once(cell.of.model.is_variant() ? variants : models, cell.of.model.label);
    }
    if (names.empty()) return {};
    std::string instead = models.empty() ? "" : "the others are compared with each other";
    if (!variants.empty()) instead += fmt::format("{}variants with their exact model", instead.empty() ? "" : ", and ");
    models.insert(models.end(), variants.begin(), variants.end());
    return fmt::format("{} emulate{} operators of {}, so no speed is divided by that: {}.", listed(names),
                       names.size() == 1 ? "s" : "", listed(models), instead);
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
  const Judged& by_;
  std::string best_;  // "the fastest"
  std::string worse_;
  bool names_threads_ = false;
  bool names_devices_ = false;
};

}  // namespace

std::vector<std::string> answer(const Analysis& analysis, const std::vector<Race>& races, const Judged& by) {
  return Answer(analysis, races, by).sentences();
}

}  // namespace ngb::metrics::series

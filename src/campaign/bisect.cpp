// SPDX-License-Identifier: Apache-2.0
#include "campaign/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/bisection.h"
#include "base/python.h"
#include "base/text.h"
#include "campaign/bisect_folder.h"
#include "campaign/judge_results.h"
#include "campaign/two_sides.h"
#include "store/store.h"
#include "toolchain/pip.h"
#include "toolchain/python.h"
#include "toolchain/requirement.h"
#include "toolchain/toolchain.h"

namespace ngb::campaign {

namespace {

// A step is decided once it is clear on which side of the threshold it is, or that the speeds are this close.
constexpr double kMarginRatio = 0.03;

// Returns whether every device of the last run has finished, so that there is nothing left to measure.
bool is_measured(const std::filesystem::path& results) {
  const std::filesystem::path file = results / "results.db";
  if (!std::filesystem::exists(file)) return false;
  auto store = store::Store::open(file, store::Mode::read_only);
  if (!store) return false;
  const auto runs = store->runs();
  return runs && !runs->empty() && runs->back().is_complete;
}

// Returns whether an error of an installation may be the version's fault, and not the machine's or the network's.
bool may_be_the_versions_fault(const Error& error) {
  switch (error.code) {
    case ErrorCode::other:
    case ErrorCode::not_found:
      return true;
    case ErrorCode::busy:
    case ErrorCode::lost:
    case ErrorCode::disk_full:
    case ErrorCode::no_permission:
    case ErrorCode::unreachable:
    case ErrorCode::unable:
      break;
  }
  return false;
}

// Fails if Python or pip is missing, so that no version can be installed.
Status check_pip() {
  const auto python = toolchain::find_python();
  if (!python) return error_of(python);
  return toolchain::check_pip(*python);
}

}  // namespace

BisectSteps::BisectSteps(const Installation& installation, BisectFolder& folder,
                         toolchain::CompilerDescription compiler, const plan::Plan& plan, metrics::BisectionRules rules,
                         WordsOf words_of, Observer& observer)
    : installation_(installation),
      folder_(folder),
      compiler_(std::move(compiler)),
      label_(folder.question().at("compiler").get<std::string>()),
      contents_(models_of(plan)),
      rules_(std::move(rules)),
      words_of_(std::move(words_of)),
      observer_(observer) {
  for (const config::DeviceEntry& device : plan.study.devices) devices_.push_back(device.name);
}

Answer<BisectStep> BisectSteps::take(const std::string& version) {
  BisectStep step;
  for (const bool again : {false, true}) {
    if (!is_measured(folder_.results_of(version, again))) {
      for (const std::string& needed : {baseline(), version}) {
        const auto why = make_installed(needed);
        if (!why) return tl::unexpected(why.error());
        if (why->empty()) continue;
        if (needed == baseline()) {
          return cannot_go_on({"--from must work, and " + needed + " does not: " + *why, "", ""});
        }
        step.tried = {.version = version, .finding = Finding::unusable, .why = *why};
        return step;
      }
      if (again) {
        observer_.say(
            fmt::format("ngb: bisect: {} is undecided; measuring again, in up to twice as many rounds\n", version));
      }
      if (const auto measured = measure(version, again); !measured) return tl::unexpected(measured.error());
    }
    if (const Status same = check_contents(folder_.results_of(version, again)); !same) {
      return cannot_go_on(same.error());
    }
    auto judged = judge(version, again);
    if (!judged || judged->tried.finding != Finding::undecided || again) return judged;
  }
  return step;
}

Answer<std::string> BisectSteps::make_installed(const std::string& version) {
  const auto present = toolchain::find(installation_.toolchains, compiler_.toolchain, version);
  if (present && present->has_value()) return "";
  if (const auto why = folder_.why_stepped_over(version)) return *why;
  if (const Status usable = check_pip(); !usable) return cannot_go_on(usable.error());
  observer_.say(fmt::format("ngb: bisect: installing {} {}\n", compiler_.toolchain, version));
  const auto done = toolchain::install(installation_.toolchains, compiler_, version,
                                       [this](std::string_view line) { observer_.say(fmt::format("  {}\n", line)); });
  if (done) return "";
  const Error& error = done.error();
  if (!may_be_the_versions_fault(error)) return cannot_go_on(error);
  const bool is_end = version == folder_.versions().front() || version == folder_.versions().back();
  if (!is_end && error.code == ErrorCode::not_found) {
    // The index had this version when the bisection began. If it cannot be listed now, that says nothing.
    const auto listed = toolchain::available_versions(compiler_);
    if (!listed) return cannot_go_on(listed.error());
  }
  if (is_end) return error.next.empty() ? error.what : error.what + "; " + error.next;
  if (const Status kept = folder_.step_over(version, error.what); !kept) {
    return cannot_go_on(kept.error());
  }
  return error.what;
}

Answer<Done> BisectSteps::measure(const std::string& version, bool again) {
  const auto measured = measure_sides(installation_, folder_.study_file(),
                                      {.baseline = label_ + "@" + baseline(),
                                       .candidate = label_ + "@" + version,
                                       .margin_ratio = std::max(kMarginRatio, rules_.threshold_ratio),
                                       .needs_speeds = metrics::is_of_speed(rules_.fault),
                                       .judged = judged_by(),
                                       .rounds_factor = again ? 2 : 1},
                                      folder_.results_of(version, again), observer_);
  if (!measured) return tl::unexpected(measured.error());
  return Done{};
}

// The study's files are read anew by each step, and a file may have been replaced since the search began.
Status BisectSteps::check_contents(const std::filesystem::path& results) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  for (const std::string& device : devices_) {
    const auto of_step = store->contents(device);
    if (!of_step) return error_of(of_step);
    Contents now;
    for (const auto& [name, hashes] : *of_step) {
      const bool is_on_each_device = name.starts_with("toolchain ");
      now.emplace(is_on_each_device ? fmt::format("{} on {}", name, device) : name, hashes);
    }
    if (const std::vector<std::string> names = names_of_changed(contents_, now); !names.empty()) {
      return fail("this step was not measured with what the bisection began with: " + text::join(names, "; "),
                  results.string(),
                  "restore what has changed, remove this folder and repeat the command; or choose another folder with "
                  "--output");
    }
    contents_.merge(now);
  }
  return Done{};
}

std::vector<metrics::Judged> BisectSteps::judged_by() const {
  return rules_.fault == metrics::Fault::worse ? std::vector{rules_.by} : std::vector<metrics::Judged>{};
}

Answer<BisectStep> BisectSteps::judge(const std::string& version, bool again) const {
  const std::filesystem::path results = folder_.results_of(version, again);
  const auto judged = judge_results({.sides = {{{results / "results.db", {}}}},
                                     .axis = metrics::Axis::version,
                                     .baseline = baseline(),
                                     .candidate = version,
                                     .judged = judged_by()},
                                    trusted_cache(installation_));
  if (!judged) {
    Refusal refusal = judged.error();
    refusal.text += fmt::format("ngb: bisect: to measure {} again, remove {}\n", version, results.string());
    return tl::unexpected(std::move(refusal));
  }
  const metrics::BisectionStep verdict = metrics::judge_step(judged->comparison, rules_);
  BisectStep step{.tried = {.version = version, .finding = verdict.finding, .results = results.string()},
                  .bad_cells = verdict.bad_cells,
                  .cells = judged->comparison.pairs.size()};
  if (verdict.decisive == nullptr) {
    step.tried.why = "none of the cells that count was measured";
    return step;
  }
  const metrics::ComparedPair& pair = *verdict.decisive;
  step.has_failed_baseline = metrics::has_failed_baseline(pair);
  PairWords words = words_of_(judged->comparison, pair);
  step.tried.cell = std::move(words.cell);
  step.tried.why = std::move(words.why);
  step.tried.processes = static_cast<int>(pair.of_candidate->steady.processes);
  if (pair.status == metrics::PairStatus::judged) step.tried.contrast = pair.judgement.contrast;
  return step;
}

namespace {

using metrics::Bisected;
using nlohmann::json;

// Returns what the folder is about. The fault is not part of it: what is measured for one search answers another one,
// too. The content of the files that the study names is part of it, so that no half of a search is of another model.
json question_of(const BisectionOrder& order) {
  json contents = json::object();
  for (const work::Model& model : order.plan.models) {
    contents[fmt::format("{}, batch {}", model.label, model.key.batch)] = model.key.hash;
  }
  json question{{"study", config::to_json(order.plan.study)},
                {"model_contents", std::move(contents)},
                {"compiler", order.compiler},
                {"from", order.from},
                {"to", order.to}};
  const metrics::Metric* const metric = order.rules.by.metric;
  if (metric != nullptr && metric->needs != nullptr) question["study"][metric->needs] = true;
  return question;
}

// Returns the versions to search, from pip's index. Fails if an end is neither there nor installed.
Result<std::vector<std::string>> list_versions(const Installation& installation, const std::string& from,
                                               const std::string& to, const toolchain::CompilerDescription& compiler) {
  const auto all = toolchain::available_versions(compiler);
  if (!all) return error_of(all);
  const std::string python = python::default_command();
  for (const std::string& end : {from, to}) {
    const auto installed = toolchain::find(installation.toolchains, compiler.toolchain, end);
    const bool is_there = installed && installed->has_value();
    if (is_there || std::find(all->begin(), all->end(), end) != all->end()) continue;
    const auto near = toolchain::nearest_versions(python, compiler.toolchain + "==" + end, *all);
    return fail(fmt::format("no such version: {} {}", compiler.toolchain, end), "",
                near ? "versions near it: " + text::join(*near, ", ") : "");
  }
  return toolchain::versions_between(python, from, to, *all);
}

// Returns the bisection in the folder, or a new one.
Answer<BisectFolder> open_bisection(const Installation& installation, const BisectionOrder& order) {
  const std::filesystem::path& path = order.folder;
  const json question = question_of(order);
  auto found = BisectFolder::find(path);
  if (!found) return cannot_go_on(found.error());
  if (found->has_value()) {
    const std::vector<std::string> differences = (**found).differences(question);
    if (differences.empty()) return **std::move(found);
    return wrong_usage({"this folder has another bisection, which differs in: " + text::join(differences, ", "),
                        path.string(), "repeat the command that began it, or choose another folder with --output"});
  }
  if (const auto python = toolchain::find_python(); !python) return cannot_go_on(python.error());
  const std::string& from = order.from;
  const std::string& to = order.to;
  if (const auto ends = toolchain::versions_between(python::default_command(), from, to, {}); !ends) {
    return wrong_usage({ends.error().what, ends.error().where, "--from is the older version, --to the newer one"});
  }
  auto versions = list_versions(installation, from, to, order.description);
  if (!versions) return cannot_go_on(versions.error());
  auto made = BisectFolder::create(path, question, *std::move(versions));
  if (!made) return cannot_go_on(made.error());
  return *std::move(made);
}

// Checks that the search can begin: the baseline works, and the last version was measured. Returns the reason if not.
std::optional<Error> problem_of_ends(const BisectStep& last, const Bisected& bisected) {
  const std::string& from = bisected.versions.front();
  const std::string& to = bisected.versions.back();
  if (last.tried.finding != Finding::unusable) return std::nullopt;
  if (last.has_failed_baseline) {
    return Error{fmt::format("--from must work, and {} {} does not: {}", bisected.compiler, from, last.tried.why),
                 last.tried.results, "choose another version as --from"};
  }
  const std::string next = bisected.fault == metrics::Fault::fails
                               ? "choose another version as --to"
                               : "choose another version as --to, or search for the first failing one with --fails "
                                 "(--inaccurate: with wrong outputs)";
  return Error{fmt::format("--to cannot be judged: {} {}: {}", bisected.compiler, to, last.tried.why),
               last.tried.results, next};
}

void tell_of_step(const Bisected& bisected, const metrics::TriedVersion& tried, Observer& observer) {
  observer.say(fmt::format("ngb: bisect: {} {}: {}{}\n", bisected.compiler, tried.version,
                           metrics::word_of(tried.finding, bisected.fault),
                           tried.finding == Finding::unusable && !tried.why.empty() ? ": " + tried.why : ""));
}

// Searches between the two ends. A step that could not be taken is a refusal.
Answer<Done> search(BisectSteps& steps, Bisected& bisected, Observer& observer) {
  const std::vector<std::string>& versions = bisected.versions;
  const auto stopped = [&bisected](Refusal refusal) {
    refusal.text += fmt::format(
        "ngb: bisect: nothing is lost: what was measured is in {}; the same command continues\n", bisected.folder);
    return tl::unexpected(std::move(refusal));
  };
  auto last = steps.take(versions.back());
  if (!last) return stopped(last.error());
  if (const auto problem = problem_of_ends(*last, bisected)) return cannot_go_on(*problem);
  tell_of_step(bisected, last->tried, observer);
  bisected.cells = last->cells;
  bisected.cells_that_count = last->bad_cells.size();
  std::vector<std::optional<metrics::TriedVersion>> tried(versions.size());
  std::vector<std::optional<Finding>> findings(versions.size());
  findings.front() = Finding::good;
  findings.back() = last->tried.finding;
  tried.back() = std::move(last->tried);
  if (findings.back() == Finding::bad) {
    steps.count_only(std::move(last->bad_cells));
    bisected.end = ngb::bisect(findings);
    while (bisected.end->next) {
      const std::size_t next = *bisected.end->next;
      observer.say(fmt::format("ngb: bisect: trying {} {}; about {} step{} left\n", bisected.compiler, versions[next],
                               bisected.end->steps_left, bisected.end->steps_left == 1 ? "" : "s"));
      auto step = steps.take(versions[next]);
      if (!step) return stopped(step.error());
      tell_of_step(bisected, step->tried, observer);
      findings[next] = step->tried.finding;
      tried[next] = std::move(step->tried);
      bisected.end = ngb::bisect(findings);
    }
  }
  for (auto& each : tried) {
    if (each) bisected.tried.push_back(*std::move(each));
  }
  return Done{};
}

}  // namespace

Answer<Bisected> bisect(const Installation& installation, const BisectionOrder& order, Observer& observer) {
  auto folder = open_bisection(installation, order);
  if (!folder) return tl::unexpected(folder.error());
  Bisected bisected{.compiler = order.compiler,
                    .fault = order.rules.fault,
                    .threshold_ratio = order.rules.threshold_ratio,
                    .by = order.rules.by,
                    .versions = folder->versions(),
                    .folder = order.folder.string()};
  observer.say(
      fmt::format("ngb: bisect: {} versions: {}\n", bisected.versions.size(), text::join(bisected.versions, ", ")));
  BisectSteps steps(installation, *folder, order.description, order.plan, order.rules, order.words_of, observer);
  if (const auto searched = search(steps, bisected, observer); !searched) return tl::unexpected(searched.error());
  return bisected;
}

}  // namespace ngb::campaign

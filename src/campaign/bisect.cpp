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
#include "campaign/bisect_steps.h"
#include "toolchain/python.h"
#include "toolchain/requirement.h"
#include "toolchain/toolchain.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;
using report::Bisected;

// Returns what the folder is about. The fault is not part of it: what is measured for one search answers another one,
// too. The content of the files that the study names is part of it, so that no half of a search is of another model.
json question_of(const BisectionOrder& order) {
  json contents = json::object();
  for (const work::Model& model : order.plan.models) {
    contents[fmt::format("{}, batch {}", model.label, model.key.batch)] = model.key.hash;
  }
  return {{"study", config::to_json(order.plan.study)},
          {"model_contents", std::move(contents)},
          {"compiler", order.compiler},
          {"from", order.from},
          {"to", order.to}};
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

void tell_of_step(const Bisected& bisected, const report::TriedVersion& tried, Observer& observer) {
  observer.say(fmt::format("ngb: bisect: {} {}: {}{}\n", bisected.compiler, tried.version,
                           report::word_of(tried.finding, bisected.fault),
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
  std::vector<std::optional<report::TriedVersion>> tried(versions.size());
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
                    .versions = folder->versions(),
                    .folder = order.folder.string()};
  observer.say(
      fmt::format("ngb: bisect: {} versions: {}\n", bisected.versions.size(), text::join(bisected.versions, ", ")));
  BisectSteps steps(installation, *folder, order.description, order.plan, order.rules, observer);
  if (const auto searched = search(steps, bisected, observer); !searched) return tl::unexpected(searched.error());
  return bisected;
}

}  // namespace ngb::campaign

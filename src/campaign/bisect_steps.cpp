// SPDX-License-Identifier: Apache-2.0
#include "campaign/bisect_steps.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "campaign/gate_study.h"
#include "campaign/judge_results.h"
#include "report/compare/outcomes.h"
#include "report/words.h"
#include "store/store.h"
#include "toolchain/pip.h"
#include "toolchain/python.h"
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
                         Observer& observer)
    : installation_(installation),
      folder_(folder),
      compiler_(std::move(compiler)),
      label_(folder.question().at("compiler").get<std::string>()),
      contents_(models_of(plan)),
      rules_(std::move(rules)),
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

Answer<BisectStep> BisectSteps::judge(const std::string& version, bool again) const {
  const std::filesystem::path results = folder_.results_of(version, again);
  const auto judged = judge_results({.sides = {{{results / "results.db", {}}}},
                                     .axis = metrics::Axis::version,
                                     .baseline = baseline(),
                                     .candidate = version},
                                    installation_.cache);
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
  step.tried.cell = report::workload_on_device(*pair.candidate);
  report::Compared compared;
  compared.comparison = &judged->comparison;
  compared.axis = judged->axis;
  step.tried.why = report::why(compared, pair);
  step.tried.processes = static_cast<int>(pair.candidate->processes.size());
  if (pair.status == metrics::PairStatus::judged) step.tried.speeds = pair.judgement.contrast;
  return step;
}

}  // namespace ngb::campaign

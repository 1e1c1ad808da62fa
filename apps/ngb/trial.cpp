// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/ngb/run_display.h"
#include "apps/ngb/terminal.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/scratch_folder.h"
#include "campaign/measure.h"
#include "campaign/models_study.h"
#include "campaign/prepared_models.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "plan/graph_shapes.h"
#include "store/store.h"

namespace ngb::app {
namespace {

tl::unexpected<ExitCode> no_trial(const Error& error) {
  report_failure(error, kCannotGoOn);
  return tl::unexpected(kCannotGoOn);
}

// Returns the quickstart's compilers that are installed.
tl::expected<nlohmann::json, ExitCode> compilers_to_try(const Installation& installation) {
  const auto quickstart = campaign::quickstart_compilers(installation);
  if (!quickstart) return no_trial(quickstart.error());
  const auto installed = campaign::installed_compilers(installation);
  if (!installed) return no_trial(installed.error());
  nlohmann::json names = nlohmann::json::array();
  for (const std::string& each : *quickstart) {
    if (std::find(installed->begin(), installed->end(), each) != installed->end()) names.push_back(each);
  }
  if (!names.empty()) return names;
  return no_trial({"no compiler is installed", "", "run: ngb toolchain install"});
}

// Returns what a study says of its cells; for an ONNX file, that of a study that names it.
tl::expected<nlohmann::json, ExitCode> cells_of(const Installation& installation, const std::filesystem::path& file) {
  if (file.extension() == ".onnx") {
    auto compilers = compilers_to_try(installation);
    if (!compilers) return tl::unexpected(compilers.error());
    return nlohmann::json{{"models", {{{"onnx", std::filesystem::absolute(file).string()}}}},
                          {"compilers", *compilers}};
  }
  const auto plan = campaign::plan_study(installation, file, print_error);
  if (!plan) return tl::unexpected(report_refusal(plan.error()));
  const nlohmann::json study = config::to_json(plan->study);
  nlohmann::json cells;
  for (const char* key : {"models", "compilers", "batch_sizes", "threads", "precision", "reference",
                          "reference_version", "seed", "tolerances", "timeouts"}) {
    if (study.contains(key) && !study[key].is_null()) cells[key] = study[key];
  }
  return cells;
}

tl::expected<plan::Plan, ExitCode> plan_trial(const Installation& installation, const std::filesystem::path& file,
                                              const std::filesystem::path& folder) {
  auto study = cells_of(installation, file);
  if (!study) return tl::unexpected(study.error());
  study->update({{"name", "trial"},
                 {"processes", 1},
                 {"warm_up", 0},
                 {"repetitions", 2},
                 {"min_repetition_ms", 0},
                 {"disturbance", {{"attempts", 1}, {"wait_s", 0}, {"max_wait_percent", 100}}},
                 {"output", (folder / "results").string()}});
  const std::filesystem::path written = folder / "trial.yaml";
  if (const Status kept = file::write_atomically(written, json_text::dump(*study, 2) + "\n"); !kept) {
    return no_trial(kept.error());
  }
  auto plan = campaign::plan_study(installation, written, print_error);
  if (!plan) return tl::unexpected(report_refusal(plan.error()));
  return *std::move(plan);
}

std::string outcome_of(const store::CellData& cell) {
  const auto& done = cell.processes.empty() ? cell.failed : cell.processes;
  if (done.empty()) return "did not run";
  const store::RecordedProcess& last = done.back();
  if (last.failure) {
    const std::string& advice = last.failure->advice;
    return fmt::format("fails ({}): {}{}", samples::name(last.failure->kind), last.failure->first_line(),
                       advice.empty() ? "" : "; " + advice);
  }
  std::string text = "runs";
  if (last.check && last.check->reference != "none") text += "; outputs agree with those of " + last.check->reference;
  const auto left_out = last.facts.find("outputs_not_compared");
  return left_out == last.facts.end() ? text : text + "; not compared: " + left_out->second;
}

// Prints a line for each cell. Returns kSomeCellsFailed if one failed.
int print_outcomes(const std::vector<store::CellData>& cells) {
  std::size_t width = 0;
  for (const store::CellData& cell : cells) width = std::max(width, cell.of.compiler.label.size());
  std::string title;
  bool has_failed = false;
  for (const store::CellData& cell : cells) {
    const std::string next = fmt::format("{}, batch {}", cell.of.model.label, cell.of.model.key.batch);
    if (next != title) print_out((title.empty() ? "" : "\n") + next + "\n");
    title = next;
    print_out(fmt::format("  {:{}}  {}\n", cell.of.compiler.label, width, outcome_of(cell)));
    has_failed = has_failed || cell.processes.empty();
  }
  return has_failed ? kSomeCellsFailed : kSuccess;
}

}  // namespace

int try_models(const Installation& installation, const std::filesystem::path& file) {
  const auto scratch = ScratchFolder::temporary("ngb-trial");
  if (!scratch) return report_failure(scratch.error(), kCannotGoOn);
  auto plan = plan_trial(installation, file, scratch->path());
  if (!plan) return plan.error();
  const auto compilers = campaign::Compilers::find(installation, *plan);
  if (!compilers) return report_failure(compilers.error(), kCannotGoOn);
  const auto notes = plan::notes_on_files(*plan, campaign::find_onnx_package(installation));
  const std::filesystem::path results = plan->study.output / "results.db";
  Installation elsewhere = installation;
  elsewhere.cache = CacheFolder(scratch->path() / "cache");  // what a trial takes says nothing about runs
  RunDisplay display({.hides_speeds = true});
  const auto measured = campaign::measure_plan(elsewhere, *std::move(plan), *compilers, display);
  if (!measured) return report_refusal(measured.error());
  auto store = store::Store::open(results, store::Mode::read_only);
  if (!store) return report_failure(store.error(), kCannotGoOn);
  const auto cells = store->load_cells(store::Detail::full);
  if (!cells) return report_failure(cells.error(), kCannotGoOn);
  const int code = print_outcomes(*cells);
  for (const std::string& note : notes) print_out("\nNote: " + note + "\n");
  return code;
}

}  // namespace ngb::app

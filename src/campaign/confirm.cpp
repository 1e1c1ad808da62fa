// SPDX-License-Identifier: Apache-2.0
#include "campaign/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "campaign/measure.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "config/study.h"
#include "config/study_json.h"
#include "store/store.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

// Keeps the elements of a list at the places where `is_wanted` holds for the other list's element.
template <class List, class IsWanted>
json kept_of(const json& entries, const List& list, const IsWanted& is_wanted) {
  json kept = json::array();
  for (std::size_t i = 0; i < entries.size() && i < list.size(); ++i) {
    if (is_wanted(list[i])) kept.push_back(entries[i]);
  }
  return kept;
}

// Returns the device's name in the file.
std::string name_in(const store::Source& source, const std::string& device) {
  for (const auto& [name, shown] : source.device_names) {
    if (shown == device) return name;
  }
  return device;
}

// Makes each variant a model of its own, with the inputs of its exact model: its speed is asked for, and the exact
// model is not measured.
config::Study without_variants(config::Study study) {
  for (config::ModelEntry& entry : study.models) {
    if (entry.variant_of.empty()) continue;
    for (const config::ModelEntry& exact : study.models) {
      if (exact.label == entry.variant_of) entry.inputs = exact.inputs;
    }
    entry.variant_of.clear();
    entry.quantise.reset();  // its file was made
  }
  for (config::ModelEntry& entry : study.models) entry.data.reset();
  return study;
}

// Returns the study of this configuration alone, or nothing if the study does not measure it.
std::optional<json> reduced(const config::Study& study, const store::CellData& cell, const std::string& device) {
  json whole = config::to_json(study);
  whole["models"] = kept_of(whole["models"], study.models,
                            [&](const config::ModelEntry& each) { return cell.of.model.label == each.label; });
  whole["compilers"] = kept_of(whole["compilers"], study.compilers, [&](const work::Compiler& each) {
    return each.label == cell.of.compiler.label && each.version == cell.of.compiler.version;
  });
  whole["devices"] =
      kept_of(whole["devices"], study.devices, [&](const config::DeviceEntry& each) { return each.name == device; });
  whole["loads"] = kept_of(whole["loads"], study.loads,
                           [&](const work::Load& each) { return config::name_of_load(each) == cell.of.load; });
  for (const char* const key : {"models", "compilers", "devices", "loads"}) {
    if (whole[key].size() != 1) return std::nullopt;
  }
  whole["batch_sizes"] = json::array({cell.of.model.key.batch});
  for (const char* const key : {"pairs", "baseline", "rounds", "stop_when"}) whole.erase(key);
  return whole;
}

// Returns the study of the folder that has measured the configuration, reduced to it.
Answer<json> study_of(const Installation& installation, const std::vector<store::Source>& sources,
                      const store::CellData& cell, const Say& say) {
  for (const store::Source& source : sources) {
    const std::filesystem::path file = source.file.parent_path() / kStudyFile;
    std::error_code code;
    if (!std::filesystem::exists(file, code)) continue;
    const auto plan = plan_study(installation, file, say);
    if (!plan) return tl::unexpected(plan.error());
    if (auto study = reduced(without_variants(plan->study), cell, name_in(source, cell.of.device)))
      return *std::move(study);
  }
  return wrong_usage({"no study of these results measures " + cell.of.compiler.label + " on " + cell.of.device,
                      "--confirm", "name the results folder of the `ngb run` that measured it"});
}

// Makes it the study of the requests, which its processes share, and says how long they take.
void ask_for(json& study, const Serving& serving, const Say& say) {
  constexpr double kPatience = 3;  // times the expected duration, before a process is given up
  const auto batch = static_cast<std::size_t>(serving.cell->of.model.key.batch);
  const std::size_t batches = (serving.requests + batch - 1) / batch;
  const auto processes = std::min(study["processes"].get<std::size_t>(), batches);
  const std::size_t of_process = (batches + processes - 1) / processes * batch;
  const double expected_s = static_cast<double>(of_process) * std::max(serving.busy_s, 1 / serving.requests_per_s);
  study["arrivals"] = {{"requests_per_s", serving.requests_per_s}, {"requests", of_process}};
  study["processes"] = processes;
  study["min_repetition_ms"] = 0;
  study["best_options"] = false;
  study["timeouts"]["run_s"] = study["timeouts"]["run_s"].get<double>() + std::ceil(kPatience * expected_s);
  say(fmt::format("ngb: choose: {} processes answer {} requests each, at {:g}/s: {} together\n", processes, of_process,
                  serving.requests_per_s, text::human_duration(expected_s * static_cast<double>(processes))));
}

// Returns the only cell of the results, with everything that was measured of it.
Result<store::CellData> only_cell(const std::filesystem::path& results) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  auto cells = store->load_cells(store::Detail::full);
  if (!cells) return error_of(cells);
  for (store::CellData& cell : *cells) {
    if (!cell.processes.empty() && !cell.processes.front().latencies_ns.empty()) return std::move(cell);
  }
  const bool has_failed = !cells->empty() && !cells->front().failed.empty() && cells->front().failed.back().failure;
  return fail(has_failed ? "it failed: " + cells->front().failed.back().failure->first_line() : "nothing was measured",
              results.string(), "to see why, run: ngb show " + results.string());
}

}  // namespace

Answer<Served> serve(const Installation& installation, const std::vector<store::Source>& sources,
                     const Serving& serving, const std::string& output, Observer& observer) {
  const Say say = saying(observer);
  auto study = study_of(installation, sources, *serving.cell, say);
  if (!study) return tl::unexpected(study.error());
  ask_for(*study, serving, say);
  const std::filesystem::path folder =
      output.empty() ? std::filesystem::path((*study)["output"].get<std::string>() + "-confirm") / time_folder()
                     : std::filesystem::absolute(output);
  (*study)["output"] = folder.string();
  auto plan = plan_made_study(installation, *study, say);
  if (!plan) return tl::unexpected(plan.error());
  const auto compilers = Compilers::find(installation, *plan);
  if (!compilers) return cannot_go_on(compilers.error());
  const auto done = measure_plan(installation, *std::move(plan), *compilers, observer);
  if (!done) return tl::unexpected(done.error());
  auto cell = only_cell(folder);
  if (!cell) return cannot_go_on(cell.error());
  return Served{*std::move(cell), folder};
}

}  // namespace ngb::campaign

// SPDX-License-Identifier: Apache-2.0
#include "campaign/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "campaign/cell_study.h"
#include "campaign/measure.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "store/store.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

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
  auto study = study_of_cell(installation, sources, *serving.cell, "--confirm", say);
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

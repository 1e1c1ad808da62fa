// SPDX-License-Identifier: Apache-2.0
#include "exports/fresh_run.h"

#include <nlohmann/json.hpp>

#include "campaign/measured_cells.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"

namespace ngb::exports {

using campaign::cannot_go_on;
using nlohmann::json;

campaign::Answer<store::CellData> measure_once(const campaign::Installation& installation, json study,
                                               const Extent& extent, const std::filesystem::path& results,
                                               campaign::Observer& observer) {
  study.update({{"devices", {"local"}},
                {"processes", 1},
                {"turns", 1},
                {"repetitions", extent.repetitions},
                {"min_repetition_ms", 0},
                {"longer_look_s", 0},
                {"best_options", false},
                {"output", results.string()}});
  study["warm_up"] = extent.warms_up ? json("auto") : json(0);
  const auto plan = campaign::plan_made_study(installation, study, campaign::saying(observer));
  if (!plan) return tl::unexpected(plan.error());
  const auto compilers = campaign::Compilers::find(installation, *plan);
  if (!compilers) return cannot_go_on(compilers.error());
  auto cells = campaign::measured_cells(installation, *plan, *compilers, observer);
  if (!cells) return tl::unexpected(cells.error());
  if (cells->empty()) return cannot_go_on({"nothing was measured", results.string(), ""});
  store::CellData& cell = cells->front();
  if (!cell.processes.empty()) return std::move(cell);
  const bool has_failed = !cell.failed.empty() && cell.failed.back().failure;
  return cannot_go_on(
      {has_failed ? "the cell failed: " + cell.failed.back().failure->first_line() : "the cell was not measured",
       cell.of.compiler.label, has_failed ? cell.failed.back().failure->advice : ""});
}

}  // namespace ngb::exports

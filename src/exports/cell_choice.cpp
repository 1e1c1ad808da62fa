// SPDX-License-Identifier: Apache-2.0
#include "exports/cell_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "metrics/outcome.h"
#include "metrics/ratios.h"
#include "report/results.h"
#include "report/words.h"
#include "work/load.h"

namespace ngb::exports {
namespace {

using Cells = std::vector<const store::CellData*>;

Result<Cells> passing(const std::vector<store::CellData>& cells, const Wanted& wanted) {
  report::CellFilter filter(wanted.filters);
  Cells found;
  for (const store::CellData& cell : cells) {
    if (filter.add(cell) && cell.cell_id.starts_with(wanted.id)) found.push_back(&cell);
  }
  if (const Status known = filter.check(); !known) return error_of(known);
  if (!found.empty()) return found;
  return fail("no cell has an id that begins so", wanted.id, "ngb show RESULTS --json lists the ids");
}

Result<const store::CellData*> fastest_of(const Cells& cells) {
  const store::CellData* best = nullptr;
  double highest = 0;
  for (const store::CellData* const cell : cells) {
    if (best != nullptr && !report::is_same_workload_on_device(*best, *cell)) continue;
    const metrics::Value speed = speed_of(*cell);
    if (!speed.value || *speed.value <= highest || !check_exportable(*cell)) continue;
    highest = *speed.value;
    best = cell;
  }
  if (best != nullptr) return best;
  return fail("none of these cells has a speed that a program can reach: " + speed_of(*cells.front()).reason);
}

}  // namespace

metrics::Value speed_of(const store::CellData& cell) {
  const metrics::Steady steady = metrics::steady(cell);
  if (steady.throughput_by_process.empty()) return {.reason = steady.reason};
  return metrics::geometric_mean(steady.throughput_by_process, metrics::interval_error_rate(cell));
}

std::string title_of(const store::CellData& cell) {
  const work::Compiler& compiler = cell.of.compiler;
  std::string title =
      fmt::format("{}, batch {}, {} {}", cell.of.model.label, cell.of.model.key.batch, compiler.name, compiler.version);
  if (!compiler.options.empty()) title += fmt::format(" ({})", text::join(work::words_of(compiler.options), ", "));
  return fmt::format("{}, {}, {}", title, report::threads_of(cell), compiler.precision);
}

Status check_exportable(const store::CellData& cell) {
  const work::Compiler& compiler = cell.of.compiler;
  const std::string where = title_of(cell);
  if (cell.is_profile) return fail("it was measured for a profile and has no speed", where, "name results of ngb run");
  if (cell.of.load != work::kNoLoad) {
    return fail("it was measured beside a load (" + cell.of.load + "), which a program cannot bring along", where,
                "choose its cell without a load: --load none");
  }
  if (compiler.instances > 1) {
    return fail(fmt::format("it was measured in {} processes at once; a program is one of them", compiler.instances),
                where, "choose its cell with one instance");
  }
  if (compiler.in_flight != 1) {
    return fail("it was measured with " + work::word_of_in_flight(compiler) +
                    " inferences in flight, for which programs are not written yet",
                where, "choose a cell with one inference at a time");
  }
  if (!cell.processes.empty() && !cell.processes.front().latencies_ns.empty()) {
    return fail("it was measured under requests that arrive at random; a program answers its own", where,
                "name results that were measured without arrivals");
  }
  const metrics::Value speed = speed_of(cell);
  return speed.value ? Status{} : Status(fail("it has no speed: " + speed.reason, where, "measure it first: ngb run"));
}

Result<const store::CellData*> choose_cell(const std::vector<store::CellData>& cells, const Wanted& wanted) {
  const Result<Cells> found = passing(cells, wanted);
  if (!found) return error_of(found);
  if (wanted.fastest) return fastest_of(*found);
  if (found->size() == 1) return found->front();
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, found->size()); ++i) {
    list += fmt::format("\n  {}  {}", (*found)[i]->cell_id, title_of(*(*found)[i]));
  }
  if (found->size() > kShown) list += "\n  …";
  return fail(fmt::format("{} cells are meant, and one can be exported at a time", found->size()), {},
              "name one by its id, choose with --model, --batch and --compiler, or give --fastest:" + list);
}

}  // namespace ngb::exports

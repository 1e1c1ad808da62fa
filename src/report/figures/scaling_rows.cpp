// SPDX-License-Identifier: Apache-2.0
// The rows of the figure of speed over processors: more threads of one instance against more instances.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "report/figures/rows.h"
#include "work/property.h"

namespace ngb::report::figures {
namespace {

using store::CellData;
using Cells = std::vector<const CellData*>;

int processors_of(const CellData& cell) { return cell.of.threads.value_or(0) * cell.of.compiler.instances; }

// Returns the cells that differ in threads and instances alone, of each such group.
std::vector<Cells> scaled_groups(const Selection& selection) {
  using work::Role;
  std::map<std::string, std::size_t> places;
  std::vector<Cells> groups;
  for (const CellData* cell : selection.cells()) {
    if (processors_of(*cell) == 0) continue;
    const std::string key =
        work::key_of(cell->of, {Role::device, Role::compute_device, Role::model, Role::batch, Role::compiler,
                                Role::version, Role::options, Role::precision, Role::load});
    const auto [place, is_new] = places.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(cell);
  }
  std::erase_if(groups, [](const Cells& cells) {
    std::set<int> counts;
    for (const CellData* cell : cells) counts.insert(processors_of(*cell));
    return counts.size() < 2;
  });
  return groups;
}

// Returns the cell of one instance on the fewest processors; null if all have several.
const CellData* least_of(const Cells& cells) {
  const CellData* least = nullptr;
  for (const CellData* cell : cells) {
    if (cell->of.compiler.instances > 1) continue;
    if (least == nullptr || processors_of(*cell) < processors_of(*least)) least = cell;
  }
  return least;
}

// Returns T over what as many processors would give if each gave as much as one of `least`.
Number efficiency(const Selection& selection, const CellData& cell, const CellData* least) {
  if (least == nullptr) return {.reason = "measured with several instances only", .of = &cell};
  Number ratio = selection.results().numbers.ratio(cell, *least);
  const double share = static_cast<double>(processors_of(*least)) / processors_of(cell);
  for (auto* part : {&ratio.value, &ratio.low, &ratio.high}) {
    if (*part) **part *= share;
  }
  ratio.of = &cell;
  return ratio;
}

// Returns the lines on which the cell is: that of one instance, and that of instances with its threads if there are
// some.
std::vector<std::string> lines_through(const CellData& cell, const Cells& cells) {
  const int threads = cell.of.threads.value_or(0);
  const std::string of_instances = fmt::format("instances of {} thread{}", threads, threads == 1 ? "" : "s");
  if (cell.of.compiler.instances > 1) return {of_instances};
  const bool begins_one = std::ranges::any_of(cells, [&](const CellData* other) {
    return other->of.compiler.instances > 1 && other->of.threads == cell.of.threads;
  });
  return begins_one ? std::vector<std::string>{"threads of one instance", of_instances}
                    : std::vector<std::string>{"threads of one instance"};
}

void add_points(const Selection& selection, const CellData& cell, const Cells& cells, std::vector<Row>& rows) {
  const std::string name = text::visible(cell.of.compiler.name);
  Row form = row_of(
      selection, cell,
      selection.with_device(
          fmt::format("{}, batch {}, {}", text::visible(cell.of.model.label), cell.of.model.key.batch, name), cell));
  form["threads"] = cell.of.threads.value_or(0);
  form["instances"] = cell.of.compiler.instances;
  form["processors"] = processors_of(cell);
  const Number speed = number_of(selection, cell, "throughput_per_s");
  const Number shared = efficiency(selection, cell, least_of(cells));
  for (const std::string& line : lines_through(cell, cells)) {
    form["line"] = line;
    for (const auto& [quantity, number] :
         {std::pair{"throughput (samples/s)", &speed}, std::pair{"efficiency (ratio)", &shared}}) {
      Row row = form;
      row["quantity"] = quantity;
      add_number(row, "value", *number, state_of(cell));
      rows.push_back(std::move(row));
    }
  }
}

}  // namespace

Rows scaling(const Selection& selection) {
  std::vector<Row> rows;
  for (const Cells& cells : scaled_groups(selection)) {
    for (const CellData* cell : cells) add_points(selection, *cell, cells, rows);
  }
  return rows_with(std::move(rows), "value", "no compiler was measured on several numbers of processors");
}

}  // namespace ngb::report::figures

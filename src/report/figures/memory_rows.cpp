// SPDX-License-Identifier: Apache-2.0
// The rows of the figure of memory over inferences: the marks of the processes of cells that keep memory.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "report/figures/rows.h"
#include "samples/process_numbers.h"

namespace ngb::report::figures {
namespace {

constexpr std::size_t kMostGrowing = 12;  // cells
constexpr std::size_t kMostMarksDrawn = 200;

bool is_growing(const Selection& selection, const store::CellData& cell) {
  return std::ranges::any_of(selection.results().numbers.flags(cell), [](const metrics::RaisedFlag& raised) {
    return std::string_view(raised.flag->name) == "growing_memory";
  });
}

// Returns whether the cell has marks, which become rows.
bool add_marks(const Selection& selection, const store::CellData& cell, const store::CellData& measured,
               std::vector<Row>& rows) {
  const std::size_t before = rows.size();
  Row form = row_of(selection, cell,
                    selection.with_device(fmt::format("{}, batch {}, {}", text::visible(cell.of.model.label),
                                                      cell.of.model.key.batch, selection.compiler(cell)),
                                          cell));
  for (const store::RecordedProcess& process : measured.processes) {
    form["process"] = process.process_index;
    for (const samples::MemoryMark& mark : samples::memory_marks(process, kMostMarksDrawn)) {
      Row row = form;
      row["at_s"] = static_cast<double>(mark.at_ns) * 1e-9;
      row["inferences"] = mark.count;
      row["memory_bytes"] = mark.bytes;
      rows.push_back(std::move(row));
    }
  }
  return rows.size() > before;
}

}  // namespace

Rows memory_over_inferences(const Selection& selection) {
  Rows made;
  std::size_t growing = 0;
  std::size_t drawn = 0;
  for (const store::CellData* cell : selection.cells()) {
    if (!is_growing(selection, *cell)) continue;
    ++growing;
    if (drawn == kMostGrowing) continue;
    const std::optional<store::CellData> measured = selection.load(*cell);
    if (measured && add_marks(selection, *cell, *measured, made.rows)) ++drawn;
  }
  if (made.rows.empty()) {
    made.why_none = growing == 0 ? "no cell keeps memory of each inference"
                                 : "the memory of cells that keep some was not read at marks";
    return made;
  }
  if (growing > drawn) made.remark = fmt::format("{} of {} cells that keep memory are shown", drawn, growing);
  return made;
}

}  // namespace ngb::report::figures

// SPDX-License-Identifier: Apache-2.0
#include "report/page/labels.h"
#include "base/text.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "report/columns.h"
#include "report/page/html.h"
#include "report/words.h"

namespace ngb::report::page {

using store::CellData;

namespace {

// Returns "2 threads" or "all threads", as the study asks for them: a cell that was not measured yet has no number, and
// is called as it will be.
std::string threads_asked_of(const CellData& cell) {
  return cell.of.compiler.threads_asked.empty() ? threads_of(cell) : cell.of.compiler.threads_asked + " threads";
}

}  // namespace

Labels::Labels(const Content& content) {
  std::set<std::string> threads;
  std::set<std::string> precisions;
  for (const CellData* cell : content.results->cells) {
    threads.insert(threads_asked_of(*cell));
    precisions.insert(cell->of.compiler.precision);
  }
  has_several_compute_devices_ = are_on_several_compute_devices(content.results->cells);
  has_several_threads_ = threads.size() > 1;
  has_several_precisions_ = precisions.size() > 1;
  for (const Detail detail : {Detail::options, Detail::cell_id}) {
    if (are_ambiguous(content)) detail_ = detail;
  }
}

bool Labels::are_ambiguous(const Content& content) const {
  using Name = std::tuple<std::string, std::string, int, std::string>;
  std::set<Name> seen;
  const auto& cells = content.results->cells;
  return !std::all_of(cells.begin(), cells.end(), [&](const CellData* cell) {
    return seen.emplace(device(*cell), cell->of.model.label, cell->of.model.key.batch, compiler(*cell)).second;
  });
}

std::string Labels::device(const CellData& cell) const {
  std::string label = text::visible(cell.of.device);
  if (has_several_compute_devices_) label += ", " + text::visible(compute_device_of(cell));
  if (is_loaded(cell)) label += ", load " + text::visible(cell.of.load);
  return label;
}

std::string Labels::compiler(const CellData& cell) const {
  std::string label = text::visible(compiler_in_words(cell));
  if (has_several_threads_) label += ", " + text::visible(threads_asked_of(cell));
  if (has_several_precisions_) label += ", " + text::visible(cell.of.compiler.precision);
  if (detail_ != Detail::name) label += text::visible(handed_after_name(cell));
  if (detail_ == Detail::cell_id) label += " " + text::visible(cell.cell_id);
  return label;
}

}  // namespace ngb::report::page

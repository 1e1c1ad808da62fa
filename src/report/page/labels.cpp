// SPDX-License-Identifier: Apache-2.0
#include "report/page/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "report/page/untrusted.h"
#include "report/words.h"

namespace ngb::report::page {

using store::CellData;

namespace {

// Returns "2 threads" or "all threads", as the study asks for them: a cell that was not measured yet has no number, and
// is called as it will be.
std::string threads_asked_of(const CellData& cell) {
  return cell.threads_asked.empty() ? threads_of(cell) : cell.threads_asked + " threads";
}

}  // namespace

Labels::Labels(std::span<const Source> sources) {
  std::map<std::string, int> names;
  std::map<std::string, std::set<const Source*>> devices;
  std::vector<const CellData*> all;
  std::set<std::string> threads;
  std::set<std::string> precisions;
  for (const Source& source : sources) {
    const int number = ++names[source.name];
    plain_names_.push_back(plain(number == 1 ? source.name : fmt::format("{} ({})", source.name, number)));
    for (const CellData* cell : source.results->cells) {
      devices[cell->device].insert(&source);
      threads.insert(threads_asked_of(*cell));
      precisions.insert(cell->precision);
      all.push_back(cell);
    }
  }
  for (const auto& [device, folders] : devices) {
    if (folders.size() > 1) shared_devices_.push_back(device);
  }
  has_several_compute_devices_ = are_on_several_compute_devices(all);
  has_several_threads_ = threads.size() > 1;
  has_several_precisions_ = precisions.size() > 1;
  for (const Detail detail : {Detail::options, Detail::cell_id}) {
    if (are_ambiguous(sources)) detail_ = detail;
  }
}

bool Labels::are_ambiguous(std::span<const Source> sources) const {
  using Name = std::tuple<std::size_t, std::string, std::string, int, std::string>;
  std::set<Name> seen;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const CellData* cell : sources[i].results->cells) {
      if (!seen.emplace(i, device(i, *cell), cell->model, cell->batch, compiler(*cell)).second) return true;
    }
  }
  return false;
}

std::string Labels::device(std::size_t source, const CellData& cell) const {
  std::string label = plain(cell.device);
  const bool is_shared =
      std::find(shared_devices_.begin(), shared_devices_.end(), cell.device) != shared_devices_.end();
  if (is_shared) label += fmt::format(" ({})", plain_names_[source]);
  if (has_several_compute_devices_) label += ", " + plain(compute_device_of(cell));
  if (is_loaded(cell)) label += ", load " + plain(cell.load);
  return label;
}

std::string Labels::compiler(const CellData& cell) const {
  std::string label = plain(compiler_of(cell));
  if (has_several_threads_) label += ", " + plain(threads_asked_of(cell));
  if (has_several_precisions_) label += ", " + plain(cell.precision);
  if (detail_ != Detail::name && cell.options != "{}") label += " " + plain(cell.options);
  if (detail_ == Detail::cell_id) label += " " + plain(cell.cell_id);
  return label;
}

}  // namespace ngb::report::page

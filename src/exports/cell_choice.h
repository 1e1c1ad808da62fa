// SPDX-License-Identifier: Apache-2.0
// Chooses the cell of results that is to be exported.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/metric.h"
#include "store/store.h"

namespace ngb::exports {

// What the user asks for. Everything that is empty or false asks for nothing.
struct Wanted {
  std::string id{};                                           // the first digits of a cell's id
  std::map<std::string, std::vector<std::string>> filters{};  // words by the name of a report::Filter
  bool fastest = false;                                       // of the first workload that passes
};

// Returns the only cell that is wanted; with `fastest`, the one with the highest speed among those of the first
// workload (device, model, batch size, load). Returns an error if none is left, or several: it lists them.
Result<const store::CellData*> choose_cell(const std::vector<store::CellData>& cells, const Wanted& wanted);

// Returns the cell's samples/s: the geometric mean of its processes, with its interval, or the reason why it has none.
metrics::Value speed_of(const store::CellData& cell);

// Returns why the cell cannot be exported: it has no result, ran beside a load, in several instances, or with several
// inferences in flight, or its results were not measured inference by inference.
Status check_exportable(const store::CellData& cell);

// Returns "resnet18, batch 1, onnxruntime 1.31.1, 1 thread, f32".
std::string title_of(const store::CellData& cell);

}  // namespace ngb::exports

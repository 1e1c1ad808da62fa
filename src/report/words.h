// SPDX-License-Identifier: Apache-2.0
// Names cells in tables.
#pragma once

#include <span>
#include <string>

#include "metrics/axis.h"
#include "metrics/baseline.h"
#include "metrics/metric.h"
#include "store/store.h"

namespace ngb::report {

using metrics::compiler_in_words;
using metrics::compiler_of;

// Returns the kind of processor that the cell computed on, "gpu", or "unknown device".
std::string compute_device_of(const store::CellData& cell);
// Returns whether cells that were measured computed on different kinds of processors; then tables name each cell's.
bool are_on_several_compute_devices(std::span<const store::CellData* const> cells);

std::string threads_of(const store::CellData& cell);  // "2 threads", "2 threads (all)", "all threads"

// "rounds end when their question is decided, after 3 to 15: each interval is …"
std::string rounds_remark(const work::Rounds& rounds);

bool is_loaded(const store::CellData& cell);  // it has a load
bool has_loads(std::span<const store::CellData* const> cells);

// The columns that a table has only if some of its cells need them.
struct ColumnsInUse {
  bool load = false;
  bool instances = false;  // several
  bool variants = false;
  bool decoders = false;
  bool delegates = false;
};
ColumnsInUse columns_in_use(const store::CellData& cell);
ColumnsInUse operator|(ColumnsInUse a, ColumnsInUse b);
// Returns whether the metric says something about cells of such a table.
bool is_about(const metrics::Metric& metric, ColumnsInUse of_table);

// "resnet18, batch 1, on local"; "…, load cpu: 1" of a cell that has a load
std::string workload_on_device(const store::CellData& cell);
bool is_same_workload_on_device(const store::CellData& a, const store::CellData& b);

}  // namespace ngb::report

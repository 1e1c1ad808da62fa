// SPDX-License-Identifier: Apache-2.0
// What cells are called in tables.
#pragma once

#include <string>

#include "store/store.h"

namespace ngb::report {

// "openvino 2026.4.1": the label of the study, with the version where the label does not tell it.
std::string compiler_of(const store::CellData& cell);

std::string threads_of(const store::CellData& cell);  // "2 threads"

// "resnet18, batch 1, on local"
std::string workload_of(const store::CellData& cell);
bool is_same_workload(const store::CellData& a, const store::CellData& b);

}  // namespace ngb::report

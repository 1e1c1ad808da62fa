// SPDX-License-Identifier: Apache-2.0
// Says how far a cell is measured.
#pragma once

#include <string_view>

#include "store/store.h"

namespace ngb::report {

enum class Status { measured, partial, failed, disturbed, planned };
std::string_view name(Status status);
Status status_of(const store::CellData& cell);

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
// What processes that visit several shapes (a study's shapes_in_one_session) say of each of them.
#pragma once

#include <string>
#include <vector>

#include "metrics/outcome.h"
#include "store/store.h"

namespace ngb::metrics {

// Adds what a process says of each shape that it has visited; nothing of any other process. Its first visit and the one
// after it are of the check and the warm-up; the later ones count in its speed.
void add_visits(const store::RecordedProcess& process, std::vector<ShapeVisits>& shapes);

}  // namespace ngb::metrics

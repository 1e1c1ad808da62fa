// SPDX-License-Identifier: Apache-2.0
// The paper, "Leveraging Neural Graph Compilers in Machine Learning Research for Edge-Cloud Systems": its claims,
// tables, figures and published values.
#pragma once

#include "report/folder/publication.h"

namespace ngb::paper {

// Returns what it adds to reports.
report::folder::Publication publication();

}  // namespace ngb::paper

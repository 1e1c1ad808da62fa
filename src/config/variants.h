// SPDX-License-Identifier: Apache-2.0
// Checks the entries of `models` that are variants of others.
#pragma once

#include <vector>

#include "config/document.h"
#include "config/problems.h"
#include "config/study.h"

namespace ngb::config {

// Adds a problem for each variant of a label that the study does not have, of itself or of another variant, and for
// keys that the exact model has for both. `at` has the entry of each model.
void check_variants(const std::vector<ModelEntry>& models, const std::vector<NodePointer>& at, Problems& problems);

}  // namespace ngb::config

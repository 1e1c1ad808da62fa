// SPDX-License-Identifier: Apache-2.0
// Relates the variants of a study to their exact models.
#pragma once

#include <vector>

#include "base/result.h"
#include "config/study.h"
#include "work/model.h"

namespace ngb::plan {

// Makes the models of `entry` variants of the exact model that it names, each of that with its batch size; does nothing
// if it names none. Returns an error if inputs or declared outputs do not fit together.
Status link_variants(const config::ModelEntry& entry, std::vector<work::Model>& models);

}  // namespace ngb::plan

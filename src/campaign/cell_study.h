// SPDX-License-Identifier: Apache-2.0
// Finds the study of a cell that was measured, so that the cell can be measured again by itself.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "campaign/installation.h"
#include "campaign/refusal.h"
#include "store/merge.h"

namespace ngb::campaign {

// Returns the study of the results folder that has measured the cell, reduced to it. A variant becomes a model of its
// own, with the inputs of its exact model. Returns an error, whose place is `asked_by`, if no folder of `sources` holds
// such a study.
Answer<nlohmann::json> study_of_cell(const Installation& installation, const std::vector<store::Source>& sources,
                                     const store::CellData& cell, const std::string& asked_by, const Say& say);

}  // namespace ngb::campaign

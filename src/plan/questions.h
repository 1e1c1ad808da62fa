// SPDX-License-Identifier: Apache-2.0
// Finds out what a study asks of each group: how each compiler compares with the baseline.
#pragma once

#include <string>

#include "work/cell.h"

namespace ngb::plan {

// Gives each group its questions. `baseline` is the study's (config::Study::baseline). A cell's baseline has its number
// of threads, unless the baseline is given by its label and has another one, and its number of instances if there is
// one that has. Before anything is measured, nobody knows
// on which processor a cell computes; so a cell is compared with one baseline for each value of the option `device`.
void add_questions(work::Lists& lists, const std::string& baseline);

}  // namespace ngb::plan

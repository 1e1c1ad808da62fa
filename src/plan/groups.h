// SPDX-License-Identifier: Apache-2.0
// Makes the groups of a plan: the order of their processes (plan.h defines it), and what the study asks of each group.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "work/cell.h"

namespace ngb::plan {

// Returns the groups of the cells with their steps, in the order in which they are measured. Precondition: `cells` are
// sorted by device, model, batch, load and compiler, so that the cells of a group are neighbours.
std::vector<work::Group> order(const std::vector<work::Model>& models, const std::vector<work::Cell>& cells,
                               int processes, std::uint64_t seed);

// Gives each group its questions: how each compiler compares with the baseline. `baseline` is the study's
// (config::Study::baseline). A cell's baseline has its number of threads, unless the baseline is given by its label and
// has another one, and its number of instances if there is one that has. Before anything is measured, nobody knows on
// which processor a cell computes; so a cell is compared with one baseline for each value of the option `device`.
void add_questions(work::Lists& lists, const std::string& baseline);

// Removes all cells but those with these ids, and from the groups what concerns the others. Models and compilers are
// kept.
void keep_cells(work::Lists& lists, const std::set<std::string>& ids);

}  // namespace ngb::plan

// SPDX-License-Identifier: Apache-2.0
// Makes the parts of the page that are readable without JavaScript. Each function returns HTML.
#pragma once

#include <span>
#include <string>

#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::page {

// "168 cells: 160 measured, 8 failed", and the numbers of devices, models, compilers and batch sizes.
std::string summary(std::span<const Source> sources);

// What the reader has to do something about (findings, failures, disturbed cells, flags), each with its reason and what
// helps, then the findings for information, reversed orders and the paper's claims.
std::string findings(std::span<const Source> sources, const Labels& labels);

// A table for each folder with every cell: the numbers of `ngb show`, or why there are none. The row of the nth cell of
// the page has data-cell="n".
std::string cell_tables(std::span<const Source> sources, const Labels& labels);

// The tables of numbers that span cells, each folded.
std::string spanning_tables(std::span<const Source> sources);

// A table for each device with every entry of its environment, and one of the compilers with versions and options.
std::string environments(std::span<const Source> sources, const Labels& labels);

// The protocol, the formulas of the page's metrics, and what each flag means.
std::string method(std::span<const Source> sources, const Labels& labels);

}  // namespace ngb::report::page

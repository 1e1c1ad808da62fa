// SPDX-License-Identifier: Apache-2.0
// Makes the parts of the page that are readable without JavaScript. Each function returns HTML.
#pragma once

#include <span>
#include <string>

#include "report/explain/explain.h"
#include "report/explain/profiles.h"
#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::page {

// "168 cells: 160 measured, 8 failed", and the numbers of devices, models, compilers and batch sizes.
std::string summary(const Content& content);

// Who is the fastest, by how much and how sure that is: in sentences, and as a row for each workload.
std::string answer(const Content& content);

// What casts doubt on the results: findings, failures, disturbed cells and flags. Each kind is a line that says what
// helps and unfolds to its cells. The other flags follow, folded.
std::string doubts(const Content& content, const Labels& labels);

// The findings for information, reversed orders and claims; folded those that the study does not measure.
std::string findings(const Content& content);

// Each figure with its title, what it shows, its image if it is drawn, and its data as a table.
std::string figures_html(const Figures& figures);

// A table with every cell: the numbers of `ngb show`, or why there are none. The row of the nth cell of the results has
// data-cell="n".
std::string cell_table(const Content& content, const Labels& labels);

// The tables of numbers that span cells, each folded.
std::string spanning_tables(const Content& content);

// A table for each device with every entry of its environment, and one of the compilers with versions and options.
std::string environments(const Content& content);

// The protocol, the formulas of the page's metrics, and what each flag means.
std::string method(const Content& content);

// SIGPLAN's checklist for empirical evaluations, with what the results say on each item, and what is left to the
// author.
std::string checklist(const Content& content, const Labels& labels);

// Shows what variants of a model gain and cost: speed-up against agreement, with the settings that no other beats in
// both.
// Returns the section as HTML: for each device, exact model and batch size a picture and a table. Returns "" if the
// results have no variant.
std::string variants(const Content& content, const Labels& labels);

// The page's section Why, of results with profiles: for each pair of sides where the difference arises.

// Returns HTML: for each pair its sentence, a waterfall of the regions' differences as inline SVG, the table of regions
// and the closing line; then what each cell's compiler fuses. Returns "" without pairs and cells. Names of regions,
// kernels and compilers are untrusted and escaped.
std::string why(std::span<const ExplainedPair> pairs, std::span<const ProfiledCell> cells, const Claims& claims);
std::string why(const Content& content);

}  // namespace ngb::report::page

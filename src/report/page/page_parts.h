// SPDX-License-Identifier: Apache-2.0
// Makes the parts of the page that are readable without JavaScript. Each function returns HTML.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "report/explain/explain.h"
#include "report/explain/profiles.h"
#include "report/page/html.h"
#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::page {

// "168 cells: 160 measured, 8 failed", and the numbers of devices, models, compilers and batch sizes.
std::string summary(const Content& content);

// Who is the fastest, by how much and how sure that is: in sentences, and as a row for each workload.
std::string answer(const Content& content);

// What casts doubt on the results, as a section: findings, failures, disturbed cells and flags. Each kind is a line
// that says what helps and unfolds to its cells. The other flags follow, folded.
std::string doubts(const Content& content, const Labels& labels);

// The findings for information, reversed orders and claims; folded those that the study does not measure.
Part findings(const Content& content);

// What a page consists of. All but `title` and `made_by` is HTML.
struct WholePage {
  std::string title{};
  std::string summary{};
  const char* first = "";  // the id of what most readers look for
  std::string body{};
  nlohmann::json data{};
  nlohmann::json specifications{};  // of the figures
  const char* further_style = "";
  // The page's only script: then it has no figures, and lacks what draws them. Nothing: it has those of a report.
  std::optional<std::string_view> only_script{};
  std::string made_by{};
};
std::string whole_page(const WholePage& page);

// The figure with its title, what it shows, the place where it is drawn, and its data as a table.
std::string figure_html(const Figure& figure);

// The document's columns for people; folded rows are left out.
std::string document_table(const Document& document, const Section& section);

// The figure of that name; "" if the results have no data for it.
std::string figure_called(const Figures& figures, std::string_view name);

// Figures of the sections Why and Variants.
inline constexpr std::string_view kFigureOfRegions = "region_differences";
inline constexpr std::string_view kFigureOfOperators = "operator_times";
inline constexpr std::string_view kFigureOfVariants = "speed_and_agreement";

// All other figures.
Part figures_part(const Figures& figures);

// A table with every cell: the numbers of `ngb show`, or why there are none. The row of the nth cell of the results has
// data-cell="n".
std::string cell_table(const Content& content, const Labels& labels);

// The tables of numbers that span cells, each folded.
Part spanning_tables(const Content& content);

// A table for each device with every entry of its environment, and one of the compilers with versions and options.
Part environments(const Content& content);

// The protocol, the formulas of the page's metrics, and what each flag means that is raised.
Part method(const Content& content);

// Shows what variants of a model gain and cost: the figure, and a table for each device, exact model and batch size.
// Has nothing if no model is a variant.
Part variants(const Content& content, const Figures& figures, const Labels& labels);

// The section Why, of results with profiles: each pair's sentence, the figure of where the differences arise, that of
// kinds of operators, then folded what is known of each pair, and what each cell's compiler fuses. Names of regions,
// kernels and compilers are untrusted and escaped.
std::string why(const Content& content, const Figures& figures);

}  // namespace ngb::report::page

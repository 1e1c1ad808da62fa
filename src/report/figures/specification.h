// SPDX-License-Identifier: Apache-2.0
// Joins a figure's specification, the theme and the data.
#pragma once

#include <string>
#include <vector>

#include "report/figures/figure.h"

namespace ngb::report::figures {

// Returns the rows of the first `most` panels. Sets `remark` if there are more.
std::vector<Row> drawn_rows(std::vector<Row> rows, std::size_t most, std::string& remark);

// Returns the theme: "config" of every specification, and "print", which replaces parts of it in print: its colours
// differ in grey too. The page has a dark form of its colours (page/page.css).
nlohmann::ordered_json theme();

// Returns what the figure shows and how to read it, with what it leaves out (`remark`).
std::string reading_of(const Figure& figure, const std::string& remark);

// Returns Vega-Lite 6 as JSON text of ASCII characters. The specification contains the rows
// as the data set "rows", a line for each, and needs no other file. A channel of compilers has their colours and
// shapes. A sort order of null becomes the order of the rows.
std::string specification_text(const Selection& selection, const Figure& figure, std::vector<Row> rows,
                               std::string remark, const Form& form = {});

// Returns CSV as in RFC 4180 with a line of names. A text that a spreadsheet would compute has an apostrophe before it.
std::string csv_of(const Figure& figure, const std::vector<Row>& rows);

}  // namespace ngb::report::figures

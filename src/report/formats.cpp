// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "report/named_format.h"
#include "report/show.h"

namespace ngb::report {

// The function of each format; show_NAME.cpp defines it.
std::string show_json(const Results& results, const ShowOptions& options);
std::string show_csv(const Results& results, const ShowOptions& options);
std::string show_csv_header();
std::string show_csv_lines(const Results& results);
std::string show_markdown(const Results& results, const ShowOptions& options);

namespace {

// name, meaning, show, begin, lines
constexpr std::array kFormats{
    Format{"text", "a table as wide as the terminal", show_text},
    Format{"json", "every cell with every metric, its interval, or the reason why there is none", show_json},
    Format{"csv", "a line for each cell, numbers unrounded, every metric", show_csv, show_csv_header, show_csv_lines},
    Format{"markdown", "a table for GitHub", show_markdown},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

Result<const Format*> find_format(std::string_view name) { return find_named(formats(), name); }

}  // namespace ngb::report

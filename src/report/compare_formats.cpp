// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "report/compare_formats.h"
#include "report/named_format.h"

namespace ngb::report {

namespace {

// name, meaning, show, annotate
constexpr std::array kCompareFormats{
    CompareFormat{"text", "a table as wide as the terminal", compare_text},
    CompareFormat{"json", "every pair with its verdict, ratio and interval", compare_json},
    CompareFormat{"csv", "a line for each pair, numbers unrounded", compare_csv},
    CompareFormat{"markdown", "a table for GitHub", compare_markdown},
    CompareFormat{"github", "markdown within the limits of a comment; annotations on stderr", compare_github,
                  annotate_github},
};

}  // namespace

std::span<const CompareFormat> compare_formats() { return kCompareFormats; }

Result<const CompareFormat*> find_compare_format(std::string_view name) { return find_named(compare_formats(), name); }

}  // namespace ngb::report

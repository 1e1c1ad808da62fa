// SPDX-License-Identifier: Apache-2.0
#include "report/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/write/csv.h"
#include "report/write/github.h"
#include "report/write/json.h"
#include "report/write/latex.h"
#include "report/write/markdown.h"
#include "report/write/text.h"
#include "report/write/timeline.h"
#include "report/write/watched.h"

namespace ngb::report {
namespace {

template <std::string (*Write)(const Document&)>
void print_whole(const Document& document, const Screen& /*screen*/, const Print& print) {
  print(Write(document));
}

// name, ending, meaning, is_for_people, print
constexpr std::array kFormats{
    Format{
        "text", ".txt", "a table as wide as the terminal", true,
        [](const Document& document, const Screen& screen, const Print& print) { print(to_text(document, screen)); }},
    Format{"json", ".json", "everything, numbers with their intervals or the reason why there is none", false,
           [](const Document& document, const Screen& /*screen*/, const Print& print) { print_json(document, print); }},
    Format{"csv", ".csv", "a line for each row of the table, numbers unrounded", false,
           [](const Document& document, const Screen& /*screen*/, const Print& print) { print_csv(document, print); }},
    Format{"markdown", ".md", "a table for GitHub", true, print_whole<to_markdown>},
    Format{"github", ".md", "markdown within the limits of a comment; annotations on stderr", true,
           print_whole<to_github>},
    Format{"latex", ".tex", "tables for booktabs and siunitx", true, print_whole<to_latex>},
    Format{"trace", ".json", "kernels of one inference for Perfetto, speedscope and chrome://tracing", false,
           print_whole<to_trace>},
    Format{"badge", ".json", "the summary as a badge of Shields (an endpoint's answer)", false, print_whole<to_badge>},
    Format{"bencher", ".json", "numbers with intervals for `bencher run --adapter json`", false,
           print_whole<to_bencher>},
    Format{"github-action-benchmark", ".json", "numbers of which less is better, for its customSmallerIsBetter", false,
           print_whole<to_action_benchmark>},
    Format{"openmetrics", ".txt", "numbers as gauges, for Prometheus and its node exporter's text files", false,
           print_whole<to_open_metrics>},
    Format{"otava", ".csv", "a line for each of the results, a column for each cell, for Apache Otava", false,
           [](const Document& document, const Screen& /*screen*/, const Print& print) { print_csv(document, print); }},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

std::string Format::write(const Document& document, const Screen& screen) const {
  std::string whole;
  print(document, screen, [&whole](std::string_view piece) { whole += piece; });
  return whole;
}

const FormatNames& text_and_json() {
  static const FormatNames kNames{"text", "json"};
  return kNames;
}

const FormatNames& table_formats() {
  static const FormatNames kNames{"csv", "latex"};
  return kNames;
}

Result<const Format*> find_format(std::string_view name, const FormatNames& offered) {
  for (const Format& format : kFormats) {
    const bool is_offered = std::find(offered.begin(), offered.end(), format.name) != offered.end();
    if (is_offered && format.is(name)) return &format;
  }
  const auto near = text::nearest(name, offered);
  return fail(near ? "unknown format, did you mean " + *near + "?"
                   : "unknown format, expected one of: " + text::join(offered, ", "),
              std::string(name));
}

std::string help_on_formats(const FormatNames& offered) {
  std::size_t width = 0;
  for (const std::string& name : offered) width = std::max(width, name.size());
  std::string text = "Formats:\n";
  for (const std::string& name : offered) {
    text += fmt::format("  {:<{}}  {}\n", name, width, (*find_format(name, offered))->meaning);
  }
  return text;
}

}  // namespace ngb::report

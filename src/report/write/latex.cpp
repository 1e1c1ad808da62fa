// SPDX-License-Identifier: Apache-2.0
#include "report/write/latex.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/write/latex_text.h"
#include "report/write/publication.h"

namespace ngb::report {
namespace {

// A table of more columns than this goes across both columns of a page; of even more, it has small letters.
constexpr std::size_t kMostColumnsOfOne = 6;
constexpr std::size_t kMostColumnsOfTwo = 12;

// Returns siunitx's description of a column of numbers: the digits before and after the point.
std::string format_of_numbers(const ShownTable& people, std::size_t column) {
  std::size_t before = 1;
  std::size_t after = 0;
  bool has_sign = false;
  for (const std::vector<ShownField>& row : people.rows) {
    const std::string& number = row[column].main;
    if (number.empty()) continue;
    const bool is_negative = number.front() == '-';
    const std::size_t point = std::min(number.find('.'), number.size());
    has_sign = has_sign || is_negative;
    before = std::max(before, point - (is_negative ? 1 : 0));
    after = std::max(after, number.size() - std::min(point + 1, number.size()));
  }
  return fmt::format("S[table-format={}{}.{}]", has_sign ? "-" : "", before, after);
}

std::string column_formats(const ShownTable& people) {
  std::string formats;
  for (std::size_t i = 0; i < people.columns.size(); ++i) {
    const ShownColumn& column = people.columns[i];
    formats += column.is_text ? "l" : format_of_numbers(people, i);
    if (column.has_tail) formats += "@{\\,}l";
  }
  return formats;
}

std::string latex_heading(const ShownColumn& column, const std::string& words) {
  const std::string heading = latex_text(words);
  if (column.is_text) return heading;
  return column.has_tail ? fmt::format("\\multicolumn{{2}}{{c}}{{{}}}", heading) : fmt::format("{{{}}}", heading);
}

// Returns one line of headings, or two if some of them have two parts, as "slope, batch 8" has.
std::string latex_headings(const ShownTable& people) {
  constexpr std::string_view kSeparator = ", ";
  std::string upper;
  std::string lower;
  bool has_two_lines = false;
  for (const ShownColumn& column : people.columns) {
    const std::size_t end = column.heading.find(kSeparator);
    const bool has_two_parts = end != std::string::npos;
    has_two_lines = has_two_lines || has_two_parts;
    const std::string_view between = &column == &people.columns.front() ? "" : " & ";
    upper += between;
    upper += latex_heading(column, has_two_parts ? column.heading.substr(0, end) : "");
    lower += between;
    lower += latex_heading(column, has_two_parts ? column.heading.substr(end + kSeparator.size()) : column.heading);
  }
  const std::string end_of_line = " \\\\\n";
  return (has_two_lines ? upper + end_of_line : "") + lower + end_of_line;
}

std::string superscript(const std::string& marks) {
  return marks.empty() ? "" : fmt::format("\\textsuperscript{{{}}}", marks);
}

// Returns what stands beside a number: its deviation, its bounds and its footnotes.
std::string latex_tail(const ShownField& field) {
  std::string latex;
  if (!field.deviation.empty()) latex += fmt::format("\\(\\pm\\)\\,\\num{{{}}}", field.deviation);
  if (!field.low.empty()) latex += fmt::format("{{[}}\\num{{{}}}, \\num{{{}}}{{]}}", field.low, field.high);
  return latex + superscript(marks_of(field));
}

std::string latex_row(const ShownTable& people, const std::vector<ShownField>& row) {
  std::string latex;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const ShownColumn& column = people.columns[i];
    if (i > 0) latex += " & ";
    latex += column.is_text ? latex_text(row[i].main) + superscript(marks_of(row[i])) : row[i].main;
    if (column.has_tail) latex += " & " + latex_tail(row[i]);
  }
  return latex + " \\\\\n";
}

std::string latex_notes(const Document& document, const ShownTable& people) {
  std::string latex;
  for (std::size_t i = 0; i < people.notes.size(); ++i) {
    latex += fmt::format("{} {}\\par\n", superscript(mark_of_note(i)), latex_text(people.notes[i]));
  }
  for (const std::string& remark : document.remarks) latex += latex_text(remark) + "\\par\n";
  return latex.empty() ? "" : "\\par\\smallskip\\raggedright\n" + latex;
}

std::string label_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

std::string to_latex(const Document& document) {
  const ShownTable people = shown(document);
  std::size_t columns = people.columns.size();
  for (const ShownColumn& column : people.columns) columns += column.has_tail ? 1U : 0U;
  const char* const environment = columns > kMostColumnsOfOne ? "table*" : "table";
  const char* const size = columns > kMostColumnsOfTwo ? "\\scriptsize\\setlength{\\tabcolsep}{2pt}" : "\\footnotesize";
  std::string latex = fmt::format(
      "% Written by ngb report. Needs \\usepackage{{booktabs}} and \\usepackage{{siunitx}}.\n"
      "\\begin{{{}}}\n\\centering{}\n\\caption{{{}}}\n\\label{{tab:{}}}\n"
      "\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n",
      environment, size, latex_text(document.title), label_of(document.name), column_formats(people),
      latex_headings(people));
  for (const std::vector<ShownField>& row : people.rows) latex += latex_row(people, row);
  latex += "\\bottomrule\n\\end{tabular}\n" + latex_notes(document, people);
  return latex + fmt::format("\\end{{{}}}\n", environment);
}

}  // namespace ngb::report

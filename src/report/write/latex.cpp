// SPDX-License-Identifier: Apache-2.0
#include "report/write/latex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "report/write/publication.h"

namespace ngb::report {

namespace {

constexpr std::array<std::pair<char, std::string_view>, 21> kSpecials{{
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "''"},
    {'`', "\\`{}"},
    {'[', "{[}"},
    {']', "{]}"},
    {'*', "{*}"},  // after a line's \\ these mean something
    {'\n', " "},
    {'\r', " "},
    {'\t', " "},
}};

constexpr std::array<std::pair<char32_t, std::string_view>, 17> kSymbols{{
    {0xB0, "\\(^{\\circ}\\)"},
    {0xB1, "\\(\\pm\\)"},
    {0xB5, "\\(\\mu\\)"},
    {0xB7, "\\(\\cdot\\)"},
    {0xD7, "\\(\\times\\)"},
    {0x3BC, "\\(\\mu\\)"},
    {0x2013, "--"},
    {0x2014, "---"},
    {0x2018, "`"},
    {0x2019, "'"},
    {0x201C, "``"},
    {0x201D, "''"},
    {0x2026, "\\ldots{}"},
    {0x2122, "\\texttrademark{}"},
    {0x2192, "\\(\\to\\)"},
    {0x2264, "\\(\\le\\)"},
    {0x2265, "\\(\\ge\\)"},
}};

// Takes one character of valid UTF-8 off the text.
char32_t take_character(std::string_view& rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t value = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < std::min(length, rest.size()); ++i) {
    value = (value << 6U) | (static_cast<unsigned char>(rest[i]) & 0x3FU);
  }
  rest.remove_prefix(std::min(length, rest.size()));
  return value;
}

std::string latex_of_ascii(char character, char next) {
  const auto* const found = std::find_if(kSpecials.begin(), kSpecials.end(),
                                         [character](const auto& each) { return each.first == character; });
  if (found != kSpecials.end()) return std::string(found->second);
  const bool makes_ligature = character == next && std::string_view("-,'").find(character) != std::string_view::npos;
  return std::string(1, character) + (makes_ligature ? "{}" : "");
}

// Returns whether the default fonts have this letter of Latin-1.
bool is_latin_letter(char32_t character) {
  constexpr std::u32string_view kOthers = U"\u00D0\u00D7\u00DE\u00F0\u00F7\u00FE";
  return character >= 0xC0 && character <= 0xFF && kOthers.find(character) == std::u32string_view::npos;
}

std::string latex_of(char32_t character, std::string_view as_utf8) {
  const auto* const found =
      std::find_if(kSymbols.begin(), kSymbols.end(), [character](const auto& each) { return each.first == character; });
  if (found != kSymbols.end()) return std::string(found->second);
  if (is_latin_letter(character)) return std::string(as_utf8);
  return fmt::format("{{[}}U+{:04X}{{]}}", static_cast<std::uint32_t>(character));
}

}  // namespace

std::string latex_text(std::string_view given) {
  const std::string text = text::visible(given);
  std::string latex;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t character = take_character(rest);
    const std::string_view as_utf8 = before.substr(0, before.size() - rest.size());
    latex += as_utf8.size() == 1 ? latex_of_ascii(as_utf8.front(), rest.empty() ? '\0' : rest.front())
                                 : latex_of(character, as_utf8);
  }
  return latex;
}

namespace {

// A table of more columns than this goes across both columns of a page; of even more, it has small letters.
constexpr std::size_t kMostColumnsOfOne = 6;
constexpr std::size_t kMostColumnsOfTwo = 12;
// Makes the table that follows smaller if it is wider than what it is set in, a column or both.
constexpr const char* kNoWiderThanTheText = R"(\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
)";

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
      "% Written by ngb report. Needs \\usepackage{{booktabs}}, \\usepackage{{siunitx}} and \\usepackage{{graphicx}}.\n"
      "\\begin{{{}}}\n\\centering{}\n\\caption{{{}}}\n\\label{{tab:{}}}\n{}"
      "\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n",
      environment, size, latex_text(document.title), label_of(document.name), kNoWiderThanTheText,
      column_formats(people), latex_headings(people));
  for (const std::vector<ShownField>& row : people.rows) latex += latex_row(people, row);
  latex += "\\bottomrule\n\\end{tabular}}\n" + latex_notes(document, people);
  return latex + fmt::format("\\end{{{}}}\n", environment);
}

}  // namespace ngb::report

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../metrics/made_up_cells.h"
#include "../report/written.h"
#include "base/file.h"
#include "base/process.h"
#include "paper/tables/tables.h"
#include "report/formats.h"
#include "report/write/latex.h"
#include "report/write/publication.h"
#include "temporary_folder.h"

namespace ngb::paper::tables {
namespace {

using report::all_results;
using report::decimals_of;
using report::decimals_of_four_digits;
using report::find_format;
using report::help_on_formats;
using report::latex_text;
using report::mark_of_note;
using report::rounded;
using report::shown;
using report::ShownTable;
using report::table_formats;
using report::Uncertainty;
using testing::HasSubstr;

// Begins with what a spreadsheet computes and LaTeX takes for an option, and would end a cell, a line, a script.
const std::string kHostile =
    "=cmd()|'%_&\\</script>[x]#$^~{}\"\n\xE2\x80\xAE\xD7\x90";  // … a right-to-left override, and a Hebrew letter

Document one_row(std::vector<Column> columns, std::vector<Entry> entries, std::string note = "") {
  Document made{.name = "table9_test", .title = "Test", .table = {.columns = std::move(columns)}};
  add_row(made, {.entries = std::move(entries), .note = std::move(note)});
  complete(made);
  return made;
}

Document hostile_table() { return one_row({column("name", "name", Kind::text)}, {text_entry(kHostile)}); }

Document numbers() {
  return one_row({column("device", "device", Kind::text), column("speed_per_s", "samples/s", Kind::number),
                  column("speed_std_per_s", "", Kind::deviation), column("ratio", "ratio", Kind::number),
                  column("ratio_low", "", Kind::low), column("ratio_high", "", Kind::high),
                  column("cpu_percent", "CPU %", Kind::number), column("parameters", "parameters", Kind::count)},
                 {text_entry("xeon"), number_entry(104.69, ""), number_entry(0.57, ""), number_entry(1.2345, ""),
                  number_entry(1.2, ""), number_entry(1.3, ""), number_entry(std::nullopt, "no ticks"),
                  number_entry(11689512, "")});
}

TEST(HelpOnFormats, HasTwoSpacesBehindTheLongestName) {
  EXPECT_THAT(help_on_formats({"trace", "csv"}), HasSubstr("\n  trace  kernels of one inference"));
  EXPECT_THAT(help_on_formats({"trace", "csv"}), HasSubstr("\n  csv    a line for each row"));
}

TEST(TablesAsCsv, HaveUnroundedNumbersAndReasons) {
  EXPECT_EQ(to_csv(numbers()),
            "device,speed_per_s,speed_std_per_s,ratio,ratio_low,ratio_high,cpu_percent,parameters,notes\r\n"
            "xeon,104.69,0.57,1.2345,1.2,1.3,,11689512,cpu_percent: no ticks\r\n");
}

TEST(TablesAsCsv, HoldNothingThatASpreadsheetComputes) {
  EXPECT_EQ(to_csv(hostile_table()), "name,notes\r\n\"'=cmd()|'%_&\\</script>[x]#$^~{}\"\"\n\\u202e\xD7\x90\",\r\n");
}

TEST(TablesAsLatex, AlignNumbersAtTheirPoints) {
  const std::string latex = to_latex(numbers());
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lS[table-format=3.2]@{\\,}lS[table-format=1.3]@{\\,}l"
                               "S[table-format=1.0]@{\\,}lS[table-format=8.0]}\n"));
  EXPECT_THAT(latex, HasSubstr("device & \\multicolumn{2}{c}{samples/s} & \\multicolumn{2}{c}{ratio} & "
                               "\\multicolumn{2}{c}{CPU \\%} & {parameters} \\\\\n"));
  EXPECT_THAT(latex,
              HasSubstr("xeon & 104.69 & \\(\\pm\\)\\,\\num{0.57} & 1.234 & {[}\\num{1.200}, \\num{1.300}{]} &  & "
                        "\\textsuperscript{a} & 11689512 \\\\\n"));
  EXPECT_THAT(latex, HasSubstr("\\textsuperscript{a} no ticks\\par\n"));
}

TEST(TablesAsLatex, HaveTwoLinesOfHeadingsIfSomeHaveTwoParts) {
  const Document table =
      one_row({column("device", "device", Kind::text), column("slope_b8", "slope, batch 8", Kind::number)},
              {text_entry("xeon"), number_entry(1.25, "")});
  EXPECT_THAT(to_latex(table), HasSubstr("\\toprule\n & {slope} \\\\\ndevice & {batch 8} \\\\\n\\midrule\n"));
}

TEST(TablesAsLatex, ShowHostileNamesLiterally) {
  EXPECT_EQ(latex_text(kHostile),
            "=cmd()\\textbar{}'\\%\\_\\&\\textbackslash{}\\textless{}/script\\textgreater{}{[}x{]}\\#\\$"
            "\\textasciicircum{}\\textasciitilde{}\\{\\}'' \\textbackslash{}u202e{[}U+05D0{]}");
  EXPECT_EQ(latex_text("a--b ± é"), "a-{}-b \\(\\pm\\) é");
}

TEST(Tables, ShowNoMoreDecimalsThanWereWritten) {
  const Document table = one_row(
      {column("cpu", "CPU %", Kind::number), column("cpu_std", "", Kind::deviation), column("x", "x", Kind::number)},
      {number_entry(5.52, ""), number_entry(2.0, ""), number_entry(0.426, "")}, kPublishedNote);
  const ShownTable people = shown(table);
  EXPECT_EQ(people.rows[0][0].main, "5.52");
  EXPECT_EQ(people.rows[0][0].deviation, "2.00");
  EXPECT_EQ(people.rows[0][1].main, "0.426");
  EXPECT_EQ(people.notes.at(0), kPublishedNote);
}

TEST(Tables, ShowTwoDigitsOfTheUncertainty) {
  const auto shown_as = [](double value, Uncertainty uncertainty) {
    return rounded(value, decimals_of(value, uncertainty));
  };
  EXPECT_EQ(shown_as(-0.005659, {.deviation = 0.084907}), "-0.006");
  EXPECT_EQ(shown_as(1493.2, {.deviation = 3088.1}), "1493") << "no digit before the point is left out";
  EXPECT_EQ(shown_as(2.87132, {.low = 2.8, .high = 2.9}), "2.871") << "half the interval is 0.050";
  EXPECT_EQ(shown_as(2.87132, {.deviation = 0}), "2.871") << "four digits";
  EXPECT_EQ(shown_as(20.0 / 7, {.low = 20.0 / 7, .high = 20.0 / 7 + 1e-15}), "2.857") << "nothing but rounding";
}

TEST(Tables, HaveFootnotesThatNameNoCell) {
  const std::vector<Entry> entries{number_entry(std::nullopt, "depth 1: a depth=1, batch 8, fast: not measured yet"),
                                   number_entry(std::nullopt, "a depth=1, batch 1: not measured yet"),
                                   number_entry(std::nullopt, "failed: crash in compile: signal 11")};
  const ShownTable people = shown(one_row(
      {column("a", "a", Kind::number), column("b", "b", Kind::number), column("c", "c", Kind::number)}, entries));
  EXPECT_THAT(people.notes, testing::ElementsAre("not measured yet", "failed: crash in compile: signal 11"));
}

TEST(Tables, MarkFootnotesWithLetters) {
  EXPECT_EQ(mark_of_note(0), "a");
  EXPECT_EQ(mark_of_note(25), "z");
  EXPECT_EQ(mark_of_note(26), "aa");
  EXPECT_EQ(decimals_of_four_digits(104.69), 1);
  EXPECT_EQ(decimals_of_four_digits(0.08924), 5);
  EXPECT_EQ(decimals_of_four_digits(0), 3);
  EXPECT_EQ(decimals_of_four_digits(-18022.663), 0);
}

TEST(Tables, HaveFormatsFoundByName) {
  EXPECT_STREQ(find_format("latex", table_formats()).value()->ending, ".tex");
  EXPECT_THAT(find_format("html", table_formats()).error().text(), HasSubstr("expected one of: csv, latex"));
}

// Results with a hostile name.
struct Quotable {
  std::vector<store::CellData> cells{made_up::cell("openvino", 1), made_up::cell("=cmd()%", 1)};
  std::vector<store::DerivedValue> values{};
  std::vector<store::MeasuredEnvironment> environments{};
  std::vector<store::SeriesPart> parts = std::vector<store::SeriesPart>(1);
  Results results = all_results(cells, values);

  Quotable() {
    for (const char* const subject : {"Res-Nets", "Res Nets"}) {
      parts[0].values.push_back({.series = "model_group_speed_up_ratio",
                                 .device = "local",
                                 .compiler = "openvino 1.0",
                                 .subject = subject,
                                 .batch_sizes = "2-4",
                                 .value = 1.8588,
                                 .low = 1.8,
                                 .high = 1.9,
                                 .cell_ids = {cells[0].cell_id}});
    }
    parts[0].values.push_back({.series = "model_group_speed_up_ratio",
                               .device = "local",
                               .compiler = "=cmd()% 1.0",
                               .subject = "a%\nb",
                               .batch_sizes = "1",
                               .value = 2,
                               .cell_ids = {cells[1].cell_id}});
    add_series(results, parts);
  }
};

// Returns why LaTeX cannot be run here, or "".
std::string why_no_latex() {
  for (const char* const package : {"booktabs.sty", "siunitx.sty", "graphicx.sty"}) {
    const auto found = process::run({.arguments = {"kpsewhich", package}});
    if (!found) return "no LaTeX on this machine";
    if (!found->succeeded()) return std::string("LaTeX on this machine has no ") + package;
  }
  return process::run({.arguments = {"pdflatex", "--version"}}) ? "" : "no pdflatex on this machine";
}

TEST(TablesAsLatex, CompileToPdf) {
  if (const std::string why = why_no_latex(); !why.empty()) GTEST_SKIP() << why;
  Quotable quotable;
  const Input input(quotable.results, quotable.environments, {"paper: Xeon", "paper: RTX 4070", "paper: Orin"});
  std::string document =
      "\\documentclass{article}\n\\usepackage{booktabs}\n\\usepackage{siunitx}\n\\usepackage{graphicx}\n\\begin{"
      "document}\n";
  std::vector<Document> all = make_all(input);
  all.push_back(hostile_table());
  all.push_back(numbers());
  for (const Document& table : all) document += to_latex(table) + "\\clearpage\n";
  const TemporaryFolder folder;
  folder.write("tables.tex", document + "\\end{document}\n");
  const auto ran = process::run(
      {.arguments = {"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"}, .folder = folder.path()});
  ASSERT_TRUE(ran.has_value()) << ran.error().text();
  EXPECT_TRUE(ran->succeeded()) << ran->output;
  EXPECT_THAT(ran->output, testing::Not(HasSubstr("Overfull"))) << "a table is wider than the text";
  EXPECT_TRUE(file::read(folder / "tables.pdf").value_or("").starts_with("%PDF"));
}

}  // namespace
}  // namespace ngb::paper::tables

// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "base/json_text.h"
#include "report/page/html.h"
#include "report/page/labels.h"
#include "report/page/page_data.h"

namespace ngb::report::page {
namespace {

using made_up::cell_of;
using made_up::process;
using store::CellData;
using store::DerivedValue;
using testing::HasSubstr;
using testing::Not;

// Results that own what they point into.
struct Made {
  std::vector<CellData> cells{};
  std::vector<DerivedValue> values{};
  std::vector<store::MeasuredEnvironment> environments{};
  Results results = all_results(cells, values);
};

Content content_of(const Made& made, const std::string& name) {
  return {.name = name, .study = name, .results = &made.results, .environments = &made.environments};
}

Made pair_of_cells() {
  return {{cell_of("identity", 1, {process(0, {10, 10})}), cell_of("onnxruntime", 1, {process(0, {5, 5})})},
          {{"onnxruntime-1", "speed_up_ratio", 2.0, 1.9, 2.1, ""},
           {"onnxruntime-1", "compile_s", {}, {}, {}, "not known"}}};
}

TEST(Page, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(escaped("<b>\"'&"), "&lt;b&gt;&quot;&#39;&amp;");
  EXPECT_EQ(escaped("a\x1b[31m"), "a\\x1b[31m");
}

// Python's zlib.compress(b"1.50 [1.50, 1.50] of 1.50", level) for the levels 1 and 9.
TEST(Page, IsTheSameUnpackedWhateverLibraryHasPackedIt) {
  const std::string before = "<p>1</p><script type=\"text/plain\" class=\"packed\">";
  const std::string after = "</script><script type=\"text/plain\" id=\"engine\">no base 64!</script>";
  const std::string plain = before + "1.50 [1.50, 1.50] of 1.50" + after;
  EXPECT_EQ(with_parts_unpacked(before + "eAEz1DM1UIg2BJI6CiAyViE/DcwAAEKPBUo=" + after), plain);
  EXPECT_EQ(with_parts_unpacked(before + "eNoz1DM1UIg2BJI6CiAyViE/DcwAAEKPBUo=" + after), plain);
  EXPECT_EQ(with_parts_unpacked(before + packed("1.50 [1.50, 1.50] of 1.50") + after), plain);
}

TEST(Page, ShowsMarksOfWritingDirection) {
  EXPECT_EQ(escaped("a\xE2\x80\xAE"
                    "b"),
            "a\\u202eb");
}

TEST(Page, WritesJsonThatCannotEndItsElement) {
  const nlohmann::json given = "</script><!--\xE2\x80\xA8&";
  const std::string text = script_json(given);
  EXPECT_EQ(text, R"("\u003c/script\u003e\u003c!--\u2028\u0026")");
  EXPECT_EQ(json_text::parse(text), given);
}

TEST(Page, TellsCellsOfOneWorkloadApartByTheirOptions) {
  Made made{{made_up::cell("tvm", 1), made_up::cell("tvm", 1)}, {}};
  made.cells[0].of.compiler.options = {{"trials", "8"}};
  made.cells[1].of.compiler.options = {};
  made.results = all_results(made.cells, made.values);
  const Labels labels(content_of(made, "results"));
  EXPECT_EQ(labels.compiler(made.cells[0]), R"(tvm 1.0 {"trials":8})");
  EXPECT_EQ(labels.compiler(made.cells[1]), "tvm 1.0");
}

TEST(Page, TellsCellsApartByAllThatTheirCompilerIsHanded) {
  Made made{{made_up::cell("tvm", 1), made_up::cell("tvm", 1), made_up::cell("tvm", 1)}, {}};
  made.cells[0].of.compiler.settings = {{"arena", "1"}};
  made.cells[1].of.compiler.in_flight = 2;
  made.cells[2].of.compiler.instances = 3;
  made.results = all_results(made.cells, made.values);
  const Labels labels(content_of(made, "results"));
  EXPECT_EQ(labels.compiler(made.cells[0]), R"(tvm 1.0 {"arena":1})");
  EXPECT_EQ(labels.compiler(made.cells[1]), "tvm 1.0 in_flight=2");
  EXPECT_EQ(labels.compiler(made.cells[2]), "tvm 1.0 instances=3");
  EXPECT_THAT(html(content_of(made, "results"), {}, "0.1.0"),
              HasSubstr("<th scope=\"col\">options</th><th scope=\"col\">settings</th>"));
}

TEST(Page, HasTheTextOfShowBesideEachNumber) {
  const Made made = pair_of_cells();
  const Content content = content_of(made, "results");
  const nlohmann::json data = page_data(content, Labels(content));
  std::size_t speed_up = 0;
  while (data["metrics"][speed_up]["name"] != "speed_up_ratio") ++speed_up;
  const nlohmann::json& speed_ups = data["values"][speed_up];
  EXPECT_EQ(speed_ups["numbers"].dump(), "[2.0,1.9,2.1]");
  EXPECT_EQ(data["forms"][speed_ups["says"][1].get<std::size_t>()].dump(), R"([3,"@ [@, @]",1.0,2])");
  std::size_t compile = 0;
  while (data["metrics"][compile]["name"] != "compile_s") ++compile;
  const nlohmann::json& compile_times = data["values"][compile];
  EXPECT_EQ(compile_times["numbers"].dump(), "[]");
  EXPECT_EQ(data["reasons"][static_cast<std::size_t>(-1 - compile_times["says"][1].get<int>())], "not known");
  EXPECT_EQ(data["cells"]["baseline"].dump(), "[[0,2]]");  // that of both is the first cell
}

TEST(Page, HasTheRatioOfTwoCellsOfAWorkloadInBothDirections) {
  Made made{{cell_of("identity", 1, {process(0, {10, 10}), process(1, {10, 10})}),
             cell_of("onnxruntime", 1, {process(0, {5, 5}), process(1, {5, 5})}), made_up::cell("tvm", 1)},
            {}};
  std::vector<metrics::Steady> steady;
  for (const CellData& cell : made.cells) steady.push_back(metrics::steady(cell));
  made.results = all_results(made.cells, made.values);
  made.results.numbers.add_speeds(made.cells, steady);
  const Content content = content_of(made, "results");
  const nlohmann::json data = page_data(content, Labels(content));
  EXPECT_EQ(data["has_ratios"], true);
  EXPECT_EQ(data["ratios"].dump(), "[[[1,0.5,0.5,0.5]],[[0,2.0,2.0,2.0]],[]]");
  EXPECT_EQ(data["cells"]["why_no_ratio"][0].dump(), "[-1,2]");  // twice
  EXPECT_EQ(data["reasons"][data["cells"]["why_no_ratio"][1].get<std::size_t>()], steady[2].reason);
}

// Returns the page without the text of the engine, which is not ours.
std::string without_engine(const std::string& page) {
  const std::string begin = "id=\"engine\">";
  const std::size_t from = page.find(begin) + begin.size();
  return page.substr(0, from) + page.substr(page.find("</script>", from));
}

TEST(Page, AdmitsOnlyItsOwnScriptEngineAndStyle) {
  const Made made = pair_of_cells();
  const std::string page = without_engine(html(content_of(made, "results"), {}, "0.1.0"));
  EXPECT_THAT(page,
              testing::ContainsRegex("default-src 'none'; img-src data:; script-src 'sha256-[^ ]+' 'sha256-[^ ]+'; "
                                     "style-src 'sha256-[^ ]+'; base-uri"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_THAT(page, Not(HasSubstr("http://www.w3.org/1999")));
}

TEST(Page, HasTheEngineOnceWithItsLicences) {
  const Made made = pair_of_cells();
  const std::string page = html(content_of(made, "results"), {}, "0.1.0");
  const std::size_t engine = page.find("id=\"engine\">");
  const std::size_t end = page.find("</script>", engine);
  EXPECT_EQ(page.substr(end, 25), "</script>\n<script>// SPDX");
  EXPECT_LT(page.find("University of Washington Interactive Data Lab"), engine);
  EXPECT_GT(page.size() - without_engine(page).size(), 300'000U);
  EXPECT_LT(page.size() - without_engine(page).size(), 500'000U);
}

TEST(Page, SaysWhatItLeavesOut) {
  const Made made = pair_of_cells();
  Content content = content_of(made, "results");
  content.folded = "This page shows 2 of 9 cells";
  EXPECT_THAT(html(content, {}, "0.1.0"), HasSubstr("<strong>This page shows 2 of 9 cells.</strong>"));
}

TEST(Page, IsMadeOfResultsWithoutCells) {
  const Made made;
  const std::string page = html(content_of(made, "empty"), {}, "0.1.0");
  EXPECT_THAT(page, HasSubstr("0 cells: 0 measured."));
}

TEST(Page, HasFiguresWithWhatTheyShowAndTheirData) {
  const Made made = pair_of_cells();
  const Figure whole{.name = "speed",
                     .title = "Speed & more",
                     .reading = "Higher is better.",
                     .specification = R"({"mark":"point"})",
                     .columns = {"model", "speed"},
                     .rows = {{{"<i>", false}, {"12.5", true}}, {{"b", false}, {"", true}}}};
  Figure cut = whole;
  cut.name = "cut";
  cut.has_all_rows = false;
  cut.rows.clear();
  const std::string page = html(content_of(made, "results"), {{whole, cut}, "another (no data)"}, "0.1.0");
  EXPECT_THAT(page, HasSubstr("<h2 id=\"figures-heading\">Figures</h2> <small>2 figures</small></summary>"));
  EXPECT_THAT(page, HasSubstr("<h3>Speed &amp; more</h3><p>Higher is better.</p>"));
  EXPECT_THAT(page, HasSubstr("<tr><td>&lt;i&gt;</td><td class=\"n\">12.5</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<tr><td>b</td><td class=\"n\"></td></tr>"));
  EXPECT_THAT(page, HasSubstr("<p>Without data: another (no data).</p>"));
  EXPECT_THAT(page, HasSubstr("<p>All rows are in <code>figures/cut.csv</code> beside this page.</p>"));
  EXPECT_THAT(with_parts_unpacked(page),
              HasSubstr(R"(id="specifications">{"cut":{"mark":"point"},"speed":{"mark":"point"}}</script>)"));
}

TEST(Page, HasTheThemeOfFiguresOnce) {
  const Made made = pair_of_cells();
  const Content content = content_of(made, "results");
  const nlohmann::json theme = page_data(content, Labels(content))["config"];
  const Figure usual{.name = "usual", .specification = nlohmann::json{{"config", theme}, {"mark", "bar"}}.dump()};
  const Figure narrow{.name = "narrow", .specification = R"({"config": {"legend": {"columns": 1}}})"};
  const nlohmann::json specifications = specifications_of({{usual, narrow}, ""});
  EXPECT_EQ(specifications["usual"].dump(), R"({"mark":"bar"})");
  EXPECT_EQ(specifications["narrow"]["config"]["legend"]["columns"], 1);
}

TEST(Page, GivesSettingsOfOneCompilerShadesOfItsColour) {
  Made made{{made_up::cell("onnxruntime", 1), made_up::cell("onnxruntime", 1)}, {}};
  made.cells[1].of.compiler.version = "2.0";
  made.results = all_results(made.cells, made.values);
  const Content content = content_of(made, "results");
  // A third of the way from #0072b2 to white.
  EXPECT_EQ(page_data(content, Labels(content))["looks"].dump(), R"([["#0072b2",0],["#59a3cc",1]])");
}

TEST(Page, PacksALargePartAndNoOther) {
  const Part small{"cells", "All cells", "2 cells", "<p>few</p>"};
  EXPECT_THAT(closed_section(small), HasSubstr("<p>few</p>"));
  const Part large{"cells", "All cells", "9 cells", std::string(100'001, 'x')};
  EXPECT_THAT(closed_section(large), HasSubstr("<small>9 cells</small></summary>\n<noscript>"));
  EXPECT_THAT(closed_section(large), HasSubstr("class=\"packed\">eN"));  // as zlib begins, in base 64
  EXPECT_LT(closed_section(large).size(), 1'000U);
}

TEST(Page, WritesWhatASentenceHasBetweenBackticksAsCode) {
  EXPECT_EQ(prose("raise `repetitions`, or set `a < b`"),
            "raise <code>repetitions</code>, or set <code>a &lt; b</code>");
  EXPECT_EQ(prose("one ` alone <b>"), "one ` alone &lt;b&gt;");
  EXPECT_EQ(prose("``"), "<code></code>");
}

TEST(Page, WritesBase64) {  // the examples of RFC 4648
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

TEST(Page, BeginsWithTheAnswerAndThenSaysWhatToDistrust) {
  const Made made = pair_of_cells();
  Content content = content_of(made, "results");
  content.answer = {"a <b> is the fastest."};
  content.fastest = {"The fastest", "", {"model"}, {{"<m>"}}};
  content.findings = {{"broken has no result.", {}}};
  content.unmeasured = {"claims that are not measured", "", {"claim"}, {{"x"}}};
  const std::string page = html(content, {}, "0.1.0");
  const std::size_t answer = page.find("<li>a &lt;b&gt; is the fastest.</li>");
  const std::size_t row = page.find("<td>&lt;m&gt;</td>");
  const std::size_t results = page.find("<section id=\"results\"");
  const std::size_t doubt = page.find("<h2 id=\"doubts-heading\">");
  const std::size_t finding = page.find("<li>broken has no result.</li>");
  const std::size_t folded = page.find("<summary>1 claims that are not measured</summary>");
  EXPECT_LT(answer, row);
  EXPECT_LT(row, results);
  EXPECT_LT(results, doubt);
  EXPECT_LT(doubt, finding) << "its reason is among the doubts, if it has one";
  EXPECT_LT(finding, folded);
  EXPECT_NE(folded, std::string::npos);
}

TEST(Page, OfProfilesBeginsWithWhy) {
  const Made made = pair_of_cells();
  Content content = content_of(made, "results");
  EXPECT_THAT(html(content, {}, "0.1.0"), HasSubstr("<p>There is nothing to compare yet.</p>"));
  Profiles profiles;
  ExplainedPair& pair = profiles.pairs.emplace_back();
  pair.label = "resnet18 batch 1";
  pair.why_not = "new has no profile";
  content.profiles = &profiles;
  const Figure regions{.name = "region_differences", .title = "Where", .specification = "{}"};
  const std::string page = html(content, {{regions}, ""}, "0.1.0");
  EXPECT_THAT(page,
              HasSubstr("<main>\n<section id=\"why\" aria-labelledby=\"why-heading\"><h2 id=\"why-heading\">Why</h2>\n"
                        "<p><b>resnet18 batch 1</b>: new has no profile.</p>\n<figure "
                        "data-name=\"region_differences\">"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"answer\"")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"figures\""))) << "the only one is above";
}

TEST(Page, SaysOnWhichMachineWithHowManyThreadsAndWhenItWasMeasured) {
  Made made = pair_of_cells();
  made.environments.push_back({"local", {.entries = {{"cpu_model", "", Known<std::string>::of("A <fast> CPU")}}}});
  Content content = content_of(made, "results");
  content.day = "2026-11-29";
  const std::string page = html(content, {}, "0.1.0");
  EXPECT_THAT(page, HasSubstr("<p class=\"machines\">local: A &lt;fast&gt; CPU · 2 threads · 2026-11-29</p>"));
}

TEST(Page, TellsOnlyOfFlagsThatAreRaised) {
  Made made = pair_of_cells();
  made.values.push_back({"onnxruntime-1", "flag_spread", 0.4, {}, {}, ""});
  made.results = all_results(made.cells, made.values);
  const std::string page = html(content_of(made, "results"), {}, "0.1.0");
  EXPECT_THAT(page, HasSubstr("<dt id=\"flag-spread\">"));
  EXPECT_THAT(page, Not(HasSubstr("<dt id=\"flag-disturbed\">")));
}

TEST(Page, HasSpanningTablesAndFindings) {
  const Made made = pair_of_cells();
  Content content = content_of(made, "results");
  content.findings = {{"a <b> c", {"behind it", "", {"device"}, {{"<i>"}}}}};
  content.tables = {{"Slopes", "per block", {"model"}, {{"x & y"}}}};
  const std::string page = html(content, {}, "0.1.0");
  EXPECT_THAT(page, HasSubstr("<li>a &lt;b&gt; c <details><summary> 1 row</summary>"));
  EXPECT_THAT(page, HasSubstr("<td>&lt;i&gt;</td>"));
  EXPECT_THAT(page, HasSubstr("<summary>Slopes: 1 row</summary>"));
  EXPECT_THAT(page, HasSubstr("<td>x &amp; y</td>"));
}

}  // namespace
}  // namespace ngb::report::page
